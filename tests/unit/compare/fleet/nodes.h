/*
 * Documents of made-up nodes: as few findings as a fleet needs, which scatter by half a percent, so
 * that the 3 % from which on differences are reported are no chance.
 */
#ifndef TESTS_UNIT_FLEET_NODES_H
#define TESTS_UNIT_FLEET_NODES_H

#include "base/random.h"
#include "compare/fleet/fleet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { NODE_FINDINGS = 8 };

/* What is changed in a node. */
struct node_fault {
    const char *finding; /* of which name; NULL: none */
    double ratio;
};

struct node_plan {
    const char *model, *bios, *started;
    double memory_gib;
    unsigned cores;
    size_t gpus;
    struct node_fault faults[NODE_FINDINGS];
};

static const struct node_plan ordinary = {.model = "AMD EPYC",
                                          .bios = "1.2",
                                          .started = "2026-11-23T01:00:00Z",
                                          .memory_gib = 512,
                                          .cores = 64};

struct node_paper {
    struct document document;
    struct probe_result probes[2];
    struct finding findings[NODE_FINDINGS];
    struct gpu_facts gpus[8];
    char host[32], file[48];
};

static inline double scattered(uint64_t seed, double spread)
{
    struct random random = {seed};
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(&random);
    return exp(spread * sum);
}

static inline double fault_of(const struct node_plan *plan, const char *name)
{
    for (size_t i = 0; i < NODE_FINDINGS && plan->faults[i].finding; i++)
        if (strcmp(plan->faults[i].finding, name) == 0)
            return plan->faults[i].ratio;
    return 1;
}

/* Fills the paper with the document of node `index`. */
static inline const struct document *node_document(struct node_paper *paper,
                                                   const struct node_plan *plan, unsigned index)
{
    static const struct {
        const char *name, *unit;
        double value, spread;
    } lines[NODE_FINDINGS] = {
        {"L1.latency", "cycles", 4, 0.001},       {"L1.latency_ns", "ns", 1.1, 0.002},
        {"L3.capacity", "B", 32e6, 0.02},         {"DRAM.latency", "cycles", 400, 0.005},
        {"DRAM.latency_ns", "ns", 110, 0.005},    {"core.clock", "Hz", 3.6e9, 0.002},
        {"bandwidth.read.1", "B/s", 3e10, 0.005}, {"bandwidth.read.all", "B/s", 2e11, 0.005}};
    enum { LATENCIES = 6 };
    *paper = (struct node_paper){.document = {.run = {.complete = true, .started = plan->started}}};
    snprintf(paper->host, sizeof paper->host, "n%03u", index);
    snprintf(paper->file, sizeof paper->file, "runs/n%03u.json", index);
    for (unsigned i = 0; i < NODE_FINDINGS; i++) {
        const double value = lines[i].value * fault_of(plan, lines[i].name) *
                             scattered(1000 * index + i, lines[i].spread);
        paper->findings[i] = (struct finding){.name = lines[i].name,
                                              .unit = lines[i].unit,
                                              .value = value,
                                              .low = value * (1 - lines[i].spread),
                                              .high = value * (1 + lines[i].spread),
                                              .declared = NAN};
    }
    for (size_t i = 0; i < plan->gpus; i++)
        paper->gpus[i] = (struct gpu_facts){.id = (int)i, .name = "H100"};
    paper->probes[0] = (struct probe_result){
        .name = "latency", .findings = paper->findings, .finding_count = LATENCIES};
    paper->probes[1] = (struct probe_result){.name = "bandwidth",
                                             .findings = paper->findings + LATENCIES,
                                             .finding_count = NODE_FINDINGS - LATENCIES};
    struct document *document = &paper->document;
    document->file = paper->file;
    document->probes = paper->probes;
    document->probe_count = 2;
    document->machine =
        (struct machine_facts){.hostname = paper->host,
                               .cpu_model = plan->model,
                               .cpu_arch = "x86_64",
                               .bios = plan->bios,
                               .cores = plan->cores,
                               .threads = plan->cores,
                               .memory_bytes = (uint64_t)(plan->memory_gib * 0x1p30),
                               .gpus = paper->gpus,
                               .gpu_count = plan->gpus};
    document->conditions = (struct conditions){
        .core_hz = NAN, .counter_hz = NAN, .load1 = NAN, .others_cpus = NAN, .stolen_s = NAN};
    return document;
}

static inline void add_nodes(struct fleet *fleet, const struct node_plan *plan, unsigned from,
                             unsigned count)
{
    struct node_paper paper;
    struct error error = {0};
    for (unsigned i = from; i < from + count; i++)
        if (fleet_add(fleet, node_document(&paper, plan, i), &error) < 0)
            fail_msg("%s", error.text);
}

static const struct fleet_rules usual_rules = {.false_share = 0.0025, .least = 0.03};

static inline void judge_fleet(struct fleet *fleet)
{
    struct error error = {0};
    if (fleet_judge(fleet, &usual_rules, &error) < 0)
        fail_msg("%s", error.text);
}

static inline const struct fleet_node *node_named(const struct fleet *fleet, const char *name)
{
    for (size_t i = 0; i < fleet->node_count; i++)
        if (strcmp(fleet->nodes[i].name, name) == 0)
            return &fleet->nodes[i];
    fail_msg("no node is called %s", name);
    return NULL;
}

#endif
