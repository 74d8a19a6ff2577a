/* Which values of a document can be relied on, and what to do next: the first thing that a person
 * should know. It is computed from the document alone (conditions, flags, roles of findings), for
 * any document; saved documents hold it for other programs. */
#ifndef FATHOM_CONCLUDE_VERDICT_H
#define FATHOM_CONCLUDE_VERDICT_H

#include "base/line.h"
#include "document/document.h"

enum verdict_state {
    VERDICT_SOUND, /* every value can be relied on */
    VERDICT_BUSY,  /* other programs were running: values of shared resources include their load */
    VERDICT_SHORT, /* the run was too short for some values */
    VERDICT_DOUBTFUL, /* some values are in doubt for other reasons, or a probe failed */
    VERDICT_SINGLE,   /* some values come from a single trial */
    VERDICT_IMPORTED, /* imported from another tool's table, which has no trials */
    VERDICT_MODELLED, /* no hardware was measured */
    VERDICT_STOPPED,  /* the run was interrupted */
    VERDICT_EMPTY,    /* there is no value */
    VERDICT_STATES
};
extern const char *const verdict_state_names[VERDICT_STATES]; /* "sound", "busy" */

/* How far each part of a document can be relied on. A part is a level ("L2"), the subject of
 * findings of one role ("TLB", "bandwidth"), a device ("gpu0"), or else a probe. */
enum part_trust {
    PART_RELY,
    PART_BESIDE,  /* shared with other programs, which were running */
    PART_DOUBT,   /* has values in doubt */
    PART_LACKING, /* its probe failed or is not complete */
    PART_TRUSTS
};

enum { VERDICT_PARTS_MAX = 32, PART_NAME_BYTES = 24 };

struct verdict_part {
    char name[PART_NAME_BYTES]; /* not made inert */
    size_t order;               /* levels come first, from the core on */
    size_t values, doubtful;
    bool shared, lacking;
    enum part_trust trust;
};

/* The verdict on a document. `state` is the first that applies: empty, stopped, imported, single,
 * busy, ... */
struct document_verdict {
    enum verdict_state state;
    struct verdict_part parts[VERDICT_PARTS_MAX]; /* in their order */
    size_t part_count;
    size_t disturbed;                /* values that interference changed (finding_is_disturbed()) */
    size_t values, doubtful, single; /* single: probes whose points have at most one trial */
    unsigned doubts;                 /* the flags that make values doubtful */
    int remedy;       /* the doubt that most values have, whose remedy is proposed; -1: none */
    unsigned fewest;  /* trials of the point with the fewest; 0: no point has trials */
    float coverage;   /* the least coverage of a point's interval: 0 to 1 (stats/order.h) */
    bool modelled;    /* all values are from a model */
    struct line busy; /* the evidence of other programs: "load 12 on 2 CPUs"; "": none */
    bool uncounted;   /* only measured values show them: the system's counters show too little of
                         other programs */
};

void verdict_of(struct document_verdict *, const struct document *);
/* "Busy (load 12 on 2 CPUs): rely on L1, L2, TLB; DRAM includes other programs' load. Repeat ..."
 */
void line_add_verdict(struct line *, const struct document *, const struct document_verdict *);
/* Writes the verdict into the document. ERROR_SYSTEM: out of memory. */
int verdict_note(struct document *, struct error *);

#endif
