/* Another core's caches by size, on two cores that do not exist: the sets that the helper goes
 * through lie in modelled caches, and the findings are how far these are and how large. */
#include "../modelled.h"

#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/contention.h"
#include "stats/sample.h"

#include <stdio.h>
#include <stdlib.h>

extern const struct probe coherence_probe;

enum { LINE = 64, WAYS = 16, CACHES = 2, CPUS = 2 };

/* A cache of the helper's: what it loses goes to the next one. */
struct room {
    size_t sets;
    double ns;
    uintptr_t *lines; /* [sets][WAYS], the latest first */
};

struct cores {
    struct modelled on;
    struct room rooms[CACHES];
    double memory_ns, scatter;
    struct random random;
    uintptr_t first; /* line of the set */
    struct cpu_place places[CPUS];
    int ids[CPUS];
    struct cache_facts caches[CACHES + 1];
    struct cache_place place;
};

static uintptr_t *set_of(const struct room *room, uintptr_t line)
{
    return &room->lines[random_mix(line) % room->sets * WAYS];
}

/* Makes the line the latest of its set, and the set's last one that of the next cache. */
static void bring(struct cores *cores, size_t which, uintptr_t line)
{
    if (which == CACHES)
        return;
    uintptr_t *set = set_of(&cores->rooms[which], line), lost = set[WAYS - 1];
    memmove(set + 1, set, (WAYS - 1) * sizeof *set);
    set[0] = line;
    if (lost)
        bring(cores, which + 1, lost);
}

static double find_ns(const struct cores *cores, uintptr_t line)
{
    for (size_t which = 0; which < CACHES; which++) {
        const uintptr_t *set = set_of(&cores->rooms[which], line);
        for (size_t way = 0; way < WAYS; way++)
            if (set[way] == line)
                return cores->rooms[which].ns;
    }
    return cores->memory_ns;
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct cores *cores = self;
    struct line_ring *ring = state;
    const bool helps = run == line_helper_run;
    assert_int_equal(ring->apart, helps ? LINE : 0);
    assert_int_equal(helps, cpu == 1);
    assert_int_equal(repeats, helps ? 2 : 1);
    if (!helps && ring->rests) {
        ring->rests = false;
        return 0;
    }
    for (size_t i = 0; helps && i < CACHES; i++)
        memset(cores->rooms[i].lines, 0,
               cores->rooms[i].sets * WAYS * sizeof *cores->rooms[i].lines);
    if (helps) /* the same sets of the caches in every run of this test */
        cores->first = (uintptr_t)ring->first / LINE;
    for (uint64_t i = 0; helps && i < 2 * ring->lines && ring->state != LINE_INVALID; i++)
        bring(cores, 0, i % ring->lines + 1);
    double ns = 0;
    const void *at = ring->first;
    for (uint64_t i = 0; !helps && i < ring->lines; i++, at = *(void *const *)at)
        ns += find_ns(cores, (uintptr_t)at / LINE - cores->first + 1);
    assert_ptr_equal(at, ring->first);
    return (uint64_t)(ns * 1000 * (1 + cores->scatter * (2 * random_unit(&cores->random) - 1)));
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    return count * 500;
}

static int set_up(void **state)
{
    static struct cores cores;
    cores = (struct cores){.scatter = 0.05, .random = {7}};
    assert_int_equal(
        modelled_begin(&cores.on,
                       (struct timing_model){.self = &cores, .work = work, .additions = additions}),
        0);
    *state = &cores;
    return 0;
}

static int tear_down(void **state)
{
    struct cores *cores = *state;
    modelled_end(&cores->on);
    for (size_t i = 0; i < CACHES; i++)
        free(cores->rooms[i].lines);
    return 0;
}

/* L2 and L3 of that many bytes, of which L1 is a part, and how far they and memory are. */
static void lay_out(struct cores *cores, const size_t bytes[CACHES], const double ns[CACHES + 1])
{
    for (int i = 0; i < CPUS; i++) {
        cores->places[i] = (struct cpu_place){.id = i, .core = i};
        cores->ids[i] = i;
    }
    cores->caches[0] = (struct cache_facts){1, "data", 32 << 10, LINE, 8, "0"};
    for (int i = 0; i < CACHES; i++) {
        free(cores->rooms[i].lines);
        cores->rooms[i] = (struct room){bytes[i] / LINE / WAYS, ns[i],
                                        calloc(bytes[i] / LINE, sizeof(uintptr_t))};
        assert_non_null(cores->rooms[i].lines);
        cores->caches[i + 1] =
            (struct cache_facts){i + 2, "unified", bytes[i], LINE, WAYS, i ? "0-1" : "0"};
    }
    cores->memory_ns = ns[CACHES];
    cores->place = (struct cache_place){3, {cores->ids, CPUS}};
    cores->on.machine = (struct machine){
        .facts = {.caches = cores->caches, .cache_count = CACHES + 1},
        .cpus = cores->places,
        .cpu_count = CPUS,
        .caches = &cores->place,
        .cache_count = 1,
        .allowed = {cores->ids, CPUS},
        .memory_available_bytes = UINT64_C(8) << 30,
    };
}

static void near(const struct cores *cores, const char *name, double wanted, double share)
{
    const struct finding *finding = modelled_find(&cores->on, name);
    if (!finding || !(fabs(finding->value / wanted - 1) <= share))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
    assert_string_equal(finding->cpus, "0,1");
}

static void each_cache_is_found_by_its_distance_and_its_room(void **state)
{
    static const struct {
        size_t bytes[CACHES];
        double ns[CACHES + 1];
    } machines[] = {
        {{256 << 10, 2 << 20}, {80, 120, 200}},
        {{512 << 10, 4 << 20}, {110, 60, 150}}, /* a modified line is nearer once written back */
        {{1 << 20, 4 << 20}, {200, 250, 330}},
        {{256 << 10, 4 << 20}, {60, 45, 100}},
    };
    struct cores *cores = *state;
    const size_t states = line_flush_possible() ? 2 : 1;
    for (size_t m = 0; m < sample_seeds(sizeof machines / sizeof *machines); m++) {
        const size_t *bytes = machines[m].bytes;
        const double *ns = machines[m].ns;
        lay_out(cores, bytes, ns);
        cores->on.result.finding_count = 0;
        modelled_measure(&cores->on, &coherence_probe, "by", "size", NULL);
        for (size_t s = 0; s < states; s++) {
            static const char *const stems[] = {"coherence.held.modified",
                                                "coherence.held.exclusive"};
            const char *const ends[] = {"", ".L2", ".L3", ".DRAM", ".L2.reach", ".L3.reach"};
            const double wanted[] = {
                ns[0], ns[0], ns[1], ns[2], (double)bytes[0], (double)(bytes[0] + bytes[1])};
            for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
                char name[64];
                snprintf(name, sizeof name, "%s%s", stems[s], ends[i]);
                near(cores, name, wanted[i], i < 4 ? 0.1 : 0.42);
            }
            assert_non_null(strstr(modelled_find(&cores->on, stems[s])->text, "cores with one L3"));
        }
        if (line_flush_possible())
            near(cores, "coherence.held.invalid", ns[2], 0.05);
        modelled_forget(&cores->on);
    }
}

/* Declared bytes decide nothing: a cache that is larger than all sets is told from memory by how
 * far that is, and one that is used up sooner is not full where its misses begin. */
static void a_name_is_told_by_what_was_measured(void **state)
{
    static const struct {
        size_t bytes[CACHES];
        double ns[CACHES + 1];
        uint64_t declared[CACHES];
        const char *text;
    } machines[] = {
        {{512 << 10, 32 << 20}, {110, 60, 150}, {512 << 10, UINT64_C(300) << 20}, " ns L3 ("},
        {{512 << 10, 32 << 20}, {110, 150, 150}, {512 << 10, UINT64_C(300) << 20}, " ns DRAM ("},
        {{256 << 10, 32 << 20},
         {110, 60, 150},
         {2 << 20, UINT64_C(300) << 20},
         "CPU 1's L2, misses begin at 2"},
    };
    struct cores *cores = *state;
    if (!line_flush_possible())
        skip();
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        lay_out(cores, machines[m].bytes, machines[m].ns);
        for (int i = 0; i < CACHES; i++)
            cores->caches[i + 1].size_bytes = machines[m].declared[i];
        cores->on.result.finding_count = 0;
        modelled_measure(&cores->on, &coherence_probe, "by", "size", "sizes",
                         "64K,92K,128K,180K,256K,364K,512K,724K,1M,1448K,2M,2896K,4M", NULL);
        const struct finding *finding = modelled_find(&cores->on, "coherence.held.modified");
        if (!finding || !finding->text || !strstr(finding->text, machines[m].text))
            fail_msg("%s is not in %s", machines[m].text, finding ? finding->text : "no finding");
        const bool full = modelled_find(&cores->on, "coherence.held.modified.L2.reach");
        assert_int_equal(full, machines[m].bytes[0] == machines[m].declared[0]);
        modelled_forget(&cores->on);
    }
}

static void where_every_line_is_as_far_there_is_one_distance(void **state)
{
    static const size_t bytes[] = {256 << 10, 2 << 20};
    static const double ns[] = {90, 90, 90};
    struct cores *cores = *state;
    lay_out(cores, bytes, ns);
    modelled_measure(&cores->on, &coherence_probe, "by", "size", NULL);
    near(cores, "coherence.held.modified", 90, 0.05);
    for (size_t i = 0; i < cores->on.result.finding_count; i++)
        assert_null(strstr(cores->on.result.findings[i].name, ".reach"));
    modelled_forget(&cores->on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_cache_is_found_by_its_distance_and_its_room, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_name_is_told_by_what_was_measured, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_every_line_is_as_far_there_is_one_distance, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
