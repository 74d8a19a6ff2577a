/* Comparisons for qsort() and bsearch(): ascending, by an element's first member or by the element
 * itself. Ids have theirs in base/cpulist.h. */
#pragma once

int by_text(const void *, const void *);   /* const char * */
int by_size(const void *, const void *);   /* size_t */
int by_uint64(const void *, const void *); /* uint64_t */
int by_float(const void *, const void *);
int by_number(const void *, const void *); /* double */
