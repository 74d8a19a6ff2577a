/*
 * Findings: results read off series, each with a name, a value and a sentence. All code in
 * conclude/ reads a document's series and facts and adds findings to a result. It measures nothing,
 * so imported series are treated exactly like measured ones.
 */
#pragma once

#include "document/document.h"
#include "stats/order.h"

/* How much longer the median batch has to take before interference is worth a word. */
extern const double differences_threshold;

/* Adds a finding without any number. Name and unit are copied. */
struct finding *finding_add(struct probe_result *, struct pool *, const char *name,
                            const char *unit);
/* The same with a value, its interval (NAN: none) and flags. */
struct finding *finding_add_value(struct probe_result *, struct pool *, const char *name,
                                  const char *unit, struct interval, unsigned flags);
/* The same from a summary's median and interval; a single trial gives no interval. */
struct finding *finding_add_summary(struct probe_result *, struct pool *, const char *name,
                                    const char *unit, const struct summary *, unsigned flags);

/* A point's time or cycles for a finding. The ends are NAN for a single trial, because its interval
 * in the document is the trial itself. */
struct estimate finding_time_of(const struct point *);
struct estimate finding_cycles_of(const struct point *);
/* In cycles where they are known, else in time. */
struct estimate finding_latency_of(const struct point *);

/* A value of floats for a finding. */
struct interval estimate_interval(struct estimate);
/* The ratio of both; its interval is made from the far ends of both intervals. */
struct interval estimate_ratio(struct estimate over, struct estimate under);

/* Adds a point's figure as a finding: in the unit of y, or in cycles. */
struct finding *finding_add_time_of(struct probe_result *, struct pool *, const char *name,
                                    const char *unit, const struct point *, unsigned flags);
struct finding *finding_add_cycles_of(struct probe_result *, struct pool *, const char *name,
                                      const struct point *, unsigned flags);

/* The kinds of figures, as documents have them: the interval is one of 95 % from six trials or
 * more; the same, but other programs had a part in more than half of the trials; too few trials for
 * an interval. */
extern const char finding_good[], finding_beside_others[], finding_too_few[];
/* NULL: it has no value. */
const char *finding_kind(const struct finding *);
/* Whether interference made the median batch longer than the undisturbed ones by more than
 * differences_threshold. */
bool finding_is_disturbed(const struct finding *);
/* Whether other programs had a part in it: by its kind, or because it is disturbed. */
bool finding_is_beside(const struct finding *);
bool point_is_disturbed(const struct point *);
