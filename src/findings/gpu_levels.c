#include "findings/gpu_levels.h"

#include "findings/finding.h"
#include "findings/levels.h"

#include <math.h>
#include <string.h>

/* Appends the findings under their longer names. */
static int adopt(struct probe_result *result, struct pool *pool, const char *prefix,
                 const struct finding *found, struct error *error)
{
    const char *name = pool_printf(pool, "%s%s", prefix, found->name);
    struct finding *finding = name ? finding_add(result, pool, name, found->unit) : NULL;
    if (!finding)
        return error_out_of_memory(error);
    name = finding->name;
    *finding = *found;
    finding->name = name;
    return 0;
}

int findings_gpu_levels(struct probe_result *result, struct pool *pool, const char *prefix,
                        const struct series *series, const struct gpu_declared *declared,
                        const struct translation_knee *knees, size_t knee_count,
                        struct error *error)
{
    /* An undeclared level is skipped when levels get their names. So the second level may be
     * declared only together with the first, or where loads bypass the first. */
    struct cache_facts caches[2];
    struct machine_facts facts = {.caches = caches};
    if (declared->l1_bytes && !declared->past_l1)
        caches[facts.cache_count++] =
            (struct cache_facts){.level = 1, .type = "data", .size_bytes = declared->l1_bytes};
    if (declared->l2_bytes && (declared->l1_bytes || declared->past_l1))
        caches[facts.cache_count++] =
            (struct cache_facts){.level = 2, .type = "unified", .size_bytes = declared->l2_bytes};
    struct probe_result found = {0};
    int code = findings_levels(&found, pool, series, &facts, knees, knee_count, error);
    for (size_t i = 0; i < found.finding_count && code == 0; i++)
        code = adopt(result, pool, prefix, &found.findings[i], error);
    return code;
}
