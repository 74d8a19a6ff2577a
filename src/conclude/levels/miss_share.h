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
 * LRU keeps nothing of a cycle that is one line too long; nor does a tree of bits (pseudo-LRU),
 * because misses alone take its ways in turn; random replacement keeps a line with the chance that
 * no miss since its last visit chose it (simulated, set by set); replacement that resists thrashing
 * (Qureshi et al., "Adaptive insertion policies", ISCA 2007) keeps all but one way.
 *
 * Other tools may draw each line at random instead. Then no policy can predict the next line, and
 * any cache hits in proportion to its capacity (King, "Analysis of demand paging algorithms", IFIP
 * 1971).
 */
#ifndef FATHOM_CONCLUDE_LEVELS_MISS_SHARE_H
#define FATHOM_CONCLUDE_LEVELS_MISS_SHARE_H

enum { MISS_SHAPES = 22 }; /* policies x ways x evenness, and lines drawn anew */

/* The share that misses where every line is drawn at random, for a working set of `ratio` times the
 * capacity. */
double miss_share_drawn(double ratio);

struct miss_shares;
struct pool;

/* Tabulates all shapes, in the pool: a few milliseconds. */
struct miss_shares *miss_shares_make(struct pool *);

/* The share that misses if the working set is that many octaves (log2 of the ratio) above the
 * capacity; from 0 to 1, never falling. */
double miss_share(const struct miss_shares *, int shape, double octaves_above);

#endif
