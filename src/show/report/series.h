/* Series beside each other: which of them share a table, and which a heading has to tell apart. */
#ifndef FATHOM_SHOW_REPORT_SERIES_H
#define FATHOM_SHOW_REPORT_SERIES_H

#include "document/document.h"

/* Whether any point of so many series is that. */
bool series_any(const struct series *, size_t count, bool (*is)(const struct point *));
bool point_has_cycles(const struct point *);
/* Whether anything was measured of any point. */
bool probe_has_values(const struct probe_result *);
bool series_have_same_axes(const struct series *, const struct series *);
/* How many of the first of these series are rows of one table, because all have values at the same
 * few places: 1 where each is to be shown alone. */
size_t series_group(const struct series *, size_t count);
/* How many of the first of these series are columns of one sheet, because they are curves of one
 * name that differ in one factor: 1 where each is to be shown alone. */
size_t series_sheet(const struct series *, size_t count);
/* The factors that all of them have in common. Returns how many. */
enum { COMMON_FACTORS_MAX = 16 };
size_t series_common_factors(const struct series *, size_t count,
                             struct factor common[COMMON_FACTORS_MAX]);
/* Index of the only factor in which the two differ; -1: none, or several. */
int series_only_difference(const struct series *, const struct series *);
/* Whether there are points enough that the lines between them claim nothing: of what is numbered
 * there are not. */
bool curve_is_worth_drawing(const struct series *);
/* Whether logarithms of its place and value make sense. */
bool curve_has_point(const struct point *);
/* Whether only the names distinguish the two: axes, units and factors are the same. */
bool series_is_taken_for(const struct series *, const struct series *);
/* Whether a matrix of the same factors and quantity stands before it in the probe: then it is of
 * some of those pairs once more, as a check. */
bool matrix_is_repeated(const struct probe_result *, const struct series *);
/* Whether another series of the probe would have the same heading without the series' name. */
bool series_needs_name(const struct probe_result *, const struct series *);
/* The factors that its heading names, where `brief` those first that tell it from others of its
 * name among the headlines: *telling is their count, or that of all. `ordered` has room for
 * FACTORS_SEEN; returns how many they are. */
size_t series_order_factors(const struct probe_result *, const struct series *,
                            const struct factor **ordered, size_t *telling, bool brief);

#endif
