#include "compare/facts.h"

#include "base/text.h"
#include "base/units.h"
#include "conclude/registry/device.h"
#include "conclude/registry/experiment.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

struct listing {
    struct changed_facts *facts;
    struct pool *pool;
    bool of_run;
};

static void add(const struct listing *listing, const char *what, const char *before,
                const char *after, enum side side)
{
    struct changed_facts *facts = listing->facts;
    struct changed_fact *fact =
        pool_append(listing->pool, (void **)&facts->list, &facts->count, sizeof *fact);
    *fact = (struct changed_fact){what, before, after, side, listing->of_run};
}

static void add_texts(const struct listing *listing, const char *what, const char *a, const char *b)
{
    if (a && b && strcmp(a, b) != 0)
        add(listing, what, a, b, SIDE_NEITHER);
}

static const char *number_text(struct pool *pool, double number, enum dimension dimension)
{
    char size[UNIT_TEXT];
    if (dimension == DIMENSION_SIZE)
        return pool_strdup(pool, size_format(number, size));
    return dimension == DIMENSION_FREQUENCY ? pool_printf(pool, "%.3g GHz", number * 1e-9)
                                            : pool_printf(pool, "%.0f", number);
}

/* Compares numbers. 0 is unknown; a smaller number is worse, unless `neither` is set. */
static void add_numbers(const struct listing *listing, const char *what, double a, double b,
                        enum dimension dimension, bool neither)
{
    const double alike = 0.02; /* kernels keep different amounts of memory for themselves */
    const enum side side = neither ? SIDE_NEITHER : b < a ? SIDE_MORE : SIDE_LESS;
    if (a > 0 && b > 0 && fabs(log(b / a)) > alike)
        add(listing, what, number_text(listing->pool, a, dimension),
            number_text(listing->pool, b, dimension), side);
}

/* --- of the machine --- */

static double highest_clock(const struct machine_facts *machine)
{
    double most = 0;
    for (size_t i = 0; i < machine->declared.clock_count; i++) {
        const struct declared_clock *clock = &machine->declared.clocks[i];
        most = fmax(most, (double)(clock->max_hz ? clock->max_hz : clock->hardware_max_hz));
    }
    return most;
}

/* A foreign document may declare any number of caches. */
enum { CACHES_MOST = 64 };

static void compare_caches(const struct listing *listing, const struct machine_facts *a,
                           const struct machine_facts *b)
{
    for (size_t i = 0; i < a->cache_count && i < CACHES_MOST; i++) {
        const struct cache_facts *one = &a->caches[i], *other = NULL;
        size_t nth = 0; /* of this level and type: there is one for each kind of core */
        for (size_t before = 0; before < i; before++)
            nth += a->caches[before].level == one->level &&
                   text_same(a->caches[before].type, one->type);
        for (size_t j = 0; j < b->cache_count && j < CACHES_MOST && !other; j++)
            if (b->caches[j].level == one->level && text_same(b->caches[j].type, one->type) &&
                nth-- == 0)
                other = &b->caches[j];
        const char *type = one->type && strcmp(one->type, "unified") != 0 ? one->type : "";
        const char *name =
            pool_printf(listing->pool, "declared L%d%s%s", one->level, *type ? " " : "", type);
        if (!other)
            continue;
        add_numbers(listing, name, (double)one->size_bytes, (double)other->size_bytes,
                    DIMENSION_SIZE, false);
        add_numbers(listing, pool_printf(listing->pool, "%s ways", name), one->ways, other->ways,
                    DIMENSION_NUMBER, false);
        add_numbers(listing, pool_printf(listing->pool, "%s line", name), one->line_bytes,
                    other->line_bytes, DIMENSION_SIZE, true);
    }
}

static void compare_devices(const struct listing *listing, const struct machine_facts *before,
                            const struct machine_facts *after)
{
    struct device_index in_a, in_b;
    device_index_fill(&in_a, before);
    device_index_fill(&in_b, after);
    for (int device = 0; device < DEVICES_MOST; device++) {
        const struct gpu_facts *a = in_a.of[device], *b = in_b.of[device];
        if (!a || !b)
            continue;
        const struct {
            const char *what, *a, *b;
        } facts[] = {
            {"", a->name, b->name},
            {" backend", a->backend, b->backend},
            {" driver", a->driver, b->driver},
            {" link", a->link, b->link},
            {" ECC", a->ecc, b->ecc},
            {" MIG", a->mig, b->mig},
            {" measured", a->modelled ? "by a stand-in for its driver" : "as hardware",
             b->modelled ? "by a stand-in for its driver" : "as hardware"},
        };
        for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
            add_texts(listing, pool_printf(listing->pool, "gpu%d%s", device, facts[f].what),
                      facts[f].a, facts[f].b);
        add_numbers(listing, pool_printf(listing->pool, "gpu%d memory", device),
                    (double)a->memory_bytes, (double)b->memory_bytes, DIMENSION_SIZE, false);
    }
}

/* A foreign document may list any number. */
enum { MITIGATIONS_MOST = 64 };

/* What is done about the fault that `of` names, "spectre_v2: ..."; NULL: it is not listed. */
static const char *mitigation(const struct machine_facts *machine, const char *of)
{
    const size_t length = strcspn(of, ":");
    for (size_t i = 0; i < machine->mitigation_count && i < MITIGATIONS_MOST; i++)
        if (strncmp(machine->mitigations[i], of, length + 1) == 0)
            return machine->mitigations[i] + length + (of[length] == ':');
    return NULL;
}

/* Those that do not affect the processor are not listed. A document that lists none may be of an
 * older fathom. */
static void compare_mitigations(const struct listing *listing, const struct machine_facts *a,
                                const struct machine_facts *b)
{
    static const char none[] = " not affected";
    const struct machine_facts *const sides[] = {a, b};
    for (int side = 0; side < 2 && a->mitigation_count && b->mitigation_count; side++)
        for (size_t i = 0; i < sides[side]->mitigation_count && i < MITIGATIONS_MOST; i++) {
            const char *of = sides[side]->mitigations[i], *before = mitigation(a, of),
                       *after = mitigation(b, of);
            if (side == 0 || !before)
                add_texts(
                    listing,
                    pool_printf(listing->pool, "mitigation of %.*s", (int)strcspn(of, ":"), of),
                    (before ? before : none) + strspn(before ? before : none, " "),
                    (after ? after : none) + strspn(after ? after : none, " "));
        }
}

static void compare_machines(const struct listing *listing, const struct document *a,
                             const struct document *b)
{
    const struct machine_facts *before = &a->machine, *after = &b->machine;
    add_numbers(listing, "CPUs", before->threads, after->threads, DIMENSION_NUMBER, false);
    add_numbers(listing, "cores", before->cores, after->cores, DIMENSION_NUMBER, false);
    add_numbers(listing, "memory", (double)before->memory_bytes, (double)after->memory_bytes,
                DIMENSION_SIZE, false);
    add_numbers(listing, "NUMA nodes", (double)before->node_count, (double)after->node_count,
                DIMENSION_NUMBER, true);
    add_numbers(listing, "highest clock", highest_clock(before), highest_clock(after),
                DIMENSION_FREQUENCY, false);
    compare_caches(listing, before, after);
    const struct {
        const char *what, *a, *b;
    } texts[] = {
        {"processor", before->cpu_model, after->cpu_model},
        {"architecture", before->cpu_arch, after->cpu_arch},
        {"hypervisor", before->hypervisor ? before->hypervisor : "none",
         after->hypervisor ? after->hypervisor : "none"},
        {"kernel", before->kernel, after->kernel},
        {"BIOS", before->bios, after->bios},
        {"microcode", before->microcode, after->microcode},
        {"SMT", a->conditions.smt, b->conditions.smt},
        {"turbo", a->conditions.turbo, b->conditions.turbo},
        {"clock governor", a->conditions.governor, b->conditions.governor},
        {"transparent huge pages", a->conditions.thp, b->conditions.thp},
        {"allowed CPUs", a->conditions.affinity, b->conditions.affinity},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_texts(listing, texts[i].what, texts[i].a, texts[i].b);
    compare_mitigations(listing, before, after);
    compare_devices(listing, before, after);
}

/* --- of the runs --- */

static const char *source_of(const struct document *document)
{
    return document_headline_flags(document) & FLAG_BIT(FLAG_MODELLED) ? "a model" : "hardware";
}

void facts_compare(struct changed_facts *facts, struct pool *pool, const struct document *a,
                   const struct document *b)
{
    compare_machines(&(struct listing){facts, pool, false}, a, b);
    const struct listing listing = {facts, pool, true};
    const double load_a = a->conditions.load1, load_b = b->conditions.load1;
    add_texts(&listing, "what was measured", source_of(a), source_of(b));
    add_texts(&listing, "the run", a->run.complete ? "complete" : "stopped",
              b->run.complete ? "complete" : "stopped");
    add_texts(&listing, "fathom", a->tool.version, b->tool.version);
    if (fabs(load_a - load_b) >= 1) /* other programs kept at least one more CPU busy */
        add(&listing, "load average", pool_printf(pool, "%.2f", load_a),
            pool_printf(pool, "%.2f", load_b), SIDE_NEITHER);
}

void facts_compare_pages(struct changed_facts *facts, struct pool *pool,
                         const struct probe_result *a, const struct probe_result *b)
{
    static const char *const names[] = {"pages_obtained", "other_pages_obtained"};
    const size_t before = facts->count;
    for (size_t i = 0; i < sizeof names / sizeof *names && facts->count == before; i++) {
        const struct factor *in_a = probe_parameter(a, names[i]),
                            *in_b = probe_parameter(b, names[i]);
        if (in_a && in_b)
            add_texts(&(struct listing){facts, pool, true},
                      pool_printf(pool, "pages in %s", a->name), in_a->text, in_b->text);
    }
}

void facts_compare_levels(struct changed_facts *facts, struct pool *pool,
                          const struct level_links of[2])
{
    char size[UNIT_TEXT];
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < of[side].count; i++) {
            const struct level_link *level = &of[side].list[i];
            if (level->partner || !level->reached)
                continue;
            const char *with = experiment_text(level->like, pool);
            const char *name =
                pool_printf(pool, level->bytes > 0 ? "L%d, up to %s" : "L%d", level->number,
                            level->bytes > 0 ? size_format(level->bytes, size) : "");
            add(&(struct listing){facts, pool, true},
                *with ? pool_printf(pool, "a level more or fewer (%s)", with)
                      : "a level more or fewer",
                side ? "none" : name, side ? name : "none", SIDE_NEITHER);
        }
}

void facts_put_first(struct changed_facts *facts, struct pool *pool, const char *what,
                     const char *before, const char *after)
{
    add(&(struct listing){facts, pool, true}, what, before, after, SIDE_NEITHER);
    const struct changed_fact last = facts->list[facts->count - 1];
    memmove(&facts->list[1], &facts->list[0], (facts->count - 1) * sizeof last);
    facts->list[0] = last;
}

bool facts_have(const struct changed_facts *facts, enum side side)
{
    for (size_t i = 0; i < facts->count; i++)
        if (!facts->list[i].of_run && facts->list[i].side != SIDE_NEITHER &&
            (side == SIDE_NEITHER || facts->list[i].side == side))
            return true;
    return false;
}
