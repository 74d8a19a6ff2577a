/*
 * Which nodes are alike. Nodes of one kind of machine (processor, cores, devices) form a group if
 * they have the same memory, except for what the kernel reserves, and the same firmware.
 *
 * So a lost memory module or an older firmware would put a node into a group of its own, without
 * comparison. Therefore a group too small to be judged joins the largest group of the same
 * processor that has at least as much of everything; what its nodes have less of is reported as
 * lacking.
 */
#include "base/line.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "compare/fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

/* Memory that firmware and kernel reserve differs between equal machines by less than this. */
static const double memory_alike = 0.02;

struct sorted {
    const struct fleet_node *node;
    size_t index;
    unsigned memory; /* class of memory size, ascending */
};

static int by_kind_and_memory(const void *a, const void *b)
{
    const struct fleet_node *left = ((const struct sorted *)a)->node;
    const struct fleet_node *right = ((const struct sorted *)b)->node;
    return ORDER_BY({left->kind, right->kind}, {left->memory_bytes, right->memory_bytes});
}

static int order_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int by_group(const void *a, const void *b)
{
    const struct sorted *left = a, *right = b;
    int order = ORDER_BY({left->node->kind, right->node->kind}, {left->memory, right->memory});
    order = order ? order : order_texts(left->node->bios, right->node->bios);
    return order ? order : ORDER_BY({left->index, right->index});
}

/* --- hosts with several documents --- */

static int by_host(const void *a, const void *b)
{
    const struct sorted *left = a, *right = b;
    int order = strcmp(left->node->name, right->node->name);
    if (!order)
        order = order_texts(right->node->started, left->node->started);
    return order ? order : (left->index < right->index) - (left->index > right->index);
}

/* For each host the newest document counts, of now and of last time; with equal times, the last one
 * given. */
static void replace_older(struct fleet *fleet, struct sorted *sorted)
{
    struct fleet_node *now = NULL, *before = NULL;
    qsort(sorted, fleet->node_count, sizeof *sorted, by_host);
    for (size_t i = 0; i < fleet->node_count; i++) {
        struct fleet_node *node = &fleet->nodes[sorted[i].index];
        if (i && strcmp(sorted[i - 1].node->name, node->name) != 0)
            now = before = NULL;
        struct fleet_node **newest = node->state == NODE_BEFORE ? &before : &now;
        if (*newest)
            node->state = NODE_REPLACED;
        else
            *newest = node;
        if (now && before)
            now->before = before;
    }
}

/* --- groups --- */

static const struct machine_facts *machine_of(const struct fleet *fleet, size_t kind)
{
    return &fleet->kinds[kind].facts.machine;
}

static bool is_new_group(const struct sorted *before, const struct sorted *at)
{
    return before->node->kind != at->node->kind || before->memory != at->memory ||
           order_texts(before->node->bios, at->node->bios) != 0;
}

static void make_groups(struct fleet *fleet, struct sorted *sorted, size_t count)
{
    qsort(sorted, count, sizeof *sorted, by_kind_and_memory);
    for (size_t i = 1; i < count; i++) {
        const double before = (double)sorted[i - 1].node->memory_bytes;
        const double now = (double)sorted[i].node->memory_bytes;
        sorted[i].memory = sorted[i - 1].memory + (now > before * (1 + memory_alike));
    }
    qsort(sorted, count, sizeof *sorted, by_group);
    for (size_t i = 0; i < count; i++) {
        struct fleet_group *group = i && !is_new_group(&sorted[i - 1], &sorted[i])
                                        ? &fleet->groups[fleet->group_count - 1]
                                        : pool_append(&fleet->pool, (void **)&fleet->groups,
                                                      &fleet->group_count, sizeof *group);
        if (!group->count++) {
            group->kind = sorted[i].node->kind;
            group->first = sorted[i].index;
        }
        fleet->nodes[sorted[i].index].group = fleet->group_count - 1;
    }
}

static uint64_t memory_of(const struct fleet *fleet, const struct fleet_group *group)
{
    return fleet->nodes[group->first].memory_bytes;
}

/* Facts of which `group` has less than `than`, if both are known. */
static unsigned lacks(const struct fleet *fleet, const struct fleet_group *group,
                      const struct fleet_group *than)
{
    const struct machine_facts *has = machine_of(fleet, group->kind);
    const struct machine_facts *should = machine_of(fleet, than->kind);
    const double memory = (double)memory_of(fleet, group);
    unsigned set = 0;
    set |= (unsigned)(has->cores < should->cores) << FACT_CORES;
    set |= (unsigned)(has->threads < should->threads) << FACT_THREADS;
    set |= (unsigned)(has->gpu_count < should->gpu_count) << FACT_DEVICES;
    set |= (unsigned)(has->node_count < should->node_count) << FACT_NODES;
    set |= (unsigned)(memory * (1 + memory_alike) < (double)memory_of(fleet, than)) << FACT_MEMORY;
    return set;
}

/* Whether machines of the group may be machines of the other with parts missing. */
static bool could_be(const struct fleet *fleet, const struct fleet_group *group,
                     const struct fleet_group *other)
{
    const struct machine_facts *has = machine_of(fleet, group->kind);
    const struct machine_facts *should = machine_of(fleet, other->kind);
    return text_same(has->cpu_model, should->cpu_model) &&
           text_same(has->cpu_arch, should->cpu_arch) &&
           text_same(has->hypervisor, should->hypervisor) && !lacks(fleet, other, group);
}

static struct fleet_group *largest_like(const struct fleet *fleet, const struct fleet_group *group)
{
    struct fleet_group *found = NULL;
    for (size_t g = 0; g < fleet->group_count; g++) {
        struct fleet_group *other = &fleet->groups[g];
        if (other->judged && could_be(fleet, group, other) &&
            (!found || other->count > found->count))
            found = other;
    }
    return found;
}

/* Moves the nodes of groups that are too small to the group that they join: into[g] is that group,
 * or g itself. */
static void join_small(struct fleet *fleet)
{
    size_t *into = pool_alloc(&fleet->pool, fleet->group_count + 1, sizeof *into);
    unsigned *lacking = pool_alloc(&fleet->pool, fleet->group_count + 1, sizeof *lacking);
    for (size_t g = 0; g < fleet->group_count; g++)
        fleet->groups[g].judged = fleet->groups[g].count >= PEERS_FEWEST;
    for (size_t g = 0; g < fleet->group_count; g++) {
        const struct fleet_group *group = &fleet->groups[g];
        const struct fleet_group *like = group->judged ? NULL : largest_like(fleet, group);
        into[g] = like ? (size_t)(like - fleet->groups) : g;
        lacking[g] = like ? lacks(fleet, group, like) : 0;
    }
    for (size_t i = 0; i < fleet->node_count; i++) {
        struct fleet_node *node = &fleet->nodes[i];
        if (node->state != NODE_JUDGED)
            continue;
        const size_t own = node->group;
        node->group = into[own];
        node->lacks = lacking[own];
        const struct fleet_group *group = &fleet->groups[node->group];
        node->state = group->judged ? NODE_JUDGED : NODE_ALONE;
        if (into[own] != own) {
            fleet->groups[own].count--;
            fleet->groups[into[own]].count++;
        }
    }
}

/* --- facts in which a node differs from most of its group --- */

/* A node's value of a fact. */
struct said {
    struct fleet_node *node;
    struct changed_fact fact;
};

static int by_fact(const void *a, const void *b)
{
    const struct said *left = a, *right = b;
    int order =
        ORDER_BY({left->node->group, right->node->group}, {left->node->kind, right->node->kind});
    order = order ? order : strcmp(left->fact.what, right->fact.what);
    return order ? order : strcmp(left->fact.after, right->fact.after);
}

static bool are_peers(const struct fleet_node *a, const struct fleet_node *b)
{
    return a->state == NODE_JUDGED && a->group == b->group && a->kind == b->kind;
}

static void add_fact(struct fleet *fleet, struct fleet_node *node, struct changed_fact fact)
{
    struct changed_fact *slot =
        pool_append(&fleet->pool, (void **)&node->facts.list, &node->facts.count, sizeof *slot);
    *slot = fact;
}

/* Notes the nodes whose value of a fact is rare, where most nodes have another one. */
static void vote(struct fleet *fleet, const struct said *said, size_t count, size_t nodes)
{
    const struct changed_fact first = said[0].fact;
    const struct changed_fact *most = NULL; /* NULL: most nodes have that of the first document */
    size_t end = 0;
    for (size_t i = 0; i < count; i = end) {
        for (end = i; end < count && strcmp(said[end].fact.after, said[i].fact.after) == 0;)
            end++;
        if (2 * (end - i) > nodes)
            most = &said[i].fact;
    }
    if (!most && 2 * (nodes - count) <= nodes)
        return;
    for (size_t i = 0; i < count; i = end) {
        for (end = i; end < count && strcmp(said[end].fact.after, said[i].fact.after) == 0;)
            end++;
        for (size_t s = i; s < end && end - i < PEERS_FEWEST && &said[i].fact != most; s++)
            add_fact(fleet, said[s].node,
                     (struct changed_fact){first.what, most ? most->after : first.before,
                                           said[s].fact.after,
                                           most ? SIDE_NEITHER : said[s].fact.side, false});
    }
    if (most && nodes > count && nodes - count < PEERS_FEWEST) {
        /* Nodes with the same value as their kind's first document are not in the list `said`. */
        const struct changed_fact fact = {first.what, most->after, first.before,
                                          most->side == SIDE_MORE   ? SIDE_LESS
                                          : most->side == SIDE_LESS ? SIDE_MORE
                                                                    : SIDE_NEITHER,
                                          false};
        for (size_t i = 0; i < fleet->node_count; i++) {
            struct fleet_node *node = &fleet->nodes[i];
            size_t s = 0;
            while (s < count && said[s].node != node)
                s++;
            if (s == count && are_peers(node, said[0].node))
                add_fact(fleet, node, fact);
        }
    }
}

/* A value that as many nodes share as make a group is that of another kind of machine, and no
 * fault. */
static void compare_facts(struct fleet *fleet)
{
    struct said *said = NULL;
    size_t count = 0;
    for (size_t i = 0; i < fleet->node_count; i++) {
        struct fleet_node *node = &fleet->nodes[i];
        for (size_t f = 0; f < node->facts.count && node->state == NODE_JUDGED; f++) {
            struct said *slot = pool_append(&fleet->pool, (void **)&said, &count, sizeof *slot);
            *slot = (struct said){node, node->facts.list[f]};
        }
        node->facts = (struct changed_facts){NULL, 0};
    }
    if (count)
        qsort(said, count, sizeof *said, by_fact);
    size_t nodes = 0; /* that are peers of this one */
    for (size_t from = 0, to = 0; from < count; from = to) {
        const bool first = from == 0 || !are_peers(said[from].node, said[from - 1].node);
        nodes = first ? 0 : nodes;
        for (to = from; to < count && are_peers(said[from].node, said[to].node) &&
                        strcmp(said[from].fact.what, said[to].fact.what) == 0;)
            to++;
        for (size_t i = 0; i < fleet->node_count && first; i++)
            nodes += are_peers(&fleet->nodes[i], said[from].node);
        vote(fleet, &said[from], to - from, nodes);
    }
}

/* --- their names --- */

static void name_groups(struct fleet *fleet)
{
    for (size_t g = 0; g < fleet->group_count; g++) {
        struct fleet_group *group = &fleet->groups[g];
        const struct machine_facts *machine = machine_of(fleet, group->kind);
        const uint64_t memory = memory_of(fleet, group);
        struct line line = {0};
        char size[UNIT_TEXT];
        if (machine->cpu_model || machine->cpu_arch)
            line_add_clean(&line, machine->cpu_model ? machine->cpu_model : machine->cpu_arch);
        else
            line_add(&line, "unknown processor");
        if (machine->cores)
            line_add(&line, ", %u core%s", machine->cores, machine->cores == 1 ? "" : "s");
        if (memory)
            line_add(&line, ", %s", size_format((double)memory, size));
        if (machine->gpu_count) {
            line_add(&line, ", %zu x ", machine->gpu_count);
            line_add_clean(&line, machine->gpus[0].name);
        }
        if (fleet->nodes[group->first].bios) {
            line_add(&line, ", BIOS ");
            line_add_clean(&line, fleet->nodes[group->first].bios);
        }
        group->name = pool_strdup(&fleet->pool, line.text);
    }
}

void fleet_group(struct fleet *fleet)
{
    struct sorted *sorted = pool_alloc(&fleet->pool, fleet->node_count, sizeof *sorted);
    for (size_t i = 0; i < fleet->node_count; i++)
        sorted[i] = (struct sorted){.node = &fleet->nodes[i], .index = i};
    replace_older(fleet, sorted);
    size_t count = 0;
    for (size_t i = 0; i < fleet->node_count; i++)
        if (fleet->nodes[i].state == NODE_JUDGED)
            sorted[count++] = (struct sorted){.node = &fleet->nodes[i], .index = i};
    make_groups(fleet, sorted, count);
    join_small(fleet);
    compare_facts(fleet);
    name_groups(fleet);
}
