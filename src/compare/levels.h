/*
 * Which levels of two curves are the same. A curve that shows one step more or fewer numbers its
 * levels differently, so levels pair by size and latency, in order: of all pairings the one counts
 * in which the logarithms of both ratios add up to the least. A level without a partner costs a
 * quarter of the distance to its nearest neighbour, so two levels pair if they are nearer to each
 * other than half of the distance between levels. If two pairs have as many unpaired levels between
 * them in one curve as in the other, these pair too if their sizes or their latencies are that
 * near, however far the other of the two moved.
 */
#pragma once

#include "document/document.h"

/* A level of one document and its partner in the other. */
struct level_link {
    const struct finding *like; /* one of its findings: of its experiment */
    int number, partner;        /* of "L2"; partner 0: none */
    double bytes, cycles, ns;   /* its size and latency; NAN: unknown */
    bool reached;               /* of one without a partner: the other curve goes on beyond it */
};

struct level_links {
    struct level_link *list; /* by experiment and number; memory is the last of an experiment */
    size_t count;
    /* the levels were read off again, after other probes had named theirs by the first reading */
    bool anew;
};

/* The levels of the CPUs' curves in a document, each its own partner, in the pool. They refer to
 * the document's findings. */
struct level_links level_links_of(struct pool *, const struct document *);
/* The same of each of documents[count]. */
struct level_links *level_links_of_all(struct pool *, const struct document *documents,
                                       size_t count);
/* Fills both with the levels of two documents, paired, in the pool. */
void level_links_find(struct level_links of[2], struct pool *, const struct document *a,
                      const struct document *b);
/* The number of the partner of the finding's level: in the finding's own experiment or, for a
 * finding of another probe, in the standard one. Its own number where nothing is known of the
 * level; -1: the finding is about no level. */
int level_partner(const struct level_links *, const struct finding *);
/* For documents that are joined: gives the levels of all[count] the numbers that they have in `as`.
 * A level without a partner in `as` keeps its number if `as` has no level of that number. */
void level_links_number(struct level_links *all, size_t count, const struct level_links *as,
                        struct pool *);
/* One of all[count] with the usual number of levels, the most frequent one; those without levels
 * don't count. */
const struct level_links *level_links_usual(const struct level_links *all, size_t count,
                                            struct pool *);
/* The finding's name with that number, "L0.latency" where its level has no partner; NULL links: its
 * own name. In the pool, or the finding's. */
const char *level_name(struct pool *, const struct level_links *, const struct finding *);
/* The finding with that level's number in its name and factors. */
struct finding level_numbered(struct pool *, const struct level_links *, const struct finding *);
