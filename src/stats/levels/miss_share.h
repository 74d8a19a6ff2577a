/*
 * Which share of the loads of random accesses misses a cache that is too small for them.
 *
 * A chase visits its lines in the same order again and again, so each set of the cache sees its own
 * lines in a cycle. What share of them misses depends on the set's ways, on how replacement treats
 * a cycle that is too long, and on how evenly the lines fall upon the sets:
 *
 *     even       contiguous memory and a plain index: every set has as many lines as any other
 *     scattered  pages at random or a hashed index: a set's lines are Poisson-distributed
 *
 * LRU keeps nothing of a cycle that is one line too long, and a tree of bits (pseudo-LRU) no more,
 * for misses alone take its ways in turn; random replacement keeps a line with the chance that no
 * miss since its last visit chose it (simulated, set by set); replacement that resists thrashing
 * (Qureshi et al., "Adaptive insertion policies", ISCA 2007) keeps all but one way.
 *
 * Other tools' curves may come from accesses that draw each line anew. No policy can tell which
 * line comes next, and a cache of any kind holds its share of them (King, "Analysis of demand
 * paging algorithms", IFIP 1971).
 */
#ifndef FATHOM_STATS_LEVELS_MISS_SHARE_H
#define FATHOM_STATS_LEVELS_MISS_SHARE_H

enum { MISS_SHAPES = 22 }; /* policies x ways x evenness, and lines drawn anew */

/* The share that misses where every line is drawn anew, of so many times the capacity. */
double miss_share_drawn(double ratio);

struct miss_shares;

/* Tabulates all shapes: a few milliseconds. NULL without memory. */
struct miss_shares *miss_shares_make(void);
void miss_shares_free(struct miss_shares *);

/* The share that misses a cache whose capacity the working set is so many octaves (log2 of the
 * ratio) above; 0 to 1 and never falling. */
double miss_share(const struct miss_shares *, int shape, double octaves_above);

#endif
