/*
 * The share of a random chase's loads that miss a cache that is too small for its working set.
 *
 * A chase visits its lines in the same order again and again, so each set of the cache sees its own
 * lines in a cycle. The share that misses depends on the set's ways, on how replacement treats a
 * cycle that is too long, and on how evenly lines are spread over the sets:
 *
 *     even       contiguous memory and a plain index: every set has as many lines as any other
 *     scattered  pages at random or a hashed index: a set's lines are Poisson-distributed
 *
 * LRU hits nothing in a cycle that is one line too long. Nor does a tree of bits (pseudo-LRU),
 * because without hits its misses replace the ways in turn. Random replacement keeps a line if no
 * miss since the line's last visit chose it (simulated, set by set). Replacement that resists
 * thrashing (Qureshi et al., "Adaptive insertion policies", ISCA 2007) keeps all but one way.
 *
 * Other tools may draw each line at random instead. Then no policy can predict the next line, and
 * any cache hits in proportion to its capacity (King, "Analysis of demand paging algorithms", IFIP
 * 1971).
 */
#ifndef FATHOM_CONCLUDE_LEVELS_MISS_SHARE_H
#define FATHOM_CONCLUDE_LEVELS_MISS_SHARE_H

enum { MISS_SHAPES = 22 }; /* policies x ways x evenness, and lines drawn anew */

/* The share of loads that miss if each line is drawn at random, for a working set of `ratio` times
 * the capacity. */
double miss_share_drawn(double ratio);

struct miss_shares;
struct pool;

/* Tabulates all shapes, in the pool. Takes a few milliseconds. */
struct miss_shares *miss_shares_make(struct pool *);

/* The share of loads that miss if the working set is that many octaves (log2 of the ratio) above
 * the capacity: 0 to 1, never falling with size. */
double miss_share(const struct miss_shares *, int shape, double octaves_above);

#endif
