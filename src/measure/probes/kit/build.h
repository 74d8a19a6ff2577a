/* Adds series and points to a plan, and parameters to a document: steps of the document's pool
 * (base/pool.h), so none of these functions returns an error. */
#pragma once

#include "measure/probes/kit/probe.h"

/* Adds a series to the plan and returns its index. Its factors are copied. */
unsigned build_series(struct probe_task *, struct series);
/* Adds a number or a text (not copied) to the factors of a planned series. */
void build_factor(struct probe_task *, unsigned series, const char *name, double number);
void build_factor_text(struct probe_task *, unsigned series, const char *name, const char *text);
/* Adds a point at `x` of a series. The first of the CPUs measures, the others have the role
 * `others`. The caller may set the point's other members. */
struct plan_point *build_point(struct probe_task *, unsigned series, double x, const int *cpus,
                               size_t count, enum role others);
/* Adds a parameter to the document: a number, or a text, which is not copied. */
void build_note(struct probe_task *, const char *name, double number);
void build_note_text(struct probe_task *, const char *name, const char *text);
/* Adds a list to the document's parameters, which build_element() and build_word() fill. */
struct factor *build_note_list(struct probe_task *, const char *name);
void build_element(struct probe_task *, struct factor *list, double number);
void build_word(struct probe_task *, struct factor *list, const char *word);
/* The CPUs sorted by their places (struct cpu_place); `by` is a comparison for qsort(). */
int *build_order(const struct probe_task *, const int *cpus, size_t count,
                 int (*by)(const void *, const void *));
/* The CPUs as a list: "0-3,8". They may be in any order, each once. */
const char *build_cpus(struct pool *, const int *cpus, size_t count);
/* Says in the result that nothing can be measured here, and why. */
void build_skip(struct probe_task *, const char *reason);
/* Divides the arena into parts of so many bytes, whole huge pages, each first touched by one of the
 * CPUs, and so near it. Does nothing if the plan binds the arena to a node. */
void build_parts(struct probe_task *, const int *cpus, size_t count, size_t bytes);
