/*
 * Address translation: two chains of the same number of lines, one spread with a line on each page,
 * one packed into few pages. The spread chain's additional time is translation; a TLB is full where
 * it begins.
 *
 * Saavedra and Smith, "Measuring cache and TLB performance and their effect on benchmark run
 * times", IEEE Trans. Computers 44(10), 1995, read TLBs off strided sweeps; here the packed chain
 * cancels the effect of the caches, so that a cache's capacity is not mistaken for a TLB's. Both
 * orders are random, and both chains use the sets of a cache alike (chain.c).
 *
 * First a ladder of sizes, then every number of pages around the first level's capacity and a grid
 * around the second's. Each trial votes for the number of pages that the TLB held. A busy sibling
 * thread, which shares the TLB, makes the votes differ, and then there is no number.
 */
#include "conclude/translation/tlb.h"
#include "base/units.h"
#include "document/flag.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"
#include "measure/probes/tlb/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAGES_MOST = 8192, HUGE_MOST = 128 };
/* Touching larger arenas anew in every round takes too long. */
static const uint64_t arena_most = 256 << 20;

enum page_choice { CHOICE_ALL, CHOICE_SMALL, CHOICE_HUGE, CHOICE_HUGE1G, CHOICE_16K };

struct tlb_options {
    struct setting pages, to, cpu;
};

#include "tlb.help.h"

/* --- planning --- */

static void add_size(struct probe_task *task, uint64_t page_bytes, enum page_policy policy,
                     double most)
{
    struct tlb_state *state = task->state;
    struct tlb_size *size = &state->sizes[state->size_count++];
    const struct setting *to = &((const struct tlb_options *)task->options)->to;
    uint64_t memory = machine_memory_budget(task->machine);
    *size = (struct tlb_size){.page_bytes = page_bytes,
                              .policy = policy,
                              .ladder = {-1, -1, -1, -1},
                              .fine = {-1, -1},
                              .spread = TLB_SPREAD,
                              .shared = 1};
    char name[UNIT_TEXT];
    snprintf(size->name, sizeof size->name, "%s", size_name(page_bytes, name));
    if (to->has)
        most = to->number;
    else if (memory > arena_most)
        memory = arena_most;
    size->most = fmin(most, (double)(memory / page_bytes));
}

static void plan_tlb(struct probe_task *task)
{
    struct tlb_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct tlb_options *asked = task->options;
    state->line_bytes = machine_line_bytes(task->machine);
    state->seat = chases_seat(task, &asked->cpu);
    const struct machine_facts *facts = &task->machine->facts;
    uint64_t small = facts_page_bytes(facts);
    /* Linux's transparent huge page is as large as the small pages of one page table, with entries
     * of eight bytes. */
    uint64_t huge = small * (small / 8);
    const int choice = asked->pages.choice;
    if (choice == CHOICE_ALL || choice == CHOICE_SMALL)
        add_size(task, small, PAGES_SMALL, PAGES_MOST);
    if (choice == CHOICE_ALL || choice == CHOICE_HUGE)
        add_size(task, huge, PAGES_AUTO, HUGE_MOST);
    if (choice == CHOICE_HUGE1G)
        add_size(task, UINT64_C(1) << 30, PAGES_HUGE1G, HUGE_MOST);
    if (choice >= CHOICE_16K) {
        const enum page_policy policy = (enum page_policy)(PAGES_16K + choice - CHOICE_16K);
        add_size(task, page_policy_bytes(policy), policy, PAGES_MOST);
    }
    if (state->sizes[0].most < 2 * TLB_PAGES_LEAST)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "there is memory for %.0f pages of %s, and a TLB holds more: free memory, or "
                   "look at smaller pages (--pages)",
                   state->sizes[0].most, state->sizes[0].name);
    tlb_plan_ladder(task);
}

/* --- measuring --- */

static void prepare_tlb(struct trial *trial)
{
    const struct tlb_state *state = trial->probe_state;
    struct tlb_chain chain = tlb_chain_of(state, (unsigned)trial->point->index, trial->point->x);
    chain.memory = trial->arena->memory;
    chain.seed = trial->seed;
    chases_begin(trial, tlb_chain_build(&chain), chain.count);
}

static bool next_tlb(struct probe_task *task)
{
    struct tlb_state *state = task->state;
    bool more = tlb_plan_next(task);
    while (!more && ++state->at < state->size_count) {
        struct tlb_size *size = &state->sizes[state->at];
        if (size->most < 4 * TLB_PAGES_LEAST) {
            size->unavailable = pool_printf(task->pool, "there is memory for %.0f pages of %s",
                                            size->most, size->name);
            continue;
        }
        tlb_plan_ladder(task);
        more = true;
    }
    return more;
}

/* --- concluding --- */

/* Page sizes without series get a parameter with the reason. */
static void conclude_tlb(struct probe_task *task)
{
    const struct tlb_state *state = task->state;
    for (size_t i = 0; i < state->size_count; i++) {
        const struct tlb_size *size = &state->sizes[i];
        if (size->unavailable)
            build_note_text(task, pool_printf(task->pool, "unavailable.%s", size->name),
                            size->unavailable);
    }
}

/* The last series of the page size in that look, because refining adds finer ones. NULL: none. */
static const struct series *look_at(const struct analysis *analysis, const char *name,
                                    const char *page, const char *look)
{
    const struct probe_result *result = analysis->result;
    const struct series *found = NULL;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if ((!name || strcmp(series->name, name) == 0) &&
            strcmp(analysis_factor(series, "pages"), page) == 0 &&
            strcmp(analysis_factor(series, "look"), look) == 0)
            found = series;
    }
    return found;
}

static const struct series *ladder_of(const struct analysis *analysis, unsigned ladder,
                                      const char *page)
{
    return look_at(analysis, tlb_ladder_names[ladder], page, tlb_looks[TLB_LADDER]);
}

/* Takes the votes and the number of trials; false if the document is too old to hold that
 * number. */
static bool take_votes(const struct series *votes, const struct series **series, size_t *trials)
{
    const struct factor *ran = votes ? series_factor(votes, "trials") : NULL;
    if (!votes)
        return true;
    *series = votes;
    *trials = ran ? analysis_count(ran->number) : 0;
    return ran;
}

/* `small` is the first measured page size, whose chains huge pages are compared with. */
static void analyse_pages(struct analysis *analysis, const struct tlb_page *page,
                          const struct tlb_page *small)
{
    const struct machine_facts *machine = analysis->machine;
    const char *name = page->name;
    const struct series *packed = ladder_of(analysis, TLB_PACKED, name),
                        *spread = ladder_of(analysis, TLB_SPREAD, name),
                        *sparse = ladder_of(analysis, TLB_SPARSE, name);
    char parameter[32], patterns[64];
    snprintf(parameter, sizeof parameter, "unavailable.%s", name);
    snprintf(patterns, sizeof patterns, "dtlb<n>.%s.*, dtlb.%s.as.*", name, name);
    const struct factor *why = analysis_parameter(analysis, parameter);
    const uint64_t least = facts_page_bytes(machine);
    struct tlb_evidence evidence = {.page = name,
                                    .second_level = page->bytes < tlb_huge_least,
                                    .unavailable = why ? why->text : NULL,
                                    .spread = spread,
                                    .packed = packed,
                                    .pieces = ladder_of(analysis, TLB_PIECES, name),
                                    .piece = small->name,
                                    .piece_spread = ladder_of(analysis, TLB_SPREAD, small->name),
                                    .piece_packed = ladder_of(analysis, TLB_PACKED, small->name),
                                    .shared = 1};
    if (!why && packed && page->bytes != least &&
        (series_flags(packed) & FLAG_BIT(FLAG_SMALL_PAGES)))
        evidence.unavailable = pool_printf(analysis->pool, "pages of %s can't be had here", name);
    if (!evidence.unavailable && (!spread || !packed)) {
        analysis_keep(analysis, patterns,
                      "the document does not say why its pages were not measured");
        return;
    }
    if (spread && packed && sparse)
        evidence.shared = tlb_shared(spread, sparse, packed);
    if (evidence.shared > 1)
        evidence.spread = sparse;
    evidence.fine_spread = look_at(analysis, NULL, name, tlb_looks[TLB_SECOND]);
    const bool first_held = take_votes(look_at(analysis, tlb_vote_names[0], name, tlb_vote_look),
                                       &evidence.first, &evidence.first_trials),
               second_held = take_votes(look_at(analysis, tlb_vote_names[1], name, tlb_vote_look),
                                        &evidence.second, &evidence.second_trials);
    if (!evidence.second)
        evidence.fine_spread = NULL;
    if (!first_held || !second_held) {
        analysis_keep(analysis, patterns, "the document does not hold how many trials voted");
        return;
    }
    findings_tlb(analysis->result, analysis->pool, &evidence);
    if (spread)
        analysis_read_off(analysis, evidence.spread);
}

static bool is_looked_at(const struct analysis *analysis, const char *page)
{
    char parameter[32], prefix[24];
    snprintf(parameter, sizeof parameter, "unavailable.%s", page);
    if (ladder_of(analysis, TLB_PACKED, page) || analysis_parameter(analysis, parameter))
        return true;
    /* Old documents give the reason for a missing series in their findings. */
    snprintf(prefix, sizeof prefix, "dtlb<n>.%s.*", page);
    for (size_t i = 0; i < analysis->before_count; i++)
        if (finding_name_matches(prefix, analysis->before[i].name))
            return true;
    return false;
}

static void analyse_tlb(struct analysis *analysis)
{
    const struct tlb_page *small = NULL;
    for (size_t i = 0; i < TLB_PAGES; i++) {
        if (!is_looked_at(analysis, tlb_pages[i].name))
            continue;
        small = small ? small : &tlb_pages[i];
        analyse_pages(analysis, &tlb_pages[i], small);
    }
}

#include "tlb.findings.h"

const struct probe tlb_probe = {
    .name = "tlb",
    .place = 10,
    .help = &help,
    .weight = 4,
    .findings = {finding_lines, experiment, .before_others = true},
    .plan = plan_tlb,
    .prepare = prepare_tlb,
    .observe = trial_values_observe,
    .next = next_tlb,
    .conclude = conclude_tlb,
    .analyse = analyse_tlb,
};
