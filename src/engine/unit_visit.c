#include "engine/sampling.h"

#include "engine/device.h"
#include "result/flag.h"

enum { ATTEMPTS = 2, STARVED_VISITS_MAX = 2 };
static const uint64_t reference_salt = 0x7265666572656e63;

static size_t point_of(const struct sampling *sampling, const struct visit *visit)
{
    return (size_t)(visit->trials[0].point - sampling->plan->points);
}

static void set_trials(struct sampling *sampling, struct visit *visit, size_t point, unsigned first,
                       unsigned count, struct random *random)
{
    const size_t index = (size_t)(visit - sampling->visits);
    const size_t each = sampling->plan->trials_per_visit;
    visit->trial_count = count;
    for (unsigned i = 0; i < count; i++)
        visit->trials[i] = (struct trial){
            .plan = sampling->plan,
            .point = &sampling->plan->points[point],
            .arena = &sampling->arena,
            .seed = random_next(random),
            .number = first + i,
            .operations = 1,
            .workers = sampling->workers + (index * each + i) * sampling->seats_max,
            .probe_state = sampling->work->state,
        };
}

/* Taken from the visit's CPUs while it ran. */
static uint64_t taken_ns(const struct sampling *sampling, const struct visit *visit)
{
    const struct plan_point *point = visit->trials[0].point;
    uint64_t sum = 0;
    for (size_t i = 0; i < point->seat_count && sampling->stolen_after_ns; i++) {
        int cpu = plan_seat(point, i).cpu;
        /* A CPU that went offline meanwhile has none afterwards. */
        if (cpu >= 0 && sampling->stolen_after_ns[cpu] > sampling->stolen_before_ns[cpu])
            sum += sampling->stolen_after_ns[cpu] - sampling->stolen_before_ns[cpu];
    }
    return sum;
}

static void observe(struct sampling *sampling, const struct visit *visit, bool reference)
{
    const unsigned each = sampling->plan->batches;
    if (!sampling->work->observe)
        return;
    for (unsigned i = 0; i * each < visit->batch_count; i++) {
        unsigned left = visit->batch_count - i * each;
        struct observation observation = {.trial = &visit->trials[i],
                                          .batches = visit->batches + i * each,
                                          .batch_count = left < each ? left : each,
                                          .background = visit->background +
                                                        i * visit->trials[i].point->seat_count,
                                          .repeats = visit->repeats,
                                          .at_s = sampling_elapsed_s(sampling),
                                          .reference = reference};
        sampling->work->observe(sampling->work->observer, &observation);
    }
}

static int keep(struct sampling *sampling, const struct visit *visit, bool stolen,
                struct error *error)
{
    const struct plan *plan = sampling->plan;
    struct record *record = ledger_record(&sampling->ledger, point_of(sampling, visit));
    const unsigned before = record->trials;
    int code = record_add(record, visit, sampling->drift, sampling->ledger.scratch, error);
    if (code < 0)
        return code;
    forecast_add(&sampling->forecast, before, record->trials);
    record->failed = NULL;
    record->stolen_trials += stolen ? record->trials - before : 0;
    if (sampling->arena.memory)
        record->flags |= arena_flags(&sampling->arena);
    if (sampling->engine->model)
        record->flags |= FLAG_BIT(FLAG_MODELLED);
    if (plan->device)
        record->flags |= plan->device->flags;
    const bool of_cpus = !plan->kernel_timed && !plan->device;
    for (unsigned i = 0; i < visit->batch_count && of_cpus; i++)
        reservoir_add(&sampling->core_hz, visit->batches[i].core_hz);
    observe(sampling, visit, false);
    return 0;
}

static void finish(struct sampling *sampling, size_t point)
{
    forecast_leave(&sampling->forecast, ledger_trials(&sampling->ledger, point));
    ledger_finish(&sampling->ledger, point);
}

/* A point whose CPU is gone has no value, whatever it had before: it is not what was asked for. */
static void fail(struct sampling *sampling, const struct visit *visit)
{
    struct record *record = ledger_record(&sampling->ledger, point_of(sampling, visit));
    forecast_leave(&sampling->forecast, record->trials);
    record_clear(record);
    record->failed = pool_strdup(sampling->pool, visit->failure.text);
    if (!record->failed)
        record->failed = "one of its CPUs is gone";
    ledger_finish(&sampling->ledger, point_of(sampling, visit));
}

static void starve(struct sampling *sampling, const struct visit *visit)
{
    struct record *record = ledger_record(&sampling->ledger, point_of(sampling, visit));
    if (!record->trials)
        record->failed = "its workers got no time to run together";
    if (++record->starved_visits >= STARVED_VISITS_MAX)
        finish(sampling, point_of(sampling, visit));
}

/* What a visit came to. 1: it is to be made again at once. */
static int settle(struct sampling *sampling, const struct visit *visit, bool last,
                  struct error *error)
{
    const bool stolen = taken_ns(sampling, visit) > 0;
    switch (visit->end) {
    case VISIT_RECALLED:
        return 0;
    case VISIT_STARVED:
        starve(sampling, visit);
        return 0;
    case VISIT_DISPLACED:
        if (!last)
            return 1;
        fail(sampling, visit);
        return 0;
    case VISIT_FAILED:
        fail(sampling, visit);
        return 0;
    case VISIT_DONE:
        break;
    }
    if (stolen && !last) {
        ledger_record(&sampling->ledger, point_of(sampling, visit))->redone += visit->batch_count;
        return 1;
    }
    return keep(sampling, visit, stolen, error);
}

/* Runs the first `count` of `together`. */
static int run_visits(struct sampling *sampling, size_t count, struct error *error)
{
    const uint64_t modelled_ps = sampling->visits[0].modelled_ps;
    for (size_t i = 0; i < count; i++)
        sampling->together[i]->modelled_ps = modelled_ps;
    if (sampling->stolen_before_ns)
        os_stolen_ns(sampling->stolen_before_ns, sampling->cpu_ids);
    int code = visit_run(sampling->together, count, sampling->engine->team, error);
    sampling->visits[0].modelled_ps = sampling->together[0]->modelled_ps;
    if (sampling->stolen_after_ns)
        os_stolen_ns(sampling->stolen_after_ns, sampling->cpu_ids);
    for (size_t i = 0; i < count; i++)
        sampling->outcome->stolen_s += (double)taken_ns(sampling, sampling->together[i]) * 1e-9;
    return code;
}

/* The visits of the unit's open points; again those from which a hypervisor took a CPU meanwhile,
 * or which ran elsewhere. */
static int visit_together(struct sampling *sampling, struct unit unit, struct error *error)
{
    const struct plan *plan = sampling->plan;
    size_t count = 0;
    for (size_t point = unit.first; point < unit.first + unit.count; point++) {
        if (ledger_is_done(&sampling->ledger, point))
            continue;
        const struct record *record = ledger_record(&sampling->ledger, point);
        if (!record)
            return error_out_of_memory(error);
        struct visit *visit = &sampling->visits[count];
        unsigned left = plan->trials_max - record->trials;
        set_trials(sampling, visit, point, record->trials,
                   left < plan->trials_per_visit ? left : plan->trials_per_visit,
                   &sampling->random);
        visit->repeats = plan->repeats ? plan->repeats : record->repeats;
        sampling->together[count++] = visit;
    }
    for (int attempt = 1; count; attempt++) {
        int code = run_visits(sampling, count, error);
        if (code < 0)
            return code;
        const bool last = attempt == ATTEMPTS || sampling_out_of_time(sampling);
        size_t again = 0;
        for (size_t i = 0; i < count; i++) {
            code = settle(sampling, sampling->together[i], last, error);
            if (code < 0)
                return code;
            if (code)
                sampling->together[again++] = sampling->together[i];
        }
        count = again;
    }
    return 0;
}

/* Whether it stays open. */
static bool stays_open(struct sampling *sampling, size_t point)
{
    const struct plan *plan = sampling->plan;
    if (ledger_is_done(&sampling->ledger, point))
        return false;
    const struct record *record = ledger_record(&sampling->ledger, point);
    if (record->trials < plan->trials_max &&
        (record->trials < plan->trials_min ||
         !record_converged(record, plan, sampling->ledger.scratch)))
        return true;
    finish(sampling, point);
    return false;
}

int sampling_visit(struct sampling *sampling, struct unit unit, struct error *error)
{
    int code = visit_together(sampling, unit, error);
    if (code < 0)
        return code;
    for (size_t point = unit.first; point < unit.first + unit.count; point++)
        code |= stays_open(sampling, point);
    return code;
}

/* --- the reference --- */

static void note_drift(struct sampling *sampling)
{
    struct stage_outcome *outcome = sampling->outcome;
    struct drift now = record_medians(&sampling->reference, sampling->ledger.scratch);
    if (outcome->reference_visits++ == 0)
        sampling->at_first = now;
    struct drift drift = {now.value / sampling->at_first.value,
                          now.cycles / sampling->at_first.cycles};
    if (outcome->reference_visits == 1 || drift.value < outcome->drift_least)
        outcome->drift_least = drift.value;
    if (outcome->reference_visits == 1 || drift.value > outcome->drift_most)
        outcome->drift_most = drift.value;
    if (sampling->plan->correct_drift)
        sampling->drift = drift;
}

/* The same trials with the same seeds every time: lines differ by more than a machine drifts. */
int sampling_visit_reference(struct sampling *sampling, struct error *error)
{
    const struct plan *plan = sampling->plan;
    if (!(plan->reference_every_s > 0) || sampling_elapsed_s(sampling) < sampling->reference_due_s)
        return 0;
    struct visit *visit = &sampling->visits[0];
    struct record *record = &sampling->reference;
    struct random random = {sampling->engine->seed ^ reference_salt};
    unsigned count =
        plan->trials_max < plan->trials_per_visit ? plan->trials_max : plan->trials_per_visit;
    set_trials(sampling, visit, 0, 0, count, &random);
    visit->repeats = plan->repeats ? plan->repeats : record->repeats;
    sampling->together[0] = visit;
    int code = run_visits(sampling, 1, error);
    sampling->reference_due_s = sampling_elapsed_s(sampling) + plan->reference_every_s;
    /* One that was spoiled tells nothing; the next one will. */
    if (code < 0 || visit->end != VISIT_DONE || taken_ns(sampling, visit) ||
        visit->batch_count < count * plan->batches || record_is_spoiled(visit))
        return code;
    record_clear(record);
    code = record_add(record, visit, (struct drift){1, 1}, sampling->ledger.scratch, error);
    if (code < 0)
        return code;
    note_drift(sampling);
    observe(sampling, visit, true);
    return 0;
}
