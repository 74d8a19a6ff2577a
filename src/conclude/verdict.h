/* How far a document can be relied on, family by family: the first thing that a person should know.
 * A family is a level ("L2"), the subject of findings of one role ("TLB", "bandwidth"), a device
 * ("gpu0"), or else a probe. Its grade follows from its figures alone. It is computed for any
 * document; saved documents hold it for other programs. */
#pragma once

#include "base/line.h"
#include "conclude/levels/level.h"
#include "conclude/registry/registry.h"
#include "document/document.h"

enum grade {
    GRADE_GOOD,         /* of kind good, and its interval is narrow */
    GRADE_AS_FOUND,     /* measured beside others, or its interval is wide */
    GRADE_NOT_MEASURED, /* there is no value, or it has too few trials */
    GRADES
};
extern const char *const grade_names[GRADES]; /* "good", "as found", "not measured" */

/* The grade of one figure. What is narrow depends on its role (verdict.c). A point's doubts make it
 * as found, too. */
enum grade finding_grade(const struct finding *, enum finding_role);
enum grade point_grade(const struct series *, const struct point *);

enum { FAMILIES_MAX = 48, FAMILY_NAME_BYTES = 24, FAMILY_WHY_BYTES = 512 };

/* It is good if all of its headline figures are, and not measured if none of them is usable.
 * Headline figures have a fact in the registry and no deviations; a family without any is graded by
 * all of its figures. Where a probe found no figure, its points stand for them. */
struct family {
    char name[FAMILY_NAME_BYTES]; /* inert */
    size_t order;                 /* levels come first, from the core on */
    enum grade grade;
    double width; /* half of the widest interval of a figure as found, as a share of it; 0: none */
    bool others;  /* that figure was measured beside other programs, whatever its width */
    char why[FAMILY_WHY_BYTES]; /* "DRAM.latency ±12 %", "too few trials"; "" if it is good */
    struct family_tally {
        size_t figures, good, usable;
        /* The usable figure that is not good and has the widest interval: its name (NULL: none),
         * why, if its interval does not say it, and half of its interval's width as a share of its
         * value. */
        const char *worst, *why;
        double width;
    } headline, all;
};

struct document_verdict {
    struct family families[FAMILIES_MAX]; /* in their order */
    size_t family_count;
    char reached[LEVEL_NAME_BYTES]; /* the family of the last level, if nothing proves it DRAM */
    size_t values;                  /* figures with a value */
    size_t disturbed; /* of them, those that interference changed (finding_is_disturbed()) */
    unsigned fewest;  /* trials of the point with the fewest; 0: no point has trials */
    float coverage;   /* the least coverage of a point's interval: 0 to 1 (stats/order.h) */
    unsigned flags;   /* the union of the figures' flags */
    bool modelled;    /* all values are from a model */
    struct line busy; /* the evidence of other programs: "load 12 on 2 CPUs", "they kept
                         interrupting"; "": none */
};

void verdict_of(struct document_verdict *, const struct document *);
/* What to say behind the name of the i-th family: why it is not good. "" where its interval's width
 * says it, or where the next family of its grade has the same reason. */
const char *verdict_reason(const struct document_verdict *, size_t i);
/* The index of a finding's family, or without a finding of the probe's; -1: none. */
int verdict_family(const struct document_verdict *, const struct document *,
                   const struct probe_result *, const struct finding *);
/* How many families have that grade. */
size_t verdict_count(const struct document_verdict *, enum grade);
/* What limits all grades: the document was imported, modelled or stopped, or holds nothing. NULL:
 * nothing does. */
const char *verdict_reserve(const struct document_verdict *, const struct document *);
/* "Good: L1, L2, TLB. As found: DRAM. Not measured: numa." */
void line_add_verdict(struct line *, const struct document *, const struct document_verdict *);
/* Writes the verdict into the document. ERROR_SYSTEM: out of memory. */
int verdict_note(struct document *, struct error *);

/* The exit status of a run follows from it. */
enum trust {
    TRUST_USABLE,  /* everything that was asked for has a usable figure: good or as found */
    TRUST_LACKING, /* a probe failed, or has no usable figure; a skipped one gives its reason */
    TRUST_NOTHING, /* no probe has measured anything */
};
enum trust document_trust(const struct document *);
