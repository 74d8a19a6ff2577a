#include "measure/probes/latency/options.h"

#include "measure/probes/latency/threads.h"
#include "measure/probes/latency/variants.h"

#include <stdio.h>
#include <string.h>

enum { PACKED, PADDED, WORD = 8, ALIGN_MOST = 2048, THREADS_MOST = 65536 };

static const char *const element_names[] = {"packed", "padded", NULL};
enum { READ, MODIFY };
static const char *const access_names[] = {"read", "modify", NULL};

const struct option_spec latency_options[] = {
    {"from", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL,
     "smallest working set (default: 1K, or one stride)"},
    {"to", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL,
     "largest working set (default: four times the last-level cache declared, at most 1G, or less "
     "where DRAM is reached before)"},
    {"per-octave", 0, OPTION_INTEGER, "N", NULL, 1, 64, NULL,
     "sizes from one power of two to the next, before more are added around the knees (default: 4 "
     "below 64M, 2 above)"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, 8, 0, NULL, "these working sets and no others"},
    {"size", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL, "this working set and no other"},
    {"count", 0, OPTION_INTEGER, "N", NULL, 1, 1e12, NULL,
     "this working set and no other: this many elements, a stride each"},
    {"stride", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL,
     "bytes from one pointer to the next in memory, a multiple of 8 (default: one cache line)"},
    {"element", 0, OPTION_CHOICE, "LAYOUT", NULL, 0, 0, element_names,
     "a name for two strides: packed, 8 bytes, so several elements share a line; padded, one a "
     "line (default)"},
    {"align", 0, OPTION_SIZE, "SIZE", NULL, 1, ALIGN_MOST, NULL,
     "the first element lies this many bytes into a page, a power of two: aligned to that and to "
     "nothing larger (default: to the page)"},
    {"address", 0, OPTION_CHOICE, "MODE", "pointer", 0, 0, address_names,
     "what an element holds: pointer, the next one's address; index, its number, to be multiplied "
     "and added; index-checked, the same with a bounds check before each load; spilled: a pointer "
     "kept on the stack, as in a build that is not optimized"},
    {"access", 0, OPTION_CHOICE, "ACCESS", "read", 0, 0, access_names,
     "read each element, or modify it too, so that its line has to be written back"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported"},
    {"order", 0, OPTION_TEXT, "ORDER", "random", 0, 0, NULL,
     "random, forward, backward; random-in-block:SIZE, which visits one block after another; or "
     "forward-in-block:SIZE, which goes forward within blocks that follow in random order"},
    {"variants", 0, OPTION_TEXT, "LIST", NULL, 0, 0, NULL,
     "several chases, a curve each: words of the options above joined by +, variants by commas, "
     "like forward+stride:128,random,index+packed+pages:small; article and mem-lat are those of "
     "the two articles (docs/cookbook.md)"},
    {"threads", 0, OPTION_INTEGER, "N", NULL, 1, THREADS_MOST, NULL,
     "this many CPUs chase at once, cores first; the figure is the latency that the slowest of "
     "them sees (default: 1)"},
    {"ring", 0, OPTION_CHOICE, "WHOSE", NULL, 0, 0, latency_ring_names,
     "with --threads: each CPU has a working set of its own, or all share one (default: own)"},
    {"table", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "after a coarse sweep, all variants of address, element, access, alignment and pages at half "
     "of the first and second level found, a third of those further out, and in DRAM; or at "
     "--sizes"},
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)"},
    {"node", 0, OPTION_INTEGER, "N", NULL, 0, 65535, NULL,
     "NUMA node that holds the memory (default: the CPU's own)"},
    {.name = NULL},
};

int latency_choose_node(struct probe_task *task, int *node, struct error *error)
{
    const struct machine_facts *facts = &task->machine->facts;
    *node = -1;
    if (!settings_has(task->settings, "node"))
        return 0;
    *node = (int)settings_number(task->settings, "node");
    char known[128] = "";
    for (size_t i = 0; i < facts->node_count; i++) {
        if (facts->nodes[i].id == *node)
            return 0;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " %d", facts->nodes[i].id);
    }
    return error_set(error, ERROR_USAGE,
                     "--node %d: there is no such NUMA node here; choose from%s, or leave it out",
                     *node, *known ? known : " none");
}

int latency_choose_kind(const struct probe_task *task, const struct chases *chases,
                        struct chase_kind *kind, struct error *error)
{
    const struct settings *settings = task->settings;
    const bool element = settings_has(settings, "element");
    *kind = (struct chase_kind){.address = (enum address)settings_choice(settings, "address"),
                                .modify = settings_choice(settings, "access") == MODIFY,
                                .stride = chases->line_bytes};
    if (element && settings_has(settings, "stride"))
        return error_set(error, ERROR_USAGE,
                         "--element %s is a stride, so --stride can't be given with it: leave one "
                         "out",
                         settings_text(settings, "element"));
    if (element && settings_choice(settings, "element") == PACKED)
        kind->stride = WORD;
    if (settings_has(settings, "stride"))
        kind->stride = (size_t)settings_size(settings, "stride");
    if (settings_has(settings, "align"))
        kind->offset = (size_t)settings_size(settings, "align");
    if (kind->offset & (kind->offset - 1))
        return error_set(error, ERROR_USAGE, "--align %zu: give a power of two up to %d",
                         kind->offset, ALIGN_MOST);
    int code = chase_order_parse(kind, settings_text(settings, "order"), error);
    return code == 0 ? chase_kind_check(kind, error) : code;
}

int latency_choose_single(struct working_sets *sets, struct probe_task *task, size_t stride,
                          struct error *error)
{
    static const char *const others[] = {"sizes", "from", "to", "per-octave", "count"};
    const struct settings *settings = task->settings;
    const char *option = settings_has(settings, "size")    ? "size"
                         : settings_has(settings, "count") ? "count"
                                                           : NULL;
    if (!option)
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (settings_has(settings, others[i]) && strcmp(others[i], option) != 0)
            return error_set(error, ERROR_USAGE,
                             "--%s names the only working set, so --%s can't be given with it: "
                             "leave one out",
                             option, others[i]);
    uint64_t bytes;
    if (strcmp(option, "size") == 0)
        bytes = settings_size(settings, "size");
    else if (__builtin_mul_overflow((uint64_t)settings_number(settings, "count"), stride, &bytes))
        bytes = UINT64_MAX;
    int code = working_sets_check(task, option, bytes, stride, error);
    uint64_t *only = code == 0 ? pool_alloc(task->pool, 1, sizeof *only) : NULL;
    if (code < 0)
        return code;
    *only = bytes / stride * stride;
    *sets = (struct working_sets){only, 1};
    return 1;
}

bool latency_sizes_are_named(const struct probe_task *task)
{
    static const char *const named[] = {"sizes", "size", "count"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (settings_has(task->settings, named[i]))
            return true;
    return settings_has(task->settings, "variants");
}
