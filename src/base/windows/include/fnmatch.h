#pragma once

/* 0: the text matches a pattern of plain characters, * and ?. */
int fnmatch(const char *pattern, const char *text, int flags);
