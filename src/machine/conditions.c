#include "machine/conditions.h"

#include "machine/conditions_check.h"

#include <math.h>

int remark_add(struct inspection *inspection, enum remark_weight weight, const char *subject,
               const char *state, const char *remedy)
{
    struct remarks *remarks = inspection->remarks;
    void *list = remarks->list;
    struct remark *remark =
        state ? pool_append(inspection->pool, &list, &remarks->count, sizeof *remark) : NULL;
    if (!remark)
        return ERROR_SYSTEM;
    remarks->list = list;
    *remark = (struct remark){weight, subject, state, remedy};
    return 0;
}

/* All checks, in the order in which a person wants to read their remarks. */
static int (*const checks[])(struct inspection *) = {
    check_system_files, check_hypervisor, check_stolen,         check_affinity, check_quota,
    check_memory,       check_load,       check_governor,       check_turbo,    check_counter,
    check_smt,          check_huge_pages, check_reserved_pages, check_swap,     check_balancing,
};

static int add_warnings(struct pool *pool, struct conditions *conditions,
                        const struct remarks *remarks)
{
    void *warnings = conditions->warnings;
    for (size_t i = 0; i < remarks->count; i++) {
        const struct remark *remark = &remarks->list[i];
        if (remark->weight == REMARK_FINE)
            continue;
        const char **slot = pool_append(pool, &warnings, &conditions->warning_count, sizeof *slot);
        conditions->warnings = warnings;
        if (!slot)
            return ERROR_SYSTEM;
        *slot = remark->remedy ? pool_printf(pool, "%s: %s", remark->state, remark->remedy)
                               : remark->state;
        if (!*slot)
            return ERROR_SYSTEM;
    }
    return 0;
}

int conditions_read(const struct machine *machine, const struct machine_source *source,
                    struct pool *pool, struct conditions *conditions, struct remarks *remarks,
                    struct error *error)
{
    struct inspection inspection = {
        .machine = machine,
        .root = source->root,
        .has_files = machine->live || (source->root && !source->synthetic),
        .pool = pool,
        .conditions = conditions,
        .remarks = remarks,
    };
    *remarks = (struct remarks){0};
    conditions->governor = conditions->turbo = conditions->smt = conditions->thp = NULL;
    conditions->affinity = NULL;
    conditions->load1 = NAN;
    conditions->warnings = NULL;
    conditions->warning_count = 0;
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof checks / sizeof *checks; i++)
        result = checks[i](&inspection);
    if (result == 0)
        result = add_warnings(pool, conditions, remarks);
    return result < 0 ? error_set(error, result, "out of memory while conditions were read") : 0;
}
