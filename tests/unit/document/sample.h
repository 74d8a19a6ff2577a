/*
 * A whole document as a run would make it: latency by working set over four levels, hand-off
 * between CPUs, findings, flags and a remark. Its numbers are computed by + - * / alone, so that
 * they are the same on every machine.
 */
#ifndef FATHOM_TESTS_SAMPLE_H
#define FATHOM_TESTS_SAMPLE_H

#include "document/document.h"
#include "document/flag.h"

#include <math.h>

static inline struct summary sample_summary(double median, double half)
{
    double width = median * half;
    return (struct summary){.median = (float)median,
                            .low = (float)(median - width),
                            .high = (float)(median + width),
                            .coverage = 0.96875f,
                            .min = (float)(median - 2 * width),
                            .p10 = (float)(median - width),
                            .p25 = (float)(median - width / 2),
                            .p75 = (float)(median + width / 2),
                            .p90 = (float)(median + 2 * width),
                            .max = (float)(median + 3 * width),
                            .n = 6};
}

/* ns per load: 1.67 up to 48 KiB, 5.3 up to 2 MiB, 40 up to 105 MiB, then 121. */
static inline double sample_latency_ns(double bytes)
{
    static const double capacities[] = {52e3, 2.3e6, 90e6}, steps[] = {3.7, 35, 81};
    double ns = 1.67;
    for (int i = 0; i < 3; i++) {
        double ratio = bytes / capacities[i], rise = ratio * ratio * ratio;
        ns += steps[i] * rise / (1 + rise);
    }
    return ns;
}

static inline void sample_machine(struct document *document, int cpus)
{
    static const struct cache_facts caches[] = {
        {1, "data", 48 * 1024, 64, 12, "0"},
        {1, "instruction", 32 * 1024, 64, 8, "0"},
        {2, "unified", 2 * 1024 * 1024, 64, 16, "0"},
        {3, "unified", 105 * 1024 * 1024, 64, 15, "0-1"},
    };
    struct machine_facts *machine = &document->machine;
    struct pool *pool = &document->pool;
    *machine = (struct machine_facts){.hostname = "sounding",
                                      .os = "Linux",
                                      .kernel = "6.18.5-generic",
                                      .hypervisor = "KVM",
                                      .cpu_vendor = "GenuineIntel",
                                      .cpu_model = "Intel(R) Xeon(R) Processor @ 2.70GHz",
                                      .cpu_arch = "x86_64",
                                      .cores = (unsigned)cpus,
                                      .threads = (unsigned)cpus,
                                      .memory_bytes = (uint64_t)24 << 30};
    for (size_t i = 0; i < 4; i++)
        *(struct cache_facts *)pool_append(pool, (void **)&machine->caches, &machine->cache_count,
                                           sizeof *caches) = caches[i];
    *(struct numa_facts *)pool_append(pool, (void **)&machine->nodes, &machine->node_count,
                                      sizeof(struct numa_facts)) =
        (struct numa_facts){0, "0-1", (uint64_t)24 << 30};
    *(struct cpu_kind_facts *)pool_append(pool, (void **)&machine->kinds, &machine->kind_count,
                                          sizeof(struct cpu_kind_facts)) =
        (struct cpu_kind_facts){"performance", "0-1"};
    for (int shift = 12; shift <= 30; shift += 9)
        *(uint64_t *)pool_append(pool, (void **)&machine->page_sizes, &machine->page_size_count,
                                 sizeof(uint64_t)) = (uint64_t)1 << shift;
}

static inline struct probe_result *sample_probe(struct document *document, const char *name,
                                                const char *title)
{
    struct probe_result *probe = pool_append(&document->pool, (void **)&document->probes,
                                             &document->probe_count, sizeof *probe);
    *probe = (struct probe_result){
        .name = name, .title = title, .about = "What it means.\nWhat moves it.", .elapsed_s = 12.5};
    return probe;
}

static inline struct factor *sample_factor(struct document *document, struct factor **factors,
                                           size_t *count, const char *name)
{
    struct factor *factor = pool_append(&document->pool, (void **)factors, count, sizeof *factor);
    *factor = (struct factor){.name = name, .number = NAN};
    return factor;
}

static inline struct series *sample_series(struct document *document, struct probe_result *probe,
                                           const char *name, size_t points)
{
    struct series *series =
        pool_append(&document->pool, (void **)&probe->series, &probe->series_count, sizeof *series);
    *series = (struct series){.name = name};
    series->points = pool_alloc(&document->pool, points, sizeof *series->points);
    series->point_count = points;
    return series;
}

static inline struct finding *sample_finding(struct document *document, struct probe_result *probe,
                                             const char *name, const char *unit, double value,
                                             double half)
{
    struct finding *finding = pool_append(&document->pool, (void **)&probe->findings,
                                          &probe->finding_count, sizeof *finding);
    *finding = (struct finding){.name = name,
                                .unit = unit,
                                .value = value,
                                .low = value * (1 - half),
                                .high = value * (1 + half),
                                .declared = NAN};
    return finding;
}

static inline void sample_latency(struct document *document, int per_octave)
{
    struct probe_result *probe =
        sample_probe(document, "latency", "Load latency by working-set size");
    sample_factor(document, &probe->parameters, &probe->parameter_count, "stride")->number = 64;
    sample_factor(document, &probe->parameters, &probe->parameter_count, "cpu")->number = 0;
    size_t octaves = 20, count = octaves * (size_t)per_octave + 1;
    struct series *series = sample_series(document, probe, "latency", count);
    sample_factor(document, &series->factors, &series->factor_count, "pages")->text = "huge2m";
    sample_factor(document, &series->factors, &series->factor_count, "order")->text = "random";
    series->x = (struct axis){"working set", "B"};
    series->y = (struct axis){"latency", "ns"};
    for (size_t i = 0; i < count; i++) {
        double octave = (double)((size_t)1 << i / (size_t)per_octave);
        double part = 1 + (double)(i % (size_t)per_octave) / per_octave;
        struct point *point = &series->points[i];
        point->x = floor(1024 * octave * part / 64) * 64;
        double ns = sample_latency_ns(point->x);
        bool shared = point->x > 4e6;
        point->y = sample_summary(ns, shared ? 0.03125 : 0.0009765625);
        struct summary cycles = sample_summary(ns * 2.99, shared ? 0.03125 : 0.0009765625);
        point->cycles = (struct estimate){cycles.median, cycles.low, cycles.high};
        point->scatter = (struct scatter){NAN, NAN, NAN};
        point->flags = shared ? FLAG_BIT(FLAG_TOO_FEW) : 0;
        point->redone = i % 7 == 3;
    }
    sample_finding(document, probe, "L1.latency", "cycles", 5, 0.0005);
    sample_finding(document, probe, "L1.latency_ns", "ns", 1.67, 0.001);
    sample_finding(document, probe, "L2.latency", "cycles", 16.02, 0.0005);
    sample_finding(document, probe, "L2.latency_ns", "ns", 5.352, 0.001);
    sample_finding(document, probe, "L3.latency", "cycles", 121, 0.0625)->flags =
        FLAG_BIT(FLAG_TOO_FEW);
    sample_finding(document, probe, "L3.latency_ns", "ns", 40.4, 0.0625)->flags =
        FLAG_BIT(FLAG_TOO_FEW);
    sample_finding(document, probe, "DRAM.latency", "cycles", 362, 0.04);
    sample_finding(document, probe, "DRAM.latency_ns", "ns", 121, 0.04);
    sample_finding(document, probe, "L1.capacity", "B", 48 * 1024.0, 0.015625);
    sample_finding(document, probe, "L2.capacity", "B", 2048 * 1024.0, 0.03125);
    struct finding *shared_cache =
        sample_finding(document, probe, "L3.capacity", "B", 6.25 * 1024 * 1024, 0.125);
    shared_cache->declared = 105 * 1024.0 * 1024;
    shared_cache->text = "6.3 of 105 MiB behave as cache here: it is shared or partitioned";
    sample_finding(document, probe, "L1.line", "B", 64, 0);
    sample_finding(document, probe, "L1.ways", "", 12, 0);
    sample_finding(document, probe, "L2.ways", "", 16, 0);
    sample_finding(document, probe, "dtlb1.4K.entries", "", 96, 0);
    sample_finding(document, probe, "dtlb2.4K.entries", "", 2048, 0.0625);
    sample_finding(document, probe, "dtlb2.4K.hit", "cycles", 7, 0.03125);
    sample_finding(document, probe, "dtlb1.2M.entries", "", 32, 0);
}

/* Siblings are 20 ns apart, cores with a common cache 55 ns, other cores 140 ns. */
static inline double sample_handoff_ns(int from, int to, int cpus)
{
    double ns = from / 2 == to / 2 && cpus > 2 ? 20 : from * 2 / cpus == to * 2 / cpus ? 55 : 140;
    return (cpus == 2 ? 72 : ns) + (from * 7 + to * 13) % 11 * 0.7;
}

static inline void sample_cores(struct document *document, int cpus)
{
    struct probe_result *probe = sample_probe(document, "cores", "CAS hand-off between CPUs");
    sample_factor(document, &probe->parameters, &probe->parameter_count, "lines")->number = 64;
    struct series *series =
        sample_series(document, probe, "handoff", (size_t)cpus * (size_t)(cpus - 1));
    sample_factor(document, &series->factors, &series->factor_count, "op")->text = "cas";
    series->matrix = true;
    series->x = (struct axis){"CPU", ""};
    series->y = (struct axis){"hand-off", "ns"};
    struct point *point = series->points;
    for (int from = 0; from < cpus; from++)
        for (int to = 0; to < cpus; to++) {
            if (from == to)
                continue;
            *point = (struct point){.x = NAN, .from = from, .to = to};
            point->y = sample_summary(sample_handoff_ns(from, to, cpus), 0.0859375);
            point->y.n = 64;
            point->cycles = (struct estimate){NAN, NAN, NAN};
            point->scatter = (struct scatter){0.125f, 0.015625f, NAN};
            point++;
        }
    struct finding *finding =
        sample_finding(document, probe, "cores.cas.mean", "ns", 72.4, 0.03125);
    finding->text = "The same pair differs from line to line: many lines beat many samples.";
    finding->cpus = "0-1";
    static struct factor factors[] = {{"home", "other node", 0}, {"writers", NULL, 2}};
    finding->factors = factors;
    finding->factor_count = sizeof factors / sizeof *factors;
}

/* Frees with document_free(). `per_octave` points an octave from 1 KiB to 1 GiB. */
static inline void sample_document(struct document *document, int cpus, int per_octave)
{
    *document = (struct document){0};
    struct pool *pool = &document->pool;
    document->tool = (struct tool_facts){"0.1.0", "0123abc", "gcc 12.2.0", "0.1.1"};
    document->run = (struct run_facts){.id = "00c0ffee00c0ffee",
                                       .started = "2026-11-21T03:14:15Z",
                                       .elapsed_s = 27.25,
                                       .seed = UINT64_MAX - 1,
                                       .precision = 0.01,
                                       .budget_s = 30,
                                       .complete = true,
                                       .moves = 3};
    *(struct placement_facts *)pool_append(pool, (void **)&document->run.placements,
                                           &document->run.placement_count,
                                           sizeof(struct placement_facts)) =
        (struct placement_facts){"CPUs 0 and 1: one core", 12.5, 17};
    static const char *const command[] = {"fathom", "run", "-o", "a \"b\".json"};
    for (size_t i = 0; i < 4; i++)
        *(const char **)pool_append(pool, (void **)&document->run.command,
                                    &document->run.command_count, sizeof(char *)) = command[i];
    sample_machine(document, cpus);
    document->conditions = (struct conditions){.core_hz = 2993e6,
                                               .counter_hz = 2699999744,
                                               .counter = "tsc",
                                               .thp = "madvise",
                                               .affinity = "0-1",
                                               .load1 = 0.25,
                                               .others_cpus = NAN,
                                               .stolen_s = NAN};
    *(struct remark *)pool_append(pool, (void **)&document->conditions.remarks,
                                  &document->conditions.remark_count, sizeof(struct remark)) =
        (struct remark){"turbo is on", "the clock changes with heat", "turn it off"};
    sample_latency(document, per_octave);
    sample_cores(document, cpus);
    struct probe_result *skipped = sample_probe(document, "numa", "Latency by NUMA node");
    skipped->status = PROBE_SKIPPED;
    skipped->reason = "this machine has a single NUMA node";
}

#endif
