/*
 * Finds what changed from one document to another. Points are paired by probe, series, factors and
 * place; findings by name and experiment (compare/pairs.h). A value has changed only if the whole
 * interval of the ratio lies beyond the threshold, in time as well as in cycles where both are
 * known and in the same direction (compare/judging.h), and if it survives the
 * correction for the number of comparisons.
 *
 * Values are compared as they are without neighbours, where both documents know that. Where only
 * what was found has changed, the neighbours did.
 *
 * A doubt says that other runs may find values outside of this run's interval: noise that comes and
 * goes in minutes shifts a whole run, and its trials agree on the shifted value. So the interval of
 * a doubtful latency, rate or clock counts as three times as wide, and that of a doubtful point is
 * the middle four fifths of its trials. Values whose intervals still do not overlap have changed,
 * in spite of the doubt: an L1 that repeats within 0.1 % is not excused because its ns did not
 * settle. A capacity is where a curve bends, which moves from run to run by more than its interval
 * says: with a doubt it is uncertain at most, and so it is where one of the two is less than what
 * both documents declare, because others may have held the rest. A doubtful interval without a
 * width counts as no interval, because trials that agree to the last digit are a single trial.
 *
 * Latencies of levels are compared by the sizes that both curves have on the level's plateau, pair
 * by pair (compare/plateaus.h): how pairs scatter makes an interval even of single
 * trials, and whatever makes one size slower than another cancels. A level of which the curves have
 * fewer than three sizes in common proves no change, nor does a capacity that was read off a bend
 * where most sizes had too few trials.
 *
 * The correction for many comparisons counts findings and points apart: of each, one comparison of
 * an unchanged machine in forty may show a change.
 *
 * What other programs, or a host's other guests, may have done to what all CPUs share is uncertain
 * at most (compare/alike.h).
 *
 * A single point of a curve is no change: where a level ends, one size falls to either side from
 * run to run. It takes a neighbour that changed in the same direction, or a finding of the probe
 * that changed.
 *
 * A condition of the run (its clock, its temperature) is reported and is no change of the machine.
 * Ratios need values above zero: where one of the two is not, the finding is listed as not
 * compared, and so is one in an unknown unit.
 */
#ifndef FATHOM_COMPARE_DIFFERENCES_H
#define FATHOM_COMPARE_DIFFERENCES_H

#include "compare/difference.h"

/* `threshold` is relative: 0.03. ERROR_USAGE where the documents have nothing in common;
 * ERROR_SYSTEM without memory. The documents must outlive the result; differences_free(). */
int differences_find(struct differences *, const struct document *a, const struct document *b,
                     double threshold, struct error *);
void differences_free(struct differences *);

#endif
