/*
 * What programs take from a machine's figures: block sizes, bits of a partitioning pass, look-ups
 * to interleave, how far to prefetch, padding, stores past the caches, pages, threads, CPUs. Each
 * has the figure that it is read from, the rule in words, and what the figure's interval makes of
 * it. What no document tells is not assumed: then the advice says what to measure.
 */
#pragma once

#include "document/document.h"
#include "stats/order.h"

enum advice_kind { ADVICE_COUNT, ADVICE_SIZE, ADVICE_CHOICE, ADVICE_CPUS };
/* "", "B", "choice" (a value of 1 is yes, 0 is no) and "cpus" (the text is a list of CPUs). */
extern const char *const advice_units[];

struct advice {
    const char *name;  /* stays from version to version: "block.all.L2" */
    const char *label; /* for people: "L2 block, each CPU" */
    enum advice_kind kind;
    /* By the rule, from the figure and from the ends of its interval (NAN: it has none). INFINITY:
     * advised for no size. */
    struct interval value;
    const char *text; /* the value for people: "20 KiB", "yes", "0-7" */
    const char *reason;
    const char *source;     /* the finding, or the probe: "L2.capacity" */
    const char *experiment; /* in what the finding's experiment deviates: "pages small"; "" */
    bool as_found; /* the figure is not good: measured beside others, or its interval is wide */
    bool told;     /* false: `text` is "can't tell", and `reason` says why */
    const char *command; /* that measures the figure: "fathom latency"; "": none does */
};

struct advices {
    struct advice *list;
    size_t count, told;
};

/* What several documents of one machine advise: each advice is read from the first document that
 * has its figure, in the standard experiment if there is one. The list is empty before. Texts live
 * in `pool`, and may hold a document's. ERROR_SYSTEM: out of memory. */
int advise(const struct document *const *, size_t count, struct pool *pool, struct advices *,
           struct error *);

/* The block that stays in a cache that holds `bytes`; 0: none does. */
double advise_block(double bytes);
/* What a block of a cache goes by: what a chase keeps of it, if the document has that and it is
 * less than what fits, because programs come back to a block; else the capacity itself. */
const struct finding *advise_kept(const struct document *, const struct finding *capacity);
/* The least distance of two words in bytes that two CPUs write without disturbing each other, as a
 * document of `fathom contention` shows it; 0: not shown. */
size_t advise_padding(const struct document *);
/* The number of independent loads whose time comes within 3 % of the least in that level, where a
 * document tells it; else `misses`, the number in flight. The first is larger, because some loads
 * are always between one miss and the next. */
double advise_at_once(const struct document *, const char *level, double misses);
