#include "compare/health.h"

#include "compare/alike.h"
#include "compare/judging.h"
#include "compare/pairs.h"
#include "compare/plateaus.h"
#include "conclude/registry/catalogue.h"
#include "conclude/registry/device.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "document/flag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const health_names[HEALTHS] = {"ok", "uncertain", "fail"};

struct checking {
    struct health_check *check;
    const struct document *base, *now;
    struct alike alike;
    struct finding_lookup of_base, of_now;
    const struct finding **by_experiment; /* the current probe's findings that belong to a series */
    size_t count;
    struct shared_plateaus shared; /* of the current probe's curves */
    double tolerance;
};

/* Limits for foreign documents, so that the time stays proportional to their size: a gap is joined
 * only with one of the last 16, and only the first 256 series are searched. */
enum { GAPS_ALIKE = 16, SERIES_MOST = 256 };

/* --- one value against another --- */

struct bounds {
    double near, far, bound; /* of the present interval the end on the better side; the present
                                value; the worst value that is still good enough */
    bool known;              /* the baseline's value has an interval */
};

static struct bounds bounds_of(const struct finding *should, const struct finding *now, int side,
                               double tolerance)
{
    double is[3], may[3];
    finding_doubted_bounds(now, is);
    finding_doubted_bounds(should, may);
    const double margin = tolerance * fabs(may[0]);
    const double end = side > 0 ? may[2] : may[1];
    return (struct bounds){side > 0 ? is[1] : is[2], is[0],
                           (isfinite(end) ? end : may[0]) + side * margin, isfinite(end)};
}

/* Without an interval the value itself decides, unless it is in doubt. */
static enum health judge(const struct finding *should, const struct finding *now, int side,
                         double tolerance)
{
    struct bounds bounds = bounds_of(should, now, side, tolerance);
    if (side * (bounds.far - bounds.bound) <= 0)
        return HEALTHY;
    if (!bounds.known && flag_widening(should->flags))
        return DOUBTFUL;
    if (!isfinite(bounds.near))
        return flag_widening(now->flags) ? DOUBTFUL : WORSE;
    return side * (bounds.near - bounds.bound) > 0 ? WORSE : DOUBTFUL;
}

/* Combines the verdicts on cycles and on time: worse only if both are. */
static enum health judge_both(const struct checking *checking, const struct finding *should,
                              const struct finding *now, int side)
{
    const enum health health = judge(should, now, side, checking->tolerance);
    const struct finding *twin_should = finding_lookup_twin(&checking->of_base, should);
    const struct finding *twin = finding_lookup_twin(&checking->of_now, now);
    if (!twin_should || !twin)
        return health;
    const enum health other = judge(twin_should, twin, side, checking->tolerance);
    return other < health ? other : health;
}

/* The same for a level, by the sizes that both curves have on it. */
static enum health judge_ratio(const struct comparison *ratio, int side, double tolerance)
{
    const double most = log1p(tolerance);
    if (side * log(ratio->ratio) <= most)
        return HEALTHY;
    return side * log(side > 0 ? ratio->low : ratio->high) > most ? WORSE : DOUBTFUL;
}

static void add_value(struct checking *checking, struct health_values *values,
                      struct health_value value)
{
    struct health_value *slot =
        pool_append(&checking->check->pool, (void **)&values->list, &values->count, sizeof *slot);
    *slot = value;
}

static void compare(struct checking *checking, const struct finding *should,
                    const struct finding *now, enum side side)
{
    const int sign = side == SIDE_MORE ? 1 : -1;
    const struct shared_plateau *shared = plateaus_before(&checking->shared, should);
    if (shared && shared->after != now)
        shared = NULL;
    enum health health;
    if (shared) {
        const enum health time = judge_ratio(&shared->time, sign, checking->tolerance);
        health =
            shared->has_cycles ? judge_ratio(&shared->cycles, sign, checking->tolerance) : time;
        health = time < health ? time : health;
    } else {
        health = judge_both(checking, should, now, sign);
    }
    const struct bounds bounds = bounds_of(should, now, sign, checking->tolerance);
    /* A value that is within the bound of the baseline's interval is not worse, whatever the common
     * sizes say. */
    if (health == WORSE && shared && sign * (bounds.far - bounds.bound) <= 0)
        health = HEALTHY;
    if (health == WORSE && ((shared && level_is_doubtful(shared, sign > 0)) ||
                            plateaus_differ(&checking->shared, should, now) ||
                            alike_is_of_others(&checking->alike, should, 1) ||
                            (!shared && alike_is_doubtful(&checking->alike, should))))
        health = DOUBTFUL;
    checking->check->compared++;
    add_value(checking, &checking->check->values[health],
              (struct health_value){
                  .health = health,
                  .now = now,
                  .should = should,
                  .more_is_worse = sign > 0,
                  .bound = bounds.bound,
              });
}

/* --- what can't be compared --- */

static void add_gap(struct checking *checking, const char *probe, const char *reason, bool listed)
{
    struct health_check *check = checking->check;
    check->not_compared++;
    const size_t first = check->gap_count > GAPS_ALIKE ? check->gap_count - GAPS_ALIKE : 0;
    for (size_t i = first; i < check->gap_count; i++)
        if (strcmp(check->gaps[i].probe, probe) == 0 &&
            strcmp(check->gaps[i].reason, reason) == 0) {
            check->gaps[i].count++;
            return;
        }
    struct health_gap *gap =
        pool_append(&check->pool, (void **)&check->gaps, &check->gap_count, sizeof *gap);
    *gap = (struct health_gap){probe, reason, 1, listed};
}

/* Whether the word is the option: in full, abbreviated as long as it is unambiguous, or by its
 * letter. */
static bool is_option(const char *word, const char *option)
{
    enum { LEAST = 4 };
    const size_t length = strlen(word);
    return (length >= LEAST && strncmp(word, option, length) == 0) ||
           (word[0] == '-' && word[1] == option[2]);
}

/* Whether the quick set was measured: by `check` itself, or because of --quick. */
static bool was_quick(const struct run_facts *run)
{
    bool quick = run->command_count > 1 && strcmp(run->command[1], "check") == 0;
    for (size_t i = 2; i < run->command_count; i++) {
        if (is_option(run->command[i], "--thorough"))
            return false;
        quick = quick || is_option(run->command[i], "--quick");
    }
    return quick;
}

static int by_experiment(const void *a, const void *b)
{
    const struct finding *const *left = a, *const *right = b;
    return experiment_order(*left, *right);
}

/* Whether a series of the present run measured the finding's experiment: no text factor that both
 * have differs. The memory's node and the kind of core are no factors of a series. */
static bool is_measured(const struct series *series, const struct finding *should)
{
    static const char *const obtained[] = {"pages", "node", "core"};
    for (size_t i = 0; i < should->factor_count; i++) {
        const struct factor *factor = &should->factors[i];
        const struct factor *same = series_factor(series, factor->name);
        bool counts = same && same->text && factor->text;
        for (size_t o = 0; o < sizeof obtained / sizeof *obtained; o++)
            counts = counts && strcmp(factor->name, obtained[o]) != 0;
        if (counts && strcmp(same->text, factor->text) != 0)
            return false;
    }
    return true;
}

/* A missing value is uncertain if its series was measured as for the baseline, so that it should
 * have been found; otherwise it is a gap. */
static void note_missing(struct checking *checking, const struct probe_result *probe,
                         const struct probe_result *now, const struct finding *should)
{
    struct pool *pool = &checking->check->pool;
    bool measured = now->series_count == 0;
    for (size_t i = 0; i < now->series_count && i < SERIES_MOST && !measured; i++)
        measured = is_measured(&now->series[i], should);
    /* If any finding now has the same experiment, this one should have been found too. */
    if (checking->count && !bsearch(&should, checking->by_experiment, checking->count,
                                    sizeof *checking->by_experiment, by_experiment)) {
        const bool standard = experiment_is_standard(should);
        const char *text = experiment_text(standard ? checking->by_experiment[0] : should, pool);
        add_gap(checking, probe->name,
                pool_printf(pool, "of another experiment (%s, %s)",
                            standard ? "now" : "the baseline", text),
                false);
    } else if (!measured) {
        add_gap(checking, probe->name,
                was_quick(&checking->now->run) ? "measured in part (quick)"
                                               : "measured in part (not asked for)",
                false);
    } else {
        add_gap(checking, probe->name, "measured, but this was not found", true);
        add_value(checking, &checking->check->values[DOUBTFUL],
                  (struct health_value){.health = DOUBTFUL, .should = should, .bound = NAN});
    }
}

/* --- probe by probe --- */

static void check_finding(struct checking *checking, const struct probe_result *probe,
                          const struct probe_result *now, const struct finding *should,
                          const struct finding *found)
{
    const struct finding_meaning meaning = finding_meaning(should);
    struct pool *pool = &checking->check->pool;
    if (!isfinite(should->value) || finding_lookup_is_twin(&checking->of_base, should))
        return;
    const struct shared_plateau *shared = plateaus_before(&checking->shared, should);
    if (found && !isfinite(found->value))
        found = NULL;
    if (!found && shared) /* the level has another name now */
        found = shared->after;
    if (!meaning.quantity)
        add_gap(checking, probe->name, "in units that fathom does not know", false);
    else if (meaning.role == ROLE_CONDITION && found &&
             quantity_comparable(should->unit, found->unit)) {
        /* A condition that differs in either direction is reported and never judged. */
        if (judge(should, found, -1, checking->tolerance) != HEALTHY ||
            judge(should, found, 1, checking->tolerance) != HEALTHY)
            add_value(checking, &checking->check->conditions,
                      (struct health_value){.now = found, .should = should, .bound = NAN});
    } else if (meaning.side == SIDE_NEITHER)
        return;
    else if (!found)
        note_missing(checking, probe, now, should);
    else if (!quantity_comparable(should->unit, found->unit))
        add_gap(checking, probe->name,
                pool_printf(pool, "in other units (%s, now %s)", should->unit,
                            found->unit && *found->unit ? found->unit : "none"),
                false);
    else
        compare(checking, should, found, meaning.side);
}

/* Counts each finding that would have been judged as a gap, because the probe has no result now. */
static void skip_probe(struct checking *checking, const struct probe_result *probe,
                       const char *reason, bool listed)
{
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *should = &probe->findings[i];
        const struct finding_meaning meaning = finding_meaning(should);
        if (isfinite(should->value) && (!meaning.quantity || meaning.side != SIDE_NEITHER) &&
            !finding_lookup_is_twin(&checking->of_base, should))
            add_gap(checking, probe->name, reason, listed);
    }
}

static void check_probe(struct checking *checking, const struct probe_result *probe,
                        const struct probe_result *now)
{
    struct pool *pool = &checking->check->pool;
    struct finding_pairs pairs;
    if (!now) {
        skip_probe(checking, probe,
                   !checking->now->run.complete     ? "not measured (the run did not end)"
                   : was_quick(&checking->now->run) ? "not measured (quick)"
                                                    : "not measured (not asked for)",
                   false);
    } else if (now->status == PROBE_SKIPPED) {
        const bool why = now->reason && *now->reason;
        skip_probe(checking, probe,
                   pool_printf(pool, "skipped: %s", why ? now->reason : "no reason is given"),
                   false);
    } else if (now->status == PROBE_FAILED) {
        const size_t before = checking->check->not_compared;
        skip_probe(checking, probe, "not measured: it failed", true);
        if (checking->check->not_compared > before)
            add_value(checking, &checking->check->values[DOUBTFUL],
                      (struct health_value){.health = DOUBTFUL, .failed = now, .bound = NAN});
    } else {
        finding_pairs_find(&pairs, pool, probe, now);
        checking->shared = (struct shared_plateaus){0};
        /* The intervals of a baseline of several runs contain the spread between runs, which one
         * curve lacks. */
        if (!checking->base->run.joined)
            plateaus_shared(&checking->shared, pool, probe, now, checking->tolerance);
        checking->count = 0;
        checking->by_experiment =
            pool_alloc(pool, now->finding_count + 1, sizeof *checking->by_experiment);
        /* Conditions belong to no series and so to no experiment. */
        for (size_t f = 0; f < now->finding_count; f++)
            if (finding_meaning(&now->findings[f]).role != ROLE_CONDITION)
                checking->by_experiment[checking->count++] = &now->findings[f];
        qsort(checking->by_experiment, checking->count, sizeof *checking->by_experiment,
              by_experiment);
        for (size_t f = 0; f < probe->finding_count; f++)
            check_finding(checking, probe, now, &probe->findings[f], pairs.of_a[f]);
    }
}

enum { NAMES_BYTES = 160 }; /* twice this fits into an error's text */

/* "latency, cores", with "..." for names that do not fit */
static const char *probe_names(struct pool *pool, const struct document *document)
{
    const char *names = "";
    size_t p = 0;
    for (; p < document->probe_count && strlen(names) < NAMES_BYTES; p++)
        names = pool_printf(pool, "%s%s%s", names, p ? ", " : "", document->probes[p].name);
    if (p < document->probe_count)
        names = pool_printf(pool, "%s, ...", names);
    return *names ? names : "none";
}

static int check_all(void *with)
{
    struct checking *checking = with;
    struct health_check *check = checking->check;
    const struct document *base = checking->base, *now = checking->now;
    const struct machine_facts *should = &base->machine, *is = &now->machine;
    bool shared = false;
    if (should->cpu_model && is->cpu_model && strcmp(should->cpu_model, is->cpu_model) != 0)
        pool_leave(&check->pool, ERROR_USAGE,
                   "the baseline is of another processor (%s; here %s): make one of machines like "
                   "this",
                   should->cpu_model, is->cpu_model);
    const int device = device_of_another_kind(should, is);
    if (device >= 0)
        pool_leave(&check->pool, ERROR_USAGE,
                   "the baseline is of another gpu%d (%s; here %s): make one of machines like this",
                   device, device_facts(should, device)->name, device_facts(is, device)->name);
    finding_lookup_build(&checking->of_base, &check->pool, base, NULL);
    finding_lookup_build(&checking->of_now, &check->pool, now, NULL);
    for (size_t p = 0; p < base->probe_count; p++) {
        const struct probe_result *found = document_probe_near(now, base->probes[p].name, p);
        shared = shared || found;
        check_probe(checking, &base->probes[p], found);
    }
    if (!shared && base->probe_count)
        pool_leave(&check->pool, ERROR_USAGE,
                   "the document checked (%s) has no probe in common with the baseline (%s): check "
                   "a run of one of those",
                   probe_names(&check->pool, now), probe_names(&check->pool, base));
    if (!(check->compared + check->not_compared))
        pool_leave(&check->pool, ERROR_USAGE,
                   "the baseline has no value that could be checked: make one with 'fathom "
                   "baseline' from complete runs");
    check->health = check->values[WORSE].count                          ? WORSE
                    : check->values[DOUBTFUL].count || !check->compared ? DOUBTFUL
                                                                        : HEALTHY;
    return 0;
}

int health_check(struct health_check *check, const struct document *base,
                 const struct document *now, double tolerance, struct error *error)
{
    struct checking checking = {.check = check,
                                .base = base,
                                .now = now,
                                .alike = alike_of(base, now),
                                .tolerance = tolerance};
    *check = (struct health_check){.now = now};
    verdict_of(&check->verdict, now);
    return pool_enter(&check->pool, check_all, &checking, error);
}

void health_check_free(struct health_check *check)
{
    pool_free(&check->pool);
    *check = (struct health_check){0};
}
