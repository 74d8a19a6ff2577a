#include "engine/schedule.h"

#include <stdlib.h>

static int find_groups(struct schedule *schedule, struct error *error)
{
    const struct plan *plan = schedule->plan;
    size_t first = 0;
    schedule->first = calloc(plan->group_count ? plan->group_count : 1, sizeof *schedule->first);
    if (!schedule->first)
        return error_set(error, ERROR_SYSTEM, "out of memory for %zu groups", plan->group_count);
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

int schedule_create(struct schedule *schedule, const struct plan *plan, uint64_t seed,
                    struct error *error)
{
    size_t groups = plan->groups ? plan->group_count : plan->point_count;
    *schedule = (struct schedule){
        .plan = plan, .random = {seed}, .open = groups, .kept = groups, .largest = 1};
    if (plan->point_count > UINT32_MAX)
        return error_set(error, ERROR_USAGE, "%zu points are more than anybody measures",
                         plan->point_count);
    schedule->order = calloc(groups ? groups : 1, sizeof *schedule->order);
    if (!schedule->order)
        return error_set(error, ERROR_SYSTEM, "out of memory for %zu points", plan->point_count);
    for (size_t i = 0; i < groups; i++)
        schedule->order[i] = (uint32_t)i;
    return plan->groups ? find_groups(schedule, error) : 0;
}

void schedule_free(struct schedule *schedule)
{
    free(schedule->order);
    free(schedule->first);
    schedule->order = schedule->first = NULL;
}

static struct visit_group group_of(const struct schedule *schedule, uint32_t number)
{
    return schedule->first
               ? (struct visit_group){schedule->first[number], schedule->plan->groups[number]}
               : (struct visit_group){number, 1};
}

struct visit_group schedule_group(const struct schedule *schedule, size_t i)
{
    return group_of(schedule, schedule->order[i]);
}

bool schedule_begin_round(struct schedule *schedule)
{
    schedule->open = schedule->kept;
    schedule->next = schedule->kept = 0;
    return schedule->open > 0;
}

/* One step of Fisher and Yates' shuffle. */
bool schedule_next(struct schedule *schedule, struct visit_group *group)
{
    if (schedule->next == schedule->open)
        return false;
    size_t left = schedule->open - schedule->next;
    size_t drawn = schedule->next + (size_t)random_below(&schedule->random, left);
    uint32_t number = schedule->order[drawn];
    schedule->order[drawn] = schedule->order[schedule->next];
    schedule->order[schedule->next++] = number;
    *group = group_of(schedule, number);
    return true;
}

void schedule_keep(struct schedule *schedule)
{
    uint32_t number = schedule->order[schedule->next - 1];
    schedule->order[schedule->kept++] = number;
}
