#include "measure/engine/visits.h"

#include <math.h>

enum { ATTEMPTS = 2, STARVED_VISITS_MAX = 2, LOST_VISITS_MAX = 2 };
/* Summing up hundreds of trials takes longer than another trial, so it is done at every 16th
 * trial. */
enum { SWEEPS_A_LOOK = 16 };
static const uint64_t reference_salt = 0x7265666572656e63;

static size_t point_of(const struct stage *stage, const struct visit *visit)
{
    return (size_t)(visit->trials[0].point - stage->plan->points);
}

/* Makes the visit's i-th trial the point's trial `number`. */
static void set_trial(struct stage *stage, struct visit *visit, unsigned i, size_t point,
                      unsigned number, struct random *random)
{
    const size_t index = (size_t)(visit - stage->visits);
    const size_t each = plan_visit_trials(stage->plan);
    visit->trials[i] = (struct trial){
        .plan = stage->plan,
        .point = &stage->plan->points[point],
        .arena = &stage->arena,
        .seed = random_next(random),
        .number = number,
        .operations = 1,
        .workers = stage->workers + (index * each + i) * stage->seats_max,
        .probe_state = stage->work.state,
    };
}

static void set_trials(struct stage *stage, struct visit *visit, size_t point, unsigned first,
                       unsigned count, struct random *random)
{
    visit->trial_count = count;
    for (unsigned i = 0; i < count; i++)
        set_trial(stage, visit, i, point, first + i, random);
}

/* Trials [first, end) of the visit. */
static void observe(struct stage *stage, const struct visit *visit, unsigned first, unsigned end,
                    bool reference)
{
    const unsigned each = stage->plan->batches;
    if (!stage->work.observe)
        return;
    const double at_s = stage_elapsed_s(stage);
    for (unsigned i = first; i < end && i * each < visit->batch_count; i++) {
        unsigned left = visit->batch_count - i * each;
        struct observation observation = {.trial = &visit->trials[i],
                                          .batches = visit->batches + i * each,
                                          .batch_count = left < each ? left : each,
                                          .shares =
                                              visit->shares ? visit_shares(visit, i * each) : NULL,
                                          .repeats = visit->repeats,
                                          .at_s = at_s,
                                          .reference = reference};
        stage->work.observe(stage->work.observer, &observation);
    }
}

/* The record had `before` trials and has more now. */
static void note_kept(struct stage *stage, struct record *record, unsigned before)
{
    forecast_add(&stage->forecast, before, record->trials);
    record->failed = NULL;
    record->lost_visits = 0;
    if (stage->arena.memory)
        record->flags |= arena_flags(&stage->arena);
    record->flags |= stage->executor.flags;
}

static void note_clock(struct stage *stage, const struct visit *visit)
{
    for (unsigned i = 0; stage->executor.kind->burst_hz && i < visit->batch_count; i++)
        if (!isnan(visit->batches[i].core_hz))
            reservoir_add(&stage->core_hz, visit->batches[i].core_hz);
}

static void finish(struct stage *stage, size_t point)
{
    forecast_leave(&stage->forecast, point_table_trials(&stage->table, point));
    point_table_finish(&stage->table, point);
}

static const char *reason_of(struct stage *stage, const struct visit *visit)
{
    const char *reason = pool_strdup(stage->pool, visit->failure.text);
    return reason ? reason : "one of its CPUs is gone";
}

/* The point has no value: earlier trials are dropped, because the point can't be measured as it
 * was asked for. */
static void fail(struct stage *stage, const struct visit *visit)
{
    struct record *record = point_table_record(&stage->table, point_of(stage, visit));
    forecast_leave(&stage->forecast, record->trials);
    record_clear(record);
    record->failed = reason_of(stage, visit);
    point_table_finish(&stage->table, point_of(stage, visit));
}

/* A CPU that is gone may be back for the next round, so a point fails only after two lost visits
 * in a row. */
static void lose(struct stage *stage, const struct visit *visit)
{
    struct record *record = point_table_record(&stage->table, point_of(stage, visit));
    if (++record->lost_visits >= LOST_VISITS_MAX)
        fail(stage, visit);
    else if (!record->trials)
        record->failed = reason_of(stage, visit);
}

static void starve(struct stage *stage, const struct visit *visit)
{
    struct record *record = point_table_record(&stage->table, point_of(stage, visit));
    if (!record->trials)
        record->failed = "its workers got no time to run together";
    if (++record->starved_visits >= STARVED_VISITS_MAX && !stage->plan->patient)
        finish(stage, point_of(stage, visit));
}

/* Handles the visit's result. 1: the visit has to be repeated at once. */
static int settle(struct stage *stage, const struct visit *visit, bool last, struct error *error)
{
    const bool stolen = visit->stolen_ns > 0 && !(stage->plan->meant & MEANT_STEAL);
    switch (visit->end) {
    case VISIT_RECALLED:
        return 0;
    case VISIT_STARVED:
        starve(stage, visit);
        return 0;
    case VISIT_DISPLACED:
        if (!last)
            return 1;
        lose(stage, visit);
        return 0;
    case VISIT_UNSEATED:
        lose(stage, visit);
        return 0;
    case VISIT_FAILED:
        fail(stage, visit);
        return 0;
    case VISIT_DONE:
        break;
    }
    if (stolen && !last) {
        point_table_record(&stage->table, point_of(stage, visit))->redone += visit->batch_count;
        return 1;
    }
    struct record *record = point_table_record(&stage->table, point_of(stage, visit));
    const unsigned before = record->trials;
    int code = record_add(record, visit, stage->drift, stage->table.scratch, error);
    if (code < 0)
        return code;
    if (record->trials == before) /* all were interrupted */
        starve(stage, visit);
    record->stolen_trials += stolen ? record->trials - before : 0;
    note_kept(stage, record, before);
    note_clock(stage, visit);
    observe(stage, visit, 0, visit->trial_count, false);
    return 0;
}

/* Runs the first `count` of `together`. */
static int run_visits(struct stage *stage, size_t count, struct error *error)
{
    int code = visit_run(stage->together, count, error);
    for (size_t i = 0; i < count; i++)
        stage->outcome.stolen_s += (double)stage->together[i]->stolen_ns * 1e-9;
    return code;
}

/* Visits the group's open points; then once more the points from which a hypervisor took CPU time
 * meanwhile, or with threads that ran on another CPU. */
static int visit_together(struct stage *stage, struct visit_group group, struct error *error)
{
    const struct plan *plan = stage->plan;
    size_t count = 0;
    for (size_t point = group.first; point < group.first + group.count; point++) {
        if (point_table_is_done(&stage->table, point))
            continue;
        const struct record *record = point_table_record(&stage->table, point);
        if (!record)
            return error_out_of_memory(error);
        struct visit *visit = &stage->visits[count];
        unsigned left = plan->trials_max - record->trials;
        set_trials(stage, visit, point, record->trials,
                   left < plan->trials_per_visit ? left : plan->trials_per_visit, &stage->random);
        visit->repeats = plan->repeats ? plan->repeats : record->repeats;
        stage->together[count++] = visit;
    }
    for (int attempt = 1; count; attempt++) {
        int code = run_visits(stage, count, error);
        if (code < 0)
            return code;
        const bool last = attempt == ATTEMPTS || stage_out_of_time(stage);
        size_t again = 0;
        for (size_t i = 0; i < count; i++) {
            code = settle(stage, stage->together[i], last, error);
            if (code < 0)
                return code;
            if (code)
                stage->together[again++] = stage->together[i];
        }
        count = again;
    }
    return 0;
}

/* The width of the point's interval, INFINITY before trials_min; negative: it is done. */
static double open_width(struct stage *stage, size_t point)
{
    const struct plan *plan = stage->plan;
    if (point_table_is_done(&stage->table, point))
        return -1;
    const struct record *record = point_table_record(&stage->table, point);
    if (record->trials < plan->trials_min)
        return INFINITY;
    /* What is spread over the run is not done after the first trials that agree. */
    if (stage->looks && !stage->round && record->trials < plan->trials_max)
        return INFINITY;
    if (plan->sweep && record->trials < plan->trials_max && record->trials % SWEEPS_A_LOOK)
        return INFINITY;
    const double width = record_width(record, plan, stage->table.scratch);
    if (record->trials < plan->trials_max &&
        (!(width <= plan->precision) || record_lacks_core(record)))
        return width;
    finish(stage, point);
    return -1;
}

int visit_points(struct stage *stage, struct visit_group group, double *width, struct error *error)
{
    int code = visit_together(stage, group, error);
    *width = -1;
    for (size_t i = 0; i < group.count && code == 0; i++)
        *width = fmax(*width, open_width(stage, group.first + i));
    return code < 0 ? code : *width >= 0;
}

/* --- sweeps --- */

/* Keeps the trials that were not dropped, at most trials_max for each point. */
static int keep_swept(struct stage *stage, struct visit *visit, struct error *error)
{
    const unsigned each = stage->plan->batches;
    for (unsigned i = 0; (i + 1) * each <= visit->batch_count; i++) {
        struct record *record = point_table_record(
            &stage->table, (size_t)(visit->trials[i].point - stage->plan->points));
        const unsigned before = record->trials;
        bool dropped = record->trials >= stage->plan->trials_max;
        for (unsigned batch = 0; batch < each; batch++)
            dropped = dropped || isnan(visit->batches[i * each + batch].ns);
        if (dropped) {
            record->redone += each;
            continue;
        }
        visit->trials[i].number = before;
        int code = record_add_trial(record, visit, i, stage->drift, stage->table.scratch, error);
        if (code < 0)
            return code;
        note_kept(stage, record, before);
        observe(stage, visit, i, i + 1, false);
    }
    note_clock(stage, visit);
    return 0;
}

/* A failed visit counts for each of its points, as if each had been visited alone. */
static void settle_each(struct stage *stage, struct visit *visit, unsigned count,
                        void (*what)(struct stage *, const struct visit *))
{
    const struct trial first = visit->trials[0];
    for (unsigned i = 0; i < count; i++) {
        visit->trials[0].point = i ? visit->trials[i].point : first.point;
        what(stage, visit);
    }
    visit->trials[0] = first;
}

int visit_sweep(struct stage *stage, const size_t *points, unsigned count, double *widths,
                struct error *error)
{
    struct visit *visit = &stage->visits[0];
    stage->together[0] = visit;
    visit->repeats = stage->plan->repeats;
    for (unsigned i = 0; i < count; i++)
        if (!point_table_record(&stage->table, points[i]))
            return error_out_of_memory(error);
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        visit->trial_count = count;
        for (unsigned i = 0; i < count; i++)
            set_trial(stage, visit, i, points[i], 0, &stage->random);
        int code = run_visits(stage, 1, error);
        if (code < 0)
            return code;
        if (visit->end != VISIT_DISPLACED)
            break;
    }
    int code = visit->end == VISIT_DONE ? keep_swept(stage, visit, error) : 0;
    if (visit->end == VISIT_STARVED)
        settle_each(stage, visit, count, starve);
    if (visit->end == VISIT_DISPLACED || visit->end == VISIT_UNSEATED)
        settle_each(stage, visit, count, lose);
    if (visit->end == VISIT_FAILED)
        settle_each(stage, visit, count, fail);
    for (unsigned i = 0; i < count && code == 0; i++)
        widths[i] = open_width(stage, points[i]);
    return code;
}

/* --- the reference --- */

/* Every visit to the reference has the same trials with the same seeds, because lines differ by
 * more than a machine drifts. */
int visit_reference(struct stage *stage, struct error *error)
{
    const struct plan *plan = stage->plan;
    if (!(plan->reference_every_s > 0) || stage_elapsed_s(stage) < stage->reference_due_s)
        return 0;
    struct visit *visit = &stage->visits[0];
    struct record *record = &stage->reference;
    struct random random = {stage->seed ^ reference_salt};
    unsigned count =
        plan->trials_max < plan->trials_per_visit ? plan->trials_max : plan->trials_per_visit;
    set_trials(stage, visit, 0, 0, count, &random);
    visit->repeats = plan->repeats ? plan->repeats : record->repeats;
    stage->together[0] = visit;
    int code = run_visits(stage, 1, error);
    stage->reference_due_s = stage_elapsed_s(stage) + plan->reference_every_s;
    /* A spoiled visit is dropped; the next one comes when it is due. */
    if (code < 0 || visit->end != VISIT_DONE || visit->stolen_ns ||
        visit->batch_count < count * plan->batches || record_is_spoiled(visit))
        return code;
    record_clear(record);
    code = record_add(record, visit, (struct drift){1, 1}, stage->table.scratch, error);
    if (code < 0)
        return code;
    struct stage_outcome *outcome = &stage->outcome;
    struct drift now = record_medians(&stage->reference, stage->table.scratch);
    if (outcome->reference_visits++ == 0)
        stage->at_first = now;
    struct drift drift = {now.value / stage->at_first.value, now.cycles / stage->at_first.cycles};
    if (outcome->reference_visits == 1 || drift.value < outcome->drift_least)
        outcome->drift_least = drift.value;
    if (outcome->reference_visits == 1 || drift.value > outcome->drift_most)
        outcome->drift_most = drift.value;
    if (stage->plan->correct_drift)
        stage->drift = drift;
    observe(stage, visit, 0, visit->trial_count, true);
    return 0;
}
