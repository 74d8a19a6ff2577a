/*
 * Finds what changed from one document to another. Points are paired by probe, series, factors and
 * coordinates; findings by name and experiment (compare/pairs.h). A value has changed only if the
 * whole interval of the ratio is beyond the threshold, in time and in cycles if both are known, in
 * the same direction (compare/judging.h), and if it survives the correction for the number of
 * comparisons.
 *
 * A doubt means that other runs may find values outside of this run's interval: noise that comes
 * and goes in minutes shifts a whole run, whose trials agree on the shifted value. So the interval
 * of a doubtful latency, rate or clock counts as three times as wide, and that of a doubtful point
 * is the middle four fifths of its trials. Values whose intervals still do not overlap have
 * changed, in spite of the doubt: an L1 that repeats within 0.1 % is not excused because its ns did
 * not settle. A capacity is where a curve bends, which moves from run to run by more than its
 * interval says. So a change of a doubtful capacity is uncertain at most, and so is one where
 * either value is less than both documents declare, because other programs may have held the rest.
 * A doubtful interval without a width counts as no interval, because trials that agree to the last
 * digit are a single trial.
 *
 * Latencies of levels are compared by the sizes that both curves have on the level's plateau, pair
 * by pair (compare/plateaus.h): the scatter of the pairs gives an interval even for single trials,
 * and what makes one size slower than another cancels. A level with fewer than three common sizes
 * proves no change, nor does a capacity that was read off a bend where most sizes had too few
 * trials.
 *
 * The correction for many comparisons treats findings and points separately: for each of the two,
 * one comparison in forty of an unchanged machine with itself may show a change.
 *
 * A change of a shared resource that other programs, or a host's other guests, may have caused is
 * uncertain at most (compare/alike.h).
 *
 * A single point of a curve is no change, because a size near the end of a level falls to either
 * side from run to run. It counts if a neighbouring point changed in the same direction, or a
 * finding of the probe changed.
 *
 * A condition of the run (its clock, its temperature) is reported and is no change of the machine.
 * Ratios need values above zero: a finding with another value, or in an unknown unit, is listed as
 * not compared.
 */
#ifndef FATHOM_COMPARE_DIFFERENCES_H
#define FATHOM_COMPARE_DIFFERENCES_H

#include "compare/difference.h"

/* `threshold` is a relative change: 0.03. ERROR_USAGE: the documents have nothing in common;
 * ERROR_SYSTEM: out of memory. The documents must outlive the result, which the caller frees with
 * differences_free(). */
int differences_find(struct differences *, const struct document *a, const struct document *b,
                     double threshold, struct error *);
void differences_free(struct differences *);

#endif
