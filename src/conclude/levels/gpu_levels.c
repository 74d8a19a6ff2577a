#include "conclude/levels/level.h"

#include <math.h>
#include <string.h>

/* --- a second level in two halves --- */

/* On GPUs where each half of L2 also caches lines of the other half for its own multiprocessors, a
 * multiprocessor sees its half as one cache and then, up to the whole L2, a plateau of hits in the
 * other half: 23 to 38 of 40 MiB on an A100, 34 to 54 of 60 MiB on a GH200 (gpu-benches). */
static const double half_least = 0.35, half_most = 0.75, whole_most = 1.25;

/* Renames the third plateau to the outer half of L2. If only memory follows it, the remark that the
 * number of caches differs is dropped, because this plateau is no cache of its own. */
static void rename_outer(struct probe_result *found, struct pool *pool)
{
    static const char third[] = "L3.";
    size_t kept = 0;
    for (size_t i = 0; i < found->finding_count; i++) {
        struct finding *finding = &found->findings[i];
        const bool of_third = strncmp(finding->name, third, strlen(third)) == 0;
        if (strcmp(finding->name, "levels.disagreement") == 0 &&
            isnan(probe_value(found, "L4.latency_ns")))
            continue;
        if (strcmp(finding->name, "L2.capacity") == 0)
            finding->text = "the half that is near to the multiprocessor; L2.outer is the capacity "
                            "and latency of the other half";
        if (of_third && strstr(finding->name, ".latency") && finding->text)
            finding->text = pool_printf(pool, "%s; beyond the near half of the second-level cache",
                                        finding->text);
        if (of_third)
            finding->name = pool_printf(pool, "L2.outer.%s", finding->name + strlen(third));
        found->findings[kept++] = *finding;
    }
    found->finding_count = kept;
}

void findings_gpu_levels(struct probe_result *result, struct pool *pool, const char *prefix,
                         const struct series *series, const struct gpu_declared *declared)
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
    findings_levels(&found, pool, series, NULL, &facts, -1, NULL, 0);
    const double whole = (double)declared->l2_bytes, near = probe_value(&found, "L2.capacity"),
                 all = probe_value(&found, "L3.capacity");
    if (whole > 0 && near >= half_least * whole && near <= half_most * whole &&
        all <= whole_most * whole)
        rename_outer(&found, pool);
    for (size_t i = 0; i < found.finding_count; i++) {
        struct finding *finding =
            pool_append(pool, (void **)&result->findings, &result->finding_count, sizeof *finding);
        *finding = found.findings[i];
        finding->name = pool_printf(pool, "%s%s", prefix, finding->name);
    }
}
