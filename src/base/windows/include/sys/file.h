/* Locks of files are only looked for in posix.h. */
#pragma once
