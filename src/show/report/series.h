/* Series in relation to each other: which share a table, and what distinguishes them in
 * headings. */
#pragma once

#include "document/document.h"

/* Whether `is` holds for any point of these series. */
bool series_any(const struct series *, size_t count, bool (*is)(const struct point *));
bool point_has_cycles(const struct point *);
/* Whether any point has a trial. */
bool probe_has_values(const struct probe_result *);
bool series_have_same_axes(const struct series *, const struct series *);
/* How many of the first series share one table as rows, because they have values at the same few
 * places; 1: the first is shown alone. */
size_t series_group(const struct series *, size_t count);
/* How many of the first series share one sheet as columns, because they are curves of one name that
 * differ in one factor; 1: the first is shown alone. */
size_t series_sheet(const struct series *, size_t count);
/* The factors that all the series share. Returns their number. */
enum { COMMON_FACTORS_MAX = 16 };
size_t series_common_factors(const struct series *, size_t count,
                             struct factor common[COMMON_FACTORS_MAX]);
/* Index of the only factor in which the two differ; -1: they differ in none or in several. */
int series_only_difference(const struct series *, const struct series *);
/* Whether it has enough points for lines between them to be meaningful; never where x is an id. */
bool curve_is_worth_drawing(const struct series *);
/* Whether x and the median have plausible logarithms. */
bool curve_has_point(const struct point *);
/* Whether an earlier matrix of the probe has the same factors and quantity: then this one repeats
 * some of its pairs, as a check. */
bool matrix_is_repeated(const struct probe_result *, const struct series *);
/* Whether another series of the probe would have the same heading without the series' name. */
bool series_needs_name(const struct probe_result *, const struct series *);
/* The factors that its heading names. `brief`: first those that distinguish it from other headlines
 * of its name; *telling is their number, or without `brief` that of all. `ordered` has room for
 * FACTORS_SEEN. Returns the number of all. */
size_t series_order_factors(const struct probe_result *, const struct series *,
                            const struct factor **ordered, size_t *telling, bool brief);
