/*
 * All system files are read by these functions. Every path is absolute, as on the running system,
 * and is read below `root` (NULL: "/"), so that a recorded tree replays as another machine.
 *
 * Nothing here reports an error: a file that is missing, unreadable, not a regular file, empty or
 * full of garbage is an unknown fact. Text is cut at the first NUL (device trees end their strings
 * with one) and at FILES_TEXT_MAX bytes, and loses its trailing white space.
 */
#pragma once

#include "base/cpulist.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FILES_TEXT_MAX = 1 << 20, /* enough: /proc/stat of 4096 CPUs is 400 KB */
    FILES_LINE_MAX = 256,
    FILES_PATH_MAX = 4096,
};

/* The whole text; the caller frees. NULL if there is none. */
char *files_text(const char *root, const char *path_format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same in the pool, from which pool_give_back() may free it. */
char *files_pooled(struct pool *, const char *root, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));
/* All bytes, at most FILES_TEXT_MAX - 1, in the pool; *size is their number. NULL if the file can't
 * be read. */
unsigned char *files_bytes(struct pool *, size_t *size, const char *root, const char *path_format,
                           ...) __attribute__((format(printf, 4, 5)));
/* The first line as printable ASCII (other bytes become '?'), in the pool; NULL if empty. */
const char *files_line(struct pool *, const char *root, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads a file that holds one decimal number and nothing else; false otherwise, and `value` is then
 * unchanged. */
bool files_number(uint64_t *value, const char *root, const char *path_format, ...)
    __attribute__((format(printf, 3, 4)));
/* A list of CPUs as the kernel prints it, "0-3,8", in the pool. It is empty for an empty file, and
 * for a missing file or garbage, for which the result is false. */
bool files_cpulist(struct pool *, struct cpulist *, const char *root, const char *path_format, ...)
    __attribute__((format(printf, 4, 5)));
/* Names in a directory, sorted, without those that begin with a dot; none if it can't be read. All
 * in the pool. Returns how many. */
size_t files_names(struct pool *, char ***names, const char *root, const char *path);

/* `length` bytes as printable ASCII in the pool, without blanks at their ends; NULL if empty. */
const char *text_inert(struct pool *, const char *text, size_t length);
/* The value after "key:" or "key :" at the beginning of a line of a file's text (as in
 * /proc/cpuinfo, meminfo, status) as printable ASCII; NULL if there is none. */
const char *text_value(struct pool *, const char *text, const char *key);
/* The number after "key" and an optional colon ("MemTotal:   24684096 kB", "inactive_file 4096"),
 * times 1024 if "kB" follows. If there is none, `value` is unchanged. */
bool text_number(uint64_t *value, const char *text, const char *key);
/* Like files_cpulist(), for the text after "key:" at the beginning of a line. */
bool text_cpulist(struct pool *, struct cpulist *, const char *text, const char *key);
/* Whether the text contains `word` with white space or the text's ends around it. */
bool text_has_word(const char *text, const char *word);
