/*
 * Findings: results read off series, each with a name, a value and a sentence. All code in this
 * room reads a document's series and facts and adds findings to a result. Nothing here measures, so
 * imported series are treated exactly like measured ones.
 */
#ifndef FATHOM_CONCLUDE_REGISTRY_FINDING_H
#define FATHOM_CONCLUDE_REGISTRY_FINDING_H

#include "document/document.h"
#include "stats/ratio.h"

/* Two values differ for a person from this relative change on: the default of diff. */
extern const double differences_threshold;

/* Adds a finding whose numbers are all absent. Name and unit are copied. */
struct finding *finding_add(struct probe_result *, struct pool *, const char *name,
                            const char *unit);
/* The same with a value, its interval (NAN: none) and flags. */
struct finding *finding_add_value(struct probe_result *, struct pool *, const char *name,
                                  const char *unit, double value, double low, double high,
                                  unsigned flags);
/* The same from a summary's median and interval; a single trial gives no interval. */
struct finding *finding_add_summary(struct probe_result *, struct pool *, const char *name,
                                    const char *unit, const struct summary *, unsigned flags);

/* A point's time, or its cycles, for a finding: the ends are NAN where they come from a single
 * trial, whose interval in the document is the trial itself. */
struct estimate finding_time_of(const struct point *);
struct estimate finding_cycles_of(const struct point *);

/* The same without neighbours, for what is concluded of the hardware; as found where that is not
 * known. */
struct estimate finding_quiet_time_of(const struct point *);
struct estimate finding_quiet_cycles_of(const struct point *);

/* One over the other; the interval is from the far ends of both. */
struct ratio estimate_ratio(struct estimate over, struct estimate under);

/* Adds a finding that is a point's value, and its quiet one beside it: in the unit of y, or in
 * cycles. */
struct finding *finding_add_time_of(struct probe_result *, struct pool *, const char *name,
                                    const char *unit, const struct point *, unsigned flags);
struct finding *finding_add_cycles_of(struct probe_result *, struct pool *, const char *name,
                                      const struct point *, unsigned flags);

/* Which of a finding's two values is meant. */
enum finding_value { VALUE_FOUND, VALUE_QUIET };
/* Two runs are compared by what the hardware does without neighbours, where both know that; else
 * by what they found. */
enum finding_value finding_comparable_value(const struct finding *, const struct finding *);
double finding_value_of(const struct finding *, enum finding_value);
/* Whether neighbours moved it: what was found lies outside of the quiet interval, and by more than
 * what two runs are compared by. */
bool finding_is_disturbed(const struct finding *);
bool point_is_disturbed(const struct point *);
/* That value, low and high, the interval widened where there is doubt; the ends are NAN where it
 * has none, or one without a width in spite of doubt. That trials are few, or did not converge, is
 * in a quiet value's interval already and widens it no more. */
void finding_doubted_bounds(const struct finding *, enum finding_value, double bounds[3]);

#endif
