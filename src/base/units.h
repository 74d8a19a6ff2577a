/*
 * Sizes, rates and times as people write them. Sizes are binary: K, M, G, T (also KiB, MiB, ...)
 * are powers of 1024, because caches and pages are.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* "16K", "1.5M", "2 GiB", "4096" -> bytes. ERROR_USAGE for anything else: no digits, an unknown
 * suffix, a sign, zero, a fraction of a byte, or more than 2^62. */
int size_parse(const char *text, uint64_t *bytes, struct error *);
/* A finite decimal number and nothing after it. ERROR_USAGE otherwise. */
int number_parse(const char *text, double *value, struct error *);

struct pool;
/* size_format() in the pool; a step of it (base/pool.h). */
const char *size_text(struct pool *, double bytes);
/* All of these write into `text` (at least UNIT_TEXT bytes) and return it. */
enum { UNIT_TEXT = 32 };
char *size_format(double bytes, char *text);               /* "48 KiB" (exact), "2.5 MiB" */
char *size_name(uint64_t bytes, char *text);               /* "4K", "2M": rounded down, for names */
char *size_exact_format(uint64_t bytes, char *text);       /* exact: "16 MiB", "1025 KiB" */
char *hertz_format(double hertz, char *text);              /* "2.99 GHz" */
char *duration_format(double seconds, char *text);         /* "850 ms", "12 s", "3 min 20 s" */
char *figure_format(double value, int digits, char *text); /* significant digits, no exponent */
char *float_format(float value, char *text); /* the fewest digits that read as the same float */
