/* Copies from each document what the fleet keeps. */
#include "base/text.h"
#include "compare/figure.h"
#include "compare/fleet/fleet.h"
#include "conclude/registry/experiment.h"
#include "document/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A document of fathom has some hundreds of findings, and a fleet holds those of all its nodes; a
 * foreign document's findings beyond this number are ignored. */
enum { FINDINGS_MOST = 20000, PLACES_FIRST = 1024 };

/* FNV-1a (Fowler, Noll, Vo), which is enough because entries with equal hashes are compared in
 * full. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}
static const uint64_t hash_seed = 0xcbf29ce484222325u;

static uint64_t hash_whole(uint64_t hash, uint64_t whole)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (whole >> 8 * i & 0xff)) * 0x100000001b3u;
    return hash;
}

/* --- kinds of machine --- */

/* Copies a document without its probes by writing and reading it, because only its own tables list
 * all facts (document/shape.h). */
static int copy_facts(struct document *copy, const struct document *document, struct error *error)
{
    struct document bare = {
        .tool = document->tool,
        .run = {.complete = true, .elapsed_s = NAN, .precision = NAN, .budget_s = NAN},
        .machine = document->machine,
        .conditions = document->conditions};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    int code = stream ? document_write(&bare, stream, error) : error_out_of_memory(error);
    if (stream && fclose(stream) != 0 && code == 0)
        code = error_out_of_memory(error);
    if (code == 0)
        code = document_read_text(copy, text, size, "a machine's facts", error);
    free(text);
    return code;
}

static size_t kind_of(struct fleet *fleet, const struct document *document)
{
    /* A hash of all facts of a machine except its memory, which differs by some pages between equal
     * machines, and its firmware, which may be updated. */
    const struct machine_facts *machine = &document->machine;
    uint64_t key = hash_text(hash_text(hash_seed, machine->cpu_model), machine->cpu_arch);
    key = hash_text(hash_text(key, machine->cpu_vendor), machine->hypervisor);
    key = hash_whole(hash_whole(key, machine->cores), machine->threads);
    key = hash_whole(hash_whole(key, machine->node_count), machine->gpu_count);
    for (size_t i = 0; i < machine->gpu_count; i++)
        key = hash_text(key, machine->gpus[i].name);
    for (size_t kind = fleet->kind_count; kind > 0; kind--)
        if (fleet->kinds[kind - 1].key == key)
            return kind - 1;
    struct fleet_kind *slot =
        pool_append(&fleet->pool, (void **)&fleet->kinds, &fleet->kind_count, sizeof *slot);
    slot->key = key;
    pool_check(&fleet->pool, copy_facts(&slot->facts, document, pool_error(&fleet->pool)));
    return fleet->kind_count - 1;
}

/* --- findings --- */

static struct factor *copy_factors(struct pool *pool, const struct factor *factors, size_t count)
{
    struct factor *copy = pool_alloc(pool, count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        const struct factor *from = &factors[i];
        copy[i] = (struct factor){pool_strdup(pool, from->name), pool_strdup(pool, from->text),
                                  from->number};
    }
    return copy;
}

/* Conditions of a run are no fault of the machine, except clock, heat, power and the CPU time that
 * other programs take. Sentences and lists of CPUs have no value to compare. */
static bool is_judged(const struct finding_meaning *meaning)
{
    if (!meaning->quantity || meaning->role == ROLE_NOTE || meaning->role == ROLE_CLUSTER ||
        meaning->role == ROLE_DISAGREEMENT)
        return false;
    const enum dimension dimension = meaning->quantity->dimension;
    if (meaning->role == ROLE_CONDITION)
        return dimension == DIMENSION_FREQUENCY || dimension == DIMENSION_TEMPERATURE ||
               dimension == DIMENSION_POWER || meaning->fact == FACT_TAKEN;
    return meaning->side != SIDE_NEITHER || dimension == DIMENSION_SIZE ||
           meaning->fact == FACT_WAYS || meaning->fact == FACT_ENTRIES;
}

static bool is_of(const struct fleet_finding *known, const char *probe,
                  const struct finding *finding)
{
    return strcmp(known->probe, probe) == 0 &&
           finding_name_order(known->like.name, finding->name) == 0 &&
           quantity_same(known->like.unit, finding->unit) &&
           experiment_order(&known->like, finding) == 0;
}

static struct fleet_finding *add_finding(struct fleet *fleet, const char *probe,
                                         const struct finding *finding)
{
    struct fleet_finding *slot =
        pool_append(&fleet->pool, (void **)&fleet->findings, &fleet->finding_count, sizeof *slot);
    slot->probe = pool_strdup(&fleet->pool, probe);
    slot->like = (struct finding){
        .name = pool_strdup(&fleet->pool, finding->name),
        .unit = pool_strdup(&fleet->pool, finding->unit),
        .cpus = pool_strdup(&fleet->pool, finding->cpus),
        .value = NAN,
        .low = NAN,
        .high = NAN,
        .declared = NAN,
        .disturbance = {NAN, NAN},
        .factors = copy_factors(&fleet->pool, finding->factors, finding->factor_count),
        .factor_count = finding->factor_count,
        .deviations = finding->deviations};
    slot->meaning = finding_meaning(&slot->like);
    slot->judged = is_judged(&slot->meaning);
    return slot;
}

static uint64_t hash_of(const char *probe, const struct finding *finding)
{
    uint64_t hash = hash_text(hash_text(hash_seed, probe), finding->name);
    for (size_t i = 0; i < finding->deviations; i++) {
        const struct factor *factor = &finding->factors[i];
        const double number = factor->number + 0.0; /* -0 equals 0 */
        uint64_t bits = 0;
        memcpy(&bits, &number, factor->text ? 0 : sizeof bits);
        hash = hash_whole(hash_text(hash_text(hash, factor->name), factor->text), bits);
    }
    return hash;
}

/* The place in the hash table where the finding is or would be: open addressing, at most half full.
 * A place holds the finding's index plus one. */
static size_t *place_of(const struct fleet *fleet, const char *probe, const struct finding *finding)
{
    const size_t mask = fleet->place_count - 1;
    size_t at = (size_t)hash_of(probe, finding) & mask;
    while (fleet->places[at] && !is_of(&fleet->findings[fleet->places[at] - 1], probe, finding))
        at = (at + 1) & mask;
    return &fleet->places[at];
}

static void grow_places(struct fleet *fleet)
{
    if (2 * (fleet->finding_count + 1) <= fleet->place_count)
        return;
    const size_t count = fleet->place_count ? 2 * fleet->place_count : PLACES_FIRST;
    size_t *places = pool_alloc(&fleet->pool, count, sizeof *places);
    fleet->places = places;
    fleet->place_count = count;
    for (size_t i = 0; i < fleet->finding_count; i++)
        *place_of(fleet, fleet->findings[i].probe, &fleet->findings[i].like) = i + 1;
}

/* If several findings have one name and experiment (for different CPUs), the first counts.
 * `ordered`: values come node after node, so only the last one can be of this node. */
static void add_value(struct fleet *fleet, size_t node, const char *probe,
                      const struct finding *finding, bool ordered)
{
    grow_places(fleet);
    size_t *place = place_of(fleet, probe, finding);
    if (!*place && fleet->finding_count >= FINDINGS_MOST)
        return;
    struct fleet_finding *known =
        *place ? &fleet->findings[*place - 1] : add_finding(fleet, probe, finding);
    *place = (size_t)(known - fleet->findings) + 1;
    for (size_t i = known->count; i-- > (ordered && known->count ? known->count - 1 : 0);)
        if (known->values[i].node == node)
            return;
    struct fleet_value *before = known->values;
    struct fleet_value *value =
        pool_append(&fleet->pool, (void **)&known->values, &known->count, sizeof *value);
    if (before != known->values)
        pool_give_back(&fleet->pool, before);
    *value = (struct fleet_value){.node = node,
                                  .value = finding->value,
                                  .low = finding->low,
                                  .high = finding->high,
                                  .ratio = NAN,
                                  .p = 1};
}

/* --- levels --- */

/* The levels of the document, with experiments that outlive it. */
static struct level_links levels_of(struct pool *pool, const struct document *document)
{
    const struct level_links links = level_links_of(pool, document);
    for (size_t i = 0; i < links.count; i++) {
        const struct finding *like = links.list[i].like;
        struct finding *experiment = pool_alloc(pool, 1, sizeof *experiment);
        experiment->factors = copy_factors(pool, like->factors, like->deviations);
        experiment->factor_count = experiment->deviations = like->deviations;
        links.list[i].like = experiment;
    }
    return links;
}

/* Numbers the levels of each group's nodes, and of the same hosts last time. */
static void number_groups(struct fleet *fleet, struct pool *scratch)
{
    struct level_links *all = pool_alloc(scratch, fleet->node_count, sizeof *all);
    for (size_t g = 0; g < fleet->group_count; g++) {
        size_t n = 0;
        for (size_t i = 0; i < fleet->node_count; i++) {
            const struct fleet_node *node = &fleet->nodes[i];
            if ((node->state != NODE_JUDGED && node->state != NODE_ALONE) || node->group != g)
                continue;
            all[n++] = node->levels;
            if (node->before)
                all[n++] = node->before->levels;
        }
        if (n > 1)
            level_links_number(all, n, level_links_usual(all, n, scratch), scratch);
    }
}

struct moved {
    struct fleet_value value;
    size_t from; /* index of the finding that had it */
};

void fleet_number_levels(struct fleet *fleet, struct pool *scratch)
{
    struct moved *moved = NULL;
    size_t count = 0;
    number_groups(fleet, scratch);
    for (size_t f = 0; f < fleet->finding_count; f++) {
        struct fleet_finding *finding = &fleet->findings[f];
        size_t kept = 0;
        for (size_t i = 0; i < finding->count; i++) {
            const struct fleet_value value = finding->values[i];
            const int number = level_partner(&fleet->nodes[value.node].levels, &finding->like);
            if (number < 0 || number == finding->meaning.number) {
                finding->values[kept++] = value;
            } else if (number > 0) {
                struct moved *slot = pool_append(scratch, (void **)&moved, &count, sizeof *slot);
                *slot = (struct moved){value, f};
            }
        }
        finding->count = kept;
    }
    for (size_t i = 0; i < count; i++) {
        const struct fleet_value *value = &moved[i].value;
        const struct fleet_finding *from = &fleet->findings[moved[i].from];
        struct finding to = level_numbered(scratch, &fleet->nodes[value->node].levels, &from->like);
        to.value = value->value;
        to.low = value->low;
        to.high = value->high;
        add_value(fleet, value->node, from->probe, &to, false);
    }
}

/* --- nodes --- */

/* "n017" of "runs/n017.json". */
static const char *name_of_file(struct pool *pool, const char *path)
{
    static const char ending[] = ".json";
    const char *slash = strrchr(path, '/');
    char *name = pool_strdup(pool, slash && slash[1] ? slash + 1 : path);
    if (text_ends_with(name, ending) && strlen(name) > strlen(ending))
        name[strlen(name) - strlen(ending)] = '\0';
    return name;
}

/* In what its machine differs from the first of its kind. */
static void add_facts(struct fleet *fleet, struct fleet_node *node, const struct document *document)
{
    struct pool *pool = &fleet->pool;
    struct changed_facts all = {NULL, 0};
    facts_compare(&all, pool, &fleet->kinds[node->kind].facts, document);
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].of_run || strcmp(all.list[i].what, "memory") == 0) /* see FACT_MEMORY */
            continue;
        struct changed_fact *fact =
            pool_append(pool, (void **)&node->facts.list, &node->facts.count, sizeof *fact);
        *fact = all.list[i];
        fact->before = pool_strdup(pool, fact->before);
        fact->after = pool_strdup(pool, fact->after);
    }
}

static bool has_value(const struct document *document)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++)
            if (isfinite(document->probes[p].findings[f].value))
                return true;
    return false;
}

static void add_hole(struct fleet *fleet, const char *name, const char *reason)
{
    struct fleet_hole *hole =
        pool_append(&fleet->pool, (void **)&fleet->holes, &fleet->hole_count, sizeof *hole);
    *hole = (struct fleet_hole){pool_strdup(&fleet->pool, name), pool_strdup(&fleet->pool, reason)};
}

struct adding {
    struct fleet *fleet;
    const struct document *document; /* NULL: a hole */
    const char *name, *reason;
};

static int add(void *with)
{
    const struct adding *adding = with;
    const struct document *document = adding->document;
    struct fleet *fleet = adding->fleet;
    if (!document) {
        add_hole(fleet, adding->name, adding->reason);
        return 0;
    }
    if (!has_value(document)) {
        add_hole(fleet, document->file ? document->file : "standard input",
                 "it holds no value: nothing was measured there");
        return 0;
    }
    const struct machine_facts *machine = &document->machine;
    struct pool *pool = &fleet->pool;
    const char *file = document->file ? document->file : "standard input";
    const size_t kind = kind_of(fleet, document);
    struct fleet_node *node =
        pool_append(pool, (void **)&fleet->nodes, &fleet->node_count, sizeof *node);
    *node = (struct fleet_node){.name = machine->hostname && *machine->hostname
                                            ? pool_strdup(pool, machine->hostname)
                                            : name_of_file(pool, file),
                                .file = pool_strdup(pool, file),
                                .started = pool_strdup(pool, document->run.started),
                                .bios = pool_strdup(pool, machine->bios),
                                .kind = kind,
                                .busy = figure_source_of(document).busy,
                                .levels = levels_of(pool, document),
                                .state = fleet->of_last_time ? NODE_BEFORE : NODE_JUDGED,
                                .memory_bytes = machine->memory_bytes};
    add_facts(fleet, node, document);
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        for (size_t f = 0; f < probe->finding_count; f++)
            if (isfinite(probe->findings[f].value))
                add_value(fleet, fleet->node_count - 1, probe->name, &probe->findings[f], true);
    }
    return 0;
}

int fleet_add(struct fleet *fleet, const struct document *document, struct error *error)
{
    return pool_enter(&fleet->pool, add, &(struct adding){.fleet = fleet, .document = document},
                      error);
}

int fleet_add_hole(struct fleet *fleet, const char *name, const char *reason, struct error *error)
{
    return pool_enter(&fleet->pool, add,
                      &(struct adding){.fleet = fleet, .name = name, .reason = reason}, error);
}

void fleet_free(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->kind_count; i++)
        document_free(&fleet->kinds[i].facts);
    pool_free(&fleet->pool);
    *fleet = (struct fleet){0};
}
