/*
 * What changed from one document to another: facts (compare/facts.h), then every figure that both
 * have, compared once (compare/compare.h). Findings pair by name and experiment (compare/pairs.h),
 * pairs of CPUs, nodes or devices by their place in a matrix. A finding in cycles and in ns is one
 * figure, in its home's unit. The points of curves are what findings are read off and are not
 * compared themselves.
 *
 * A condition of the run (its temperature, what else ran) is reported and is no change of the
 * machine; so is its clock where the runs had different governors. Ratios need values above zero: a
 * finding with another value, or in an unknown unit, is listed as not compared.
 */
#pragma once

#include "compare/compare.h"
#include "compare/facts.h"

struct difference {
    struct comparison compared;
    /* Of the first document; one of finding, and series with point. */
    const struct probe_result *probe;
    const struct series *series;
    const struct point *point;
    const struct finding *finding;
    enum side worse; /* of the figure; SIDE_NEITHER: no change is for the worse */
    enum figure_weight weight;
    bool headline; /* no figure of the first document weighs more */
    bool fact;     /* the clock: it is left out of the correction for all figures */
    double a, b;   /* the values */
};

/* A sentence about something that was not compared. */
struct remark_line {
    const char *text;
};

/* A finding of the first document that was not compared. */
struct lonely {
    const struct probe_result *probe;
    const struct finding *finding;
    const struct probe_result *other; /* the second document's; NULL: none */
    bool found;                       /* the second document has it, but a ratio has no meaning */
    enum figure_weight weight;
};

struct differences {
    struct changed_facts facts;
    struct difference *list; /* probe by probe, findings before points, in the first document's
                                order */
    size_t count, figures;   /* all, and without conditions of the runs */
    size_t counts[ANSWERS];
    enum figure_weight most;     /* of the first document's figures: these are the headlines */
    struct remark_line *missing; /* what was not compared: only one document has it, or a value is
                                    not above zero */
    size_t missing_count;
    struct lonely *lonely;
    size_t lonely_count;
    struct pool pool;
};

/* `tolerance` is a relative change for all figures; NAN: each sort has its own. ERROR_USAGE: the
 * documents have nothing in common; ERROR_SYSTEM: out of memory. The documents must outlive the
 * result, which the caller frees with differences_free(). */
int differences_find(struct differences *, const struct document *a, const struct document *b,
                     double tolerance, struct error *);
void differences_free(struct differences *);
/* Whether both are one document: the same run with the same values. */
bool differences_of_copies(const struct document *a, const struct document *b);
/* Whether anything changed: a figure, or a fact that is better or worse. */
bool differences_exist(const struct differences *);
