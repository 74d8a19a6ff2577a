/*
 * What a program needs of memory, from the times that it took while something was taken away from
 * it (measure/run/need.h). All its times are ratios to those of the runs alone just before and just
 * after, so a drift of the machine has no part in them; a figure is the median of such ratios with
 * its exact interval.
 */
#pragma once

#include "conclude/analyse.h"
#include "conclude/registry/registry.h"

/* The name of its result, and of the series of ratios; its factor `taken` says what was taken. More
 * series: what a load of memory takes with something taken away, over that alone; what holders hold
 * of the shared cache without the program; and what the program moves alone. And a parameter:
 * seconds of a part of one long run. */
extern const char need_name[], need_loads[], need_room[], need_moves[], need_every[];
extern const struct finding_table need_findings;
analyse_function need_analyse;
/* Adds what the machine of analysis->there would make of the program. Leaves the pool's step with
 * ERROR_IMPOSSIBLE where a document lacks a curve for any program. */
analyse_function need_against;

/* What may be taken away. NEED_NOTHING: a run alone, over the runs alone before and after;
 * NEED_CORES: two of its threads have one core between them; NEED_NEAR: its memory is on the
 * farthest node, and NEED_SPREAD: on all nodes in turn. */
enum need_taken {
    NEED_NOTHING,
    NEED_L3,
    NEED_TRAFFIC,
    NEED_PAGES,
    NEED_CORES,
    NEED_NEAR,
    NEED_SPREAD,
    NEED_TAKEN
};
extern const char *const need_taken_names[NEED_TAKEN];

/* Whether the answer to something that was taken is not told, because its interval is too wide, or
 * what another machine would make of it. */
bool need_untold(const struct probe_result *);
