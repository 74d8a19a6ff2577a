#include "compare/health.h"

#include "conclude/registry/device.h"
#include "stats/student.h"

#include <math.h>
#include <string.h>

const char *const health_names[HEALTHS] = {"ok", "uncertain", "fail"};

struct checking {
    struct health_check *check;
    const struct document *base, *now;
    double tolerance;
    bool *compared; /* for each probe of the base: whether a main figure of it was compared, of any
                       experiment */
};

/* Limits for foreign documents, so that the time stays proportional to their size: a gap is joined
 * only with one of the last 16, and only the first 256 series are searched. */
enum { GAPS_ALIKE = 16, SERIES_MOST = 256 };

static void add_value(struct checking *checking, struct health_values *values,
                      struct health_value value)
{
    struct health_value *slot =
        pool_append(&checking->check->pool, (void **)&values->list, &values->count, sizeof *slot);
    *slot = value;
}

/* --- what was compared --- */

/* A headline figure is doubtful if its interval is wider than twice the tolerance, or reaches that
 * far on the worse side; any other figure, if its value lies that far on the worse side. */
static bool is_doubtful(const struct difference *difference)
{
    const struct comparison *compared = &difference->compared;
    const double away = log(compared->ratio), most = 2 * log1p(compared->tolerance);
    if (difference->headline)
        return !(compared->resolution <= 2 * compared->tolerance &&
                 comparison_worst(compared, difference->worse) <= most);
    return (difference->worse == SIDE_MORE && away > most) ||
           (difference->worse == SIDE_LESS && -away > most);
}

/* Whether it is the same by the wider interval that several looks need: each look may say so, and
 * the interval has to hold for all of them together (Bonferroni's inequality). */
static bool is_same(const struct checking *checking, const struct comparison *compared)
{
    const unsigned looks = checking->check->looks;
    if (compared->answer != SAME || isnan(compared->resolution) || looks == 1)
        return compared->answer == SAME;
    const double wider =
        student_reach_of(compared->freedom, 0.05 / looks) / student_reach(compared->freedom);
    const double away = log(compared->ratio), most = log1p(compared->tolerance);
    return away + wider * (log(compared->low) - away) >= -most &&
           away + wider * (log(compared->high) - away) <= most;
}

static void take(struct checking *checking, const struct difference *difference)
{
    if (difference->weight != WEIGHT_OTHER)
        checking->compared[difference->probe - checking->base->probes] = true;
    struct health_check *check = checking->check;
    const struct comparison *compared = &difference->compared;
    if (compared->answer == CONDITION && !comparison_is_beyond(compared))
        return;
    struct health_values *values = compared->answer == CONDITION ? &check->conditions
                                   : compared->answer == CHANGED && compared->side == SIDE_MORE
                                       ? &check->values[WORSE]
                                   : compared->answer == CHANGED ? &check->otherwise
                                   : is_same(checking, compared) ? &check->values[HEALTHY]
                                   : is_doubtful(difference)     ? &check->values[DOUBTFUL]
                                                                 : &check->untold;
    add_value(
        checking, values,
        (struct health_value){difference, difference->finding, NULL, difference->probe->name});
}

/* --- what was not --- */

static void add_gap(struct checking *checking, const char *probe, const char *reason)
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
    *gap = (struct health_gap){probe, reason, 1};
}

/* Whether a series of the probe measured the finding's experiment: no text factor that both have
 * differs. The memory's node and the kind of core are no factors of a series. */
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

static const char *gap_reason(struct checking *checking, const struct lonely *lonely)
{
    const struct probe_result *other = lonely->other;
    const bool quick = run_was_quick(&checking->now->run);
    if (!other)
        return !checking->now->run.complete ? "not measured (the run did not end)"
               : quick                      ? "not measured (quick)"
                                            : "not measured (not asked for)";
    if (other->status == PROBE_FAILED)
        return "not measured: it failed";
    if (other->status == PROBE_SKIPPED)
        return pool_printf(&checking->check->pool, "skipped: %s",
                           other->reason && *other->reason ? other->reason : "no reason is given");
    if (lonely->found)
        return "in a unit, or with a value, that has no ratio";
    bool measured = other->series_count == 0;
    for (size_t i = 0; i < other->series_count && i < SERIES_MOST && !measured; i++)
        measured = is_measured(&other->series[i], lonely->finding);
    return measured ? "measured, but this was not found"
           : quick  ? "measured in part (quick)"
                    : "measured in part (not asked for)";
}

/* The quick set leaves figures out on purpose: these are only counted as not compared. */
static void take_lonely(struct checking *checking, const struct lonely *lonely,
                        const struct probe_result **failed)
{
    const char *reason = gap_reason(checking, lonely);
    const enum figure_weight most = checking->check->differences.most;
    const bool has_failed = lonely->other && lonely->other->status == PROBE_FAILED;
    const bool left_out = strstr(reason, "(quick)") != NULL;
    const bool lacks = !checking->compared[lonely->probe - checking->base->probes];
    const bool headline = lonely->weight == most && (most != WEIGHT_OTHER || !lonely->found);
    const bool wanted = headline || (lacks && lonely->weight != WEIGHT_OTHER);
    add_gap(checking, lonely->probe->name, reason);
    if (has_failed ? *failed != lonely->other : wanted && !left_out)
        add_value(checking, &checking->check->values[DOUBTFUL],
                  (struct health_value){.should = lonely->finding,
                                        .failed = has_failed ? lonely->other : NULL,
                                        .probe = lonely->probe->name});
    if (has_failed)
        *failed = lonely->other;
}

/* --- all of it --- */

static void refuse_strangers(struct checking *checking)
{
    const struct machine_facts *should = &checking->base->machine, *is = &checking->now->machine;
    struct pool *pool = &checking->check->pool;
    if (should->cpu_model && is->cpu_model && strcmp(should->cpu_model, is->cpu_model) != 0)
        pool_leave(pool, ERROR_USAGE,
                   "the baseline is of another processor (%s; here %s): make one of machines like "
                   "this",
                   should->cpu_model, is->cpu_model);
    const int device = device_of_another_kind(should, is);
    if (device >= 0)
        pool_leave(pool, ERROR_USAGE,
                   "the baseline is of another gpu%d (%s; here %s): make one of machines like this",
                   device, device_facts(should, device)->name, device_facts(is, device)->name);
}

static const char *probe_names(struct pool *pool, const struct document *document)
{
    enum { NAMES_BYTES = 160 }; /* twice this fits into an error's text */
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
    const struct differences *differences = &check->differences;
    const struct probe_result *failed = NULL;
    refuse_strangers(checking);
    const struct document *base = checking->base, *now = checking->now;
    bool shared = !base->probe_count;
    for (size_t p = 0; p < base->probe_count && !shared; p++)
        shared = document_probe_near(now, base->probes[p].name, p) != NULL;
    if (!shared)
        pool_leave(&check->pool, ERROR_USAGE,
                   "the document checked (%s) has no probe in common with the baseline (%s): check "
                   "a run of one of those",
                   probe_names(&check->pool, now), probe_names(&check->pool, base));
    pool_check(&check->pool, differences_find(&check->differences, base, now, checking->tolerance,
                                              pool_error(&check->pool)));
    checking->compared = pool_alloc(&check->pool, base->probe_count, sizeof(bool));
    for (size_t i = 0; i < differences->count; i++)
        take(checking, &differences->list[i]);
    for (size_t i = 0; i < differences->lonely_count; i++)
        take_lonely(checking, &differences->lonely[i], &failed);
    const bool worse = check->values[WORSE].count || facts_have(&differences->facts, SIDE_MORE);
    check->health = worse                                                            ? WORSE
                    : check->values[DOUBTFUL].count || !check->values[HEALTHY].count ? DOUBTFUL
                                                                                     : HEALTHY;
    return 0;
}

int health_check(struct health_check *check, const struct document *base,
                 const struct document *now, double tolerance, unsigned looks, struct error *error)
{
    struct checking checking = {check, base, now, tolerance, NULL};
    *check = (struct health_check){.now = now, .looks = looks};
    verdict_of(&check->verdict, now);
    return pool_enter(&check->pool, check_all, &checking, error);
}

void health_check_free(struct health_check *check)
{
    differences_free(&check->differences);
    pool_free(&check->pool);
    *check = (struct health_check){.now = NULL};
}

/* Whether the runs of all looks together could tell, if they scattered as the runs so far. */
static bool can_be_told(const struct health_check *check, const struct difference *difference)
{
    const struct comparison *compared = &difference->compared;
    const struct finding *base = difference->finding;
    const double runs = base && base->run_count ? (double)base->run_count : 1;
    /* this run has no interval, no votes, or an unknown placement */
    if (isnan(compared->resolution))
        return !base || isfinite(base->low + base->high);
    const double error = compared->scatter * sqrt(1 / runs + 1.0 / check->looks);
    return student_reach_of(compared->freedom, 0.05 / check->looks) * error <=
           log1p(compared->tolerance);
}

bool health_is_open(const struct health_check *check, const char *probe)
{
    const struct health_values *const all[] = {&check->values[WORSE], &check->values[DOUBTFUL],
                                               &check->untold};
    for (size_t v = 0; v < sizeof all / sizeof *all; v++)
        for (size_t i = 0; i < all[v]->count; i++) {
            const struct health_value *value = &all[v]->list[i];
            if (strcmp(value->probe, probe) == 0 &&
                (all[v] != &check->untold || can_be_told(check, value->difference)))
                return !facts_have(&check->differences.facts, SIDE_MORE);
        }
    return false;
}
