#include "measure/probes/latency/first.h"

#include "conclude/levels/levels.h"

#include <math.h>

static const uint64_t MIB = 1024 * 1024;

/* Up to here a sweep goes before it is asked whether DRAM was reached: it costs little, and most
 * machines' share of the last level for one core ends well before. */
static const uint64_t first_bytes = 64 * MIB;
/* Twice that is not worth a stage of its own. */
enum { REST_BEYOND = 2 };

struct working_sets latency_leave_rest(struct working_sets *sets)
{
    struct working_sets rest = {0};
    size_t first = 0;
    while (first < sets->count && sets->bytes[first] <= first_bytes)
        first++;
    if (first == 0 || first == sets->count ||
        sets->bytes[sets->count - 1] <= REST_BEYOND * first_bytes)
        return rest;
    rest = (struct working_sets){sets->bytes + first, sets->count - first};
    sets->count = first;
    return rest;
}

static size_t declared_levels(const struct machine *machine)
{
    size_t count = 0;
    uint64_t above = 0;
    for (int level = 1; level < CHASE_LEVELS_MAX; level++) {
        const struct cache_facts *cache = machine_cache(machine, level);
        if (!cache || cache->size_bytes <= above)
            break;
        above = cache->size_bytes;
        count++;
    }
    return count;
}

int latency_reached_dram(const struct probe_task *task, const struct translation_knee *knees,
                         size_t knee_count, struct error *error)
{
    const struct series *series = &task->plan.series[0];
    struct levels levels;
    (void)error;
    levels_of_series(task->pool, series, knees, knee_count, &levels);
    return levels.proven && levels.count > declared_levels(task->machine);
}

bool latency_is_swept(const struct probe_task *task)
{
    const struct series *series = &task->plan.series[0];
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].y.n < 2)
            return false;
    return true;
}

/* --- the first look --- */

/* Of a quick run, at the sizes that are looked at: the fewest of which two can agree against one
 * that a neighbour disturbed, so that latencies can be compared with another run's though there was
 * no time for more. */
enum { QUICK_TRIALS = 3 };

/* The point whose working set is nearest to `bytes` among those within (above, most]; the number of
 * points where there is none. */
static size_t nearest_point(const struct plan *plan, double bytes, double above, double most)
{
    size_t best = plan->point_count;
    for (size_t i = 0; i < plan->point_count; i++) {
        const double x = plan->points[i].x;
        if (x > above && x <= most &&
            (best == plan->point_count ||
             fabs(log(x / bytes)) < fabs(log(plan->points[best].x / bytes))))
            best = i;
    }
    return best;
}

static double largest_x(const struct plan *plan)
{
    double most = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        most = fmax(most, plan->points[i].x);
    return most;
}

static int look_at(struct probe_task *task, uint32_t **look, double bytes, double above,
                   double most, struct error *error)
{
    struct plan *plan = &task->plan;
    const size_t point = nearest_point(plan, bytes, above, most);
    for (size_t i = 0; i < plan->look_count; i++)
        if ((*look)[i] == point)
            return 0;
    if (point == plan->point_count)
        return 0;
    uint32_t *slot = pool_append(task->pool, (void **)look, &plan->look_count, sizeof *slot);
    *slot = (uint32_t)point;
    plan->look = *look;
    return 0;
}

/* At an eighth and a quarter of its capacity a level is sure to be met, as far as the one before
 * leaves room, also where neighbours or a hypervisor hold half of it. Where no size lies far beyond
 * the last one that is declared, the largest two may show that less of it is there. */
int latency_look(struct probe_task *task, struct error *error)
{
    uint32_t *look = NULL;
    double above = 0;
    int code = 0;
    for (int level = 1; level < CHASE_LEVELS_MAX && code == 0; level++) {
        const struct cache_facts *cache = machine_cache(task->machine, level);
        if (!cache || (double)cache->size_bytes <= above)
            break;
        const double bytes = (double)cache->size_bytes;
        code = look_at(task, &look, fmax(bytes / 8, sqrt(2) * above), above, bytes, error);
        if (code == 0)
            code = look_at(task, &look, fmax(bytes / 4, 2 * above), above, bytes, error);
        above = bytes;
    }
    if (settings_has(task->settings, "quick"))
        task->plan.look_trials = QUICK_TRIALS;
    above = fmin(above, largest_x(&task->plan) / 2);
    if (code == 0)
        code = look_at(task, &look, sqrt(2) * above, above, INFINITY, error);
    return code == 0 ? look_at(task, &look, 2 * above, above, INFINITY, error) : code;
}
