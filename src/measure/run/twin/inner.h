/* What the files of a twin share. */
#pragma once

#include "measure/run/twin/twin.h"

/* Lists the series of the document that probes of this program measure; a step of its pool. */
void twin_list(struct twin *);
/* The series of that probe like the one that is planned; NULL: the document has none. */
const struct twin_series *twin_series_of(const struct twin *, const char *probe,
                                         const struct series *planned);
/* The points of the series on both sides of the planned one (the same where it was measured itself,
 * and beyond the ends), and its place after the changes. False: nothing is known of it. */
bool twin_points_at(const struct twin_series *, const struct plan_point *,
                    const struct point **below, const struct point **above, double *x);

/* What the engine measures on. */
struct timing_model twin_model(struct twin *);

/* Makes the changes; a step of the document's pool. ERROR_USAGE where one can't be made. */
void twin_change(struct twin *, const char *changes);
/* By which factor the bend changes a value. */
double twin_change_of(const struct twin_bend *, double value);
