#include "measure/run/placement.h"

#include "base/cpulist.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/handoff.h"
#include "measure/kernels/ring.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS = 3,
    SIZES = 5,
    LINES = 5,  /* of a hand-off */
    TRIALS = 3, /* of a chase */
    LINE = 64,
    PAGE = 4096,
    /* While the host moves CPUs, a look finds a value between two states, so only two equal
     * measurements in a row make a new state. */
    TRIES = 4,
};

/* A chase through a set that fits takes longer by at least this factor where it fits no more. */
static const double shared_slower = 1.5;
/* A set lies in the same cache as a much smaller one where its loads take at most this much longer.
 */
static const double same_cache = 1.6;
/* A look takes this share of the run at most, and that long at most; to name a new state, a few
 * times as long. Runs too short for that don't look. */
static const double look_share = 0.01, look_most_s = 0.1, naming_longer = 2, shortest_run_s = 1;

/* Small sets that every such cache holds, and three quarters of the sizes that such caches have. */
static const size_t first_sizes[SIZES] = {8 << 10, 24 << 10, 36 << 10, 48 << 10, 96 << 10},
                    second_sizes[SIZES] = {192 << 10, 384 << 10, 768 << 10, 1536 << 10, 3072 << 10};

struct pair {
    struct seat seats[2];  /* the second is the first one's partner */
    struct seat beside[2]; /* the second works in the background */
    char cpus[32];         /* "CPUs 0 and 1" */
};

struct looking {
    struct placement placement; /* first, so that look() finds the rest */
    const struct engine *engine;
    struct pool *pool;
    double budget_s, until_s; /* of a look, and when the one that is on ends */
    const struct handoff *handoff;
    unsigned line_bytes;
    struct pair pairs[PAIRS];
    size_t pair_count;
    double handoff_ns[PLACEMENT_STATES][PAIRS];
    double before_ns[PAIRS]; /* measured last, by this look or one before */
};

/* --- one measurement --- */

static void prepare_handoff(struct trial *trial)
{
    const struct looking *looking = trial->probe_state;
    const struct handoff *handoff = looking->handoff;
    unsigned char *line = trial->arena->memory + (size_t)trial->number * PAGE;
    const struct handoff_place place = {line, 1, looking->line_bytes};
    for (int side = 0; side < 2; side++) {
        trial->workers[side].run = handoff->run[side];
        trial->workers[side].state = line + PAGE / 2 * (side + 1) - HANDOFF_PAYLOAD_OFFSET;
    }
    handoff->set_up(trial->workers[0].state, trial->workers[1].state, &place);
    trial->operations = 2;
    trial->passes_on = true;
}

/* Each seat has a ring of its own. */
static void prepare_chases(struct trial *trial)
{
    const size_t bytes = trial->point->bytes;
    for (unsigned seat = 0; seat < trial->point->seat_count; seat++) {
        struct worker *worker = &trial->workers[seat];
        const struct ring ring = {.memory = trial->arena->memory + seat * bytes,
                                  .count = bytes / LINE,
                                  .stride = LINE,
                                  .seed = trial->seed + seat};
        ring_build(&ring);
        worker->run = chase_run;
        worker->state = worker->room;
        *(struct chase *)worker->state = (struct chase){ring.memory};
    }
    trial->operations = chase_steps;
    trial->warm_repeats = 2 * bytes / LINE / chase_steps + 1;
}

static double now_s(void)
{
    return (double)os_raw_ns() * 1e-9;
}

/* Measures the points, and gives each one's value in ns; NAN: none. */
static int measure(struct looking *looking, struct plan_point *points, size_t count, double *values,
                   struct error *error)
{
    struct pool pool = {0};
    struct series series = {.name = "placement"};
    const bool chases = points[0].bytes > 0;
    const unsigned trials = chases ? TRIALS : LINES;
    struct plan plan = {.series = &series,
                        .series_count = 1,
                        .points = points,
                        .point_count = count,
                        .pages = chases ? PAGES_AUTO : PAGES_SMALL,
                        .node = -1,
                        .touch_cpu = points[0].seats[0].cpu,
                        .arena_life = ARENA_WHOLE_STAGE,
                        .trials_min = trials,
                        .trials_max = trials,
                        .trials_per_visit = trials,
                        .batches = 5,
                        .batch_ns = chases ? 30e3 : 5e3,
                        .warm_repeats = 4,
                        .precision = INFINITY,
                        .unstable_above = INFINITY,
                        .share = 1,
                        .budget_s = looking->until_s - now_s()};
    /* It neither looks nor tells anything, and keeps no arenas. */
    struct engine own = *looking->engine;
    own.placement = NULL;
    own.progress.show = NULL;
    own.attic = (struct attic){0};
    own.looks = (struct looks){0};
    for (size_t i = 0; i < count; i++) {
        points[i].x = (double)i;
        points[i].arena_bytes = chases ? points[i].seat_count * points[i].bytes : LINES * PAGE;
        values[i] = NAN;
    }
    struct stage_outcome outcome;
    const struct trial_work work = {.prepare = chases ? prepare_chases : prepare_handoff,
                                    .state = looking};
    const int code = stage_run(&own, &plan, &work, &pool, &outcome, error);
    for (size_t i = 0; i < series.point_count; i++)
        if (series.points[i].y.n)
            values[(size_t)series.points[i].x] = (double)series.points[i].y.median;
    pool_free(&pool);
    return code == ERROR_INTERRUPTED || code == ERROR_SYSTEM ? code : 0;
}

enum sharing { UNSEEN, APART, SHARED };

/* Whether a set that lies in a cache when it is alone does not fit beside another one. The largest
 * such set decides, because two smaller sets may fit into one cache, and with a smaller one a
 * single interrupted trial could decide. */
static int measure_sharing(struct looking *looking, const struct pair *pair, const size_t *sizes,
                           enum sharing *found, struct error *error)
{
    looking->until_s = now_s() + naming_longer * looking->budget_s;
    struct plan_point points[2 * SIZES - 1];
    double values[2 * SIZES - 1];
    for (unsigned i = 0; i < 2 * SIZES - 1; i++)
        points[i] = (struct plan_point){
            .seats = pair->beside, .seat_count = 2 - i % 2, .bytes = sizes[(i + 1) / 2]};
    points[0].seat_count = 1;
    const int code = measure(looking, points, 2 * SIZES - 1, values, error);
    *found = UNSEEN;
    for (size_t i = 1; i < 2 * SIZES - 1; i += 2)
        if (values[i] <= same_cache * values[0] && values[i + 1] > 0)
            *found = values[i + 1] >= shared_slower * values[i] ? SHARED : APART;
    return code;
}

static int measure_handoffs(struct looking *looking, double *values, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < looking->pair_count && code == 0; i++) {
        struct plan_point point = {.seats = looking->pairs[i].seats, .seat_count = 2};
        code = measure(looking, &point, 1, &values[i], error);
    }
    return code;
}

/* --- states --- */

static bool alike(const struct looking *looking, const double *a, const double *b)
{
    for (size_t i = 0; i < looking->pair_count; i++)
        if (!placement_is_same(a[i], b[i]))
            return false;
    return true;
}

/* Whether they share the second cache is measured where the machine does not declare it. */
static int name_pair(struct looking *looking, const struct pair *pair, const char **name,
                     struct error *error)
{
    enum sharing first, second = UNSEEN;
    int code = measure_sharing(looking, pair, first_sizes, &first, error);
    if (code == 0 && first == APART && !looking->engine->machine->facts.cache_count)
        code = measure_sharing(looking, pair, second_sizes, &second, error);
    *name = first == SHARED    ? "one core"
            : second == SHARED ? "one L2"
            : first == APART   ? "apart"
                               : "not seen";
    return code;
}

static int add_state(struct looking *looking, const double *handoff_ns, struct error *error)
{
    struct placement *placement = &looking->placement;
    const char *text = "";
    for (size_t i = 0; i < looking->pair_count; i++) {
        const char *name;
        const int code = name_pair(looking, &looking->pairs[i], &name, error);
        if (code < 0)
            return code;
        text = pool_printf(looking->pool, "%s%s%s: %s", text, i ? "; " : "", looking->pairs[i].cpus,
                           name);
        if (!text)
            return error_out_of_memory(error);
    }
    const size_t number = placement->facts->placement_count++;
    placement->facts->placements[number] = (struct placement_facts){text, handoff_ns[0], 0};
    memcpy(looking->handoff_ns[number], handoff_ns, sizeof looking->handoff_ns[number]);
    return (int)number;
}

static int look(struct placement *placement, struct error *error)
{
    struct looking *looking = (struct looking *)placement;
    const int last = placement->look_count ? placement->found[placement->look_count - 1] : -1;
    double now[PAIRS];
    looking->until_s = now_s() + looking->budget_s;
    for (int try = 0; try < TRIES && (!try || now_s() < looking->until_s); try++) {
        const int code = measure_handoffs(looking, now, error);
        if (code < 0)
            return code;
        const int count = (int)placement->facts->placement_count;
        int state = 0;
        while (state < count && !alike(looking, looking->handoff_ns[state], now))
            state++;
        const bool twice = alike(looking, now, looking->before_ns);
        if (state < count && (state == last || twice))
            return state;
        if (twice && count < PLACEMENT_STATES)
            return add_state(looking, now, error);
        if (alike(looking, now, now)) /* it was measured */
            memcpy(looking->before_ns, now, sizeof now);
    }
    return PLACEMENT_MOVING; /* nothing was found twice in a row */
}

/* --- the pairs --- */

static void add_pair(struct looking *looking, int a, int b)
{
    struct pair *pair = &looking->pairs[looking->pair_count];
    for (size_t i = 0; i < looking->pair_count; i++)
        if (looking->pairs[i].seats[1].cpu == b)
            return;
    *pair = (struct pair){.seats = {{a, MEASURED}, {b, PARTNER}},
                          .beside = {{a, MEASURED}, {b, BACKGROUND}}};
    snprintf(pair->cpus, sizeof pair->cpus, "CPUs %d and %d", a, b);
    looking->pair_count++;
}

int placement_open(struct engine *engine, const struct cpulist *cpus, double budget_s,
                   struct run_facts *facts, struct pool *pool, struct error *error)
{
    const char *missing;
    const struct handoff *handoff = handoff_find(HANDOFF_CAS, &missing);
    if (!engine->machine->facts.hypervisor || cpus->count < 2 || budget_s < shortest_run_s ||
        !handoff)
        return 0;
    struct looking *looking = calloc(1, sizeof *looking);
    facts->placements = pool_alloc(pool, PLACEMENT_STATES, sizeof *facts->placements);
    if (!looking || !facts->placements) {
        free(looking);
        return error_out_of_memory(error);
    }
    *looking = (struct looking){.placement = {.look = look, .facts = facts},
                                .engine = engine,
                                .pool = pool,
                                .budget_s = fmin(look_share * budget_s, look_most_s),
                                .handoff = handoff,
                                .line_bytes = machine_line_bytes(engine->machine)};
    add_pair(looking, cpus->ids[0], cpus->ids[1]);
    add_pair(looking, cpus->ids[0], cpus->ids[cpus->count / 2]);
    add_pair(looking, cpus->ids[0], cpus->ids[cpus->count - 1]);
    engine->placement = &looking->placement;
    return 0;
}

void placement_close(struct placement *placement)
{
    if (!placement)
        return;
    placement_free(placement);
    free(placement);
}

int placement_handoff(const struct machine *machine, int a, int b,
                      const volatile sig_atomic_t *stop, double *ns, struct error *error)
{
    const char *missing;
    struct clock clock;
    struct engine engine = {.machine = machine, .clock = &clock};
    struct looking looking = {.engine = &engine,
                              .until_s = now_s() + look_most_s,
                              .handoff = handoff_find(HANDOFF_CAS, &missing),
                              .line_bytes = machine_line_bytes(machine)};
    *ns = NAN;
    if (!looking.handoff)
        return 0;
    add_pair(&looking, a, b);
    int code = clock_check(error);
    if (code == 0) {
        clock_calibrate_below(&clock, machine->root);
        code = team_create(&engine.team, stop, error);
    }
    if (code == 0)
        code = measure_handoffs(&looking, ns, error);
    team_free(engine.team);
    return code;
}
