#include "machine/conditions.h"

#include "machine/conditions_check.h"

#include <math.h>

int remark_add(struct inspection *inspection, enum remark_weight weight, const char *subject,
               const char *what, const char *why, const char *remedy)
{
    struct checks *checks = inspection->checks;
    struct checked *checked = what ? pool_append(inspection->pool, (void **)&checks->list,
                                                 &checks->count, sizeof *checked)
                                   : NULL;
    if (!checked)
        return ERROR_SYSTEM;
    *checked = (struct checked){weight, subject, {what, why, remedy}};
    return 0;
}

int remark_fine(struct inspection *inspection, const char *subject, const char *what)
{
    return remark_add(inspection, REMARK_FINE, subject, what, NULL, NULL);
}

/* All checks, in the order in which a person wants to read their remarks. */
static int (*const all_checks[])(struct inspection *) = {
    check_system_files, check_hypervisor, check_stolen,   check_affinity,    check_quota,
    check_memory,       check_load,       check_governor, check_clock_limit, check_turbo,
    check_counter,      check_smt,        check_shares,   check_huge_pages,  check_reserved_pages,
    check_swap,         check_balancing,
};

static int keep_remarks(struct pool *pool, struct conditions *conditions,
                        const struct checks *checks)
{
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->list[i].weight == REMARK_FINE)
            continue;
        struct remark *remark = pool_append(pool, (void **)&conditions->remarks,
                                            &conditions->remark_count, sizeof *remark);
        if (!remark)
            return ERROR_SYSTEM;
        *remark = checks->list[i].remark;
    }
    return 0;
}

int conditions_read(const struct machine *machine, const struct machine_source *source,
                    struct pool *pool, struct conditions *conditions, struct checks *checks,
                    struct error *error)
{
    struct inspection inspection = {
        .machine = machine,
        .root = source->root,
        .has_files = machine->live || (source->root && !source->synthetic),
        .pool = pool,
        .conditions = conditions,
        .checks = checks,
    };
    *checks = (struct checks){0};
    conditions->governor = conditions->turbo = conditions->smt = conditions->thp = NULL;
    conditions->affinity = NULL;
    conditions->load1 = NAN;
    conditions->remarks = NULL;
    conditions->remark_count = 0;
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof all_checks / sizeof *all_checks; i++)
        result = all_checks[i](&inspection);
    if (result == 0)
        result = keep_remarks(pool, conditions, checks);
    return result < 0 ? error_set(error, result, "out of memory while conditions were read") : 0;
}
