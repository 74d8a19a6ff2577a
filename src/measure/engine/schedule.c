#include "measure/engine/schedule.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int find_groups(struct schedule *schedule, struct error *error)
{
    const struct plan *plan = schedule->plan;
    size_t first = 0;
    for (size_t i = 0; i < plan->group_count; i++) {
        schedule->first[i] = (uint32_t)first;
        first += plan->groups[i];
        if (plan->groups[i] > schedule->largest)
            schedule->largest = plan->groups[i];
    }
    if (first != plan->point_count)
        return error_set(error, ERROR_USAGE, "%zu groups hold %zu of %zu points", plan->group_count,
                         first, plan->point_count);
    return 0;
}

/* The smallest tier takes a millisecond or two to touch, and is touched at once: two huge pages,
 * so that a small set lies elsewhere in every trial. Each further tier is twice as large. */
static const size_t smallest_tier = 4 << 20;
enum { TIERS = 41 }; /* the largest is 2^62 bytes */

static struct visit_group group_of(const struct schedule *schedule, uint32_t number)
{
    return schedule->plan->groups
               ? (struct visit_group){schedule->first[number], schedule->plan->groups[number]}
               : (struct visit_group){number, 1};
}

static uint8_t tier_of_group(const struct schedule *schedule, uint32_t number)
{
    const struct visit_group group = group_of(schedule, number);
    size_t most = 0;
    for (size_t i = group.first; i < group.first + group.count; i++)
        if (schedule->plan->points[i].arena_bytes > most)
            most = schedule->plan->points[i].arena_bytes;
    uint8_t tier = 0;
    while (tier + 1 < TIERS && most > smallest_tier << tier)
        tier++;
    return tier;
}

static void find_tiers(struct schedule *schedule)
{
    bool differ = false;
    for (size_t i = 0; i < schedule->end && schedule->plan->points; i++) {
        schedule->tiers[i] = tier_of_group(schedule, (uint32_t)i);
        differ = differ || schedule->tiers[i] != schedule->tiers[0];
    }
    if (!differ)
        schedule->tiers = NULL;
}

int schedule_create(struct schedule *schedule, const struct plan *plan, uint64_t seed,
                    struct error *error)
{
    const size_t groups = plan->groups ? plan->group_count : plan->point_count;
    *schedule = (struct schedule){.plan = plan, .random = {seed}, .end = groups, .largest = 1};
    if (plan->point_count > UINT32_MAX)
        return error_set(
            error, ERROR_USAGE,
            "%zu points are too many for one run: choose fewer sizes or CPUs (--sizes, --cpus)",
            plan->point_count);
    struct pool *pool = &schedule->pool;
    schedule->order = pool_alloc(pool, groups, sizeof *schedule->order);
    schedule->sorted = pool_alloc(pool, groups, sizeof *schedule->sorted);
    schedule->first = pool_alloc(pool, groups, sizeof *schedule->first);
    schedule->tiers = pool_alloc(pool, groups, sizeof *schedule->tiers);
    schedule->widths = pool_alloc(pool, groups, sizeof *schedule->widths);
    schedule->ranked = pool_alloc(pool, groups, sizeof *schedule->ranked);
    if (!schedule->order || !schedule->sorted || !schedule->first || !schedule->tiers ||
        !schedule->widths || !schedule->ranked)
        return error_set(error, ERROR_SYSTEM, "out of memory for %zu points", plan->point_count);
    for (size_t i = 0; i < groups; i++) {
        schedule->order[i] = (uint32_t)i;
        schedule->widths[i] = INFINITY;
    }
    int code = plan->groups ? find_groups(schedule, error) : 0;
    if (code == 0)
        find_tiers(schedule);
    return code;
}

void schedule_free(struct schedule *schedule)
{
    pool_free(&schedule->pool);
}

struct visit_group schedule_group(const struct schedule *schedule, size_t i)
{
    return group_of(schedule, schedule->order[i]);
}

bool schedule_is_open(const struct schedule *schedule)
{
    return schedule->kept > 0 || schedule->next < schedule->end;
}

/* Lists first the groups wider than the median, and returns their number. */
static size_t choose_wide(struct schedule *schedule, size_t count)
{
    float *widths = schedule->ranked;
    for (size_t i = 0; i < count; i++)
        widths[i] = schedule->widths[schedule->order[i]];
    qsort(widths, count, sizeof *widths, by_float);
    const float limit = count > 1 ? widths[(count - 1) / 2] : -1;
    if (!(limit < INFINITY)) /* most have no interval yet */
        return count;
    size_t wide = 0;
    for (size_t i = 0; i < count; i++)
        if (schedule->widths[schedule->order[i]] > limit) {
            const uint32_t number = schedule->order[i];
            schedule->order[i] = schedule->order[wide];
            schedule->order[wide++] = number;
        }
    return wide ? wide : count; /* all are alike */
}

bool schedule_begin_round(struct schedule *schedule, bool scarce)
{
    /* Lists first the groups that were kept, then those that were not reached or that waited. */
    const size_t left = schedule->end - schedule->next;
    memmove(schedule->order + schedule->kept, schedule->order + schedule->next,
            left * sizeof *schedule->order);
    schedule->end = schedule->kept + left;
    schedule->next = schedule->kept = schedule->tier_end = 0;
    schedule->open = scarce ? choose_wide(schedule, schedule->end) : schedule->end;
    if (schedule->tiers) {
        /* Sorts the round's groups by tier (by counting, which keeps the order within each). */
        size_t begins[TIERS + 1] = {0};
        for (size_t i = 0; i < schedule->open; i++)
            begins[schedule->tiers[schedule->order[i]] + 1]++;
        for (size_t tier = 0; tier < TIERS; tier++)
            begins[tier + 1] += begins[tier];
        for (size_t i = 0; i < schedule->open; i++)
            schedule->sorted[begins[schedule->tiers[schedule->order[i]]]++] = schedule->order[i];
        memcpy(schedule->order, schedule->sorted, schedule->open * sizeof *schedule->order);
    }
    return schedule->open > 0;
}

static uint8_t tier_at(const struct schedule *schedule, size_t i)
{
    return schedule->tiers[schedule->order[i]];
}

/* One step of Fisher and Yates' shuffle, within the tier. */
bool schedule_next(struct schedule *schedule, struct visit_group *group)
{
    if (schedule->next == schedule->open)
        return false;
    if (schedule->next == schedule->tier_end) {
        const size_t first = schedule->next;
        schedule->tier_end = schedule->tiers ? first : schedule->open;
        while (schedule->tier_end < schedule->open &&
               tier_at(schedule, schedule->tier_end) == tier_at(schedule, first))
            schedule->tier_end++;
    }
    size_t left = schedule->tier_end - schedule->next;
    size_t drawn = schedule->next + (size_t)random_below(&schedule->random, left);
    uint32_t number = schedule->order[drawn];
    schedule->order[drawn] = schedule->order[schedule->next];
    schedule->order[schedule->next++] = number;
    *group = group_of(schedule, number);
    return true;
}

size_t schedule_tier_bytes(const struct schedule *schedule)
{
    return schedule->tiers ? smallest_tier << tier_at(schedule, schedule->next - 1) : SIZE_MAX;
}

size_t schedule_room(size_t bytes)
{
    return (bytes + smallest_tier - 1) / smallest_tier * smallest_tier;
}

void schedule_put_back(struct schedule *schedule)
{
    schedule->next--;
}

void schedule_keep(struct schedule *schedule, double width)
{
    schedule_keep_earlier(schedule, 0, width);
}

void schedule_keep_earlier(struct schedule *schedule, size_t back, double width)
{
    uint32_t number = schedule->order[schedule->next - 1 - back];
    schedule->widths[number] = (float)width;
    schedule->order[schedule->kept++] = number;
}
