#include "conclude/registry/registry.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- registry --- */

static void test_a_star_stands_within_one_part(void **state)
{
    assert_true(finding_name_matches("L<n>.latency", "L1.latency"));
    assert_true(finding_name_matches("L<n>.latency", "L12.latency"));
    assert_true(finding_name_matches("dtlb<n>.*.entries", "dtlb2.4K.entries"));
    assert_true(finding_name_matches("cores.*.min", "cores.cas-llsc.min"));
    assert_true(finding_name_matches("a.*ab", "a.xabab"));
    assert_false(finding_name_matches("L<n>.latency", "L.latency"));
    assert_false(finding_name_matches("L<n>.latency", "L1.x.latency"));
    assert_false(finding_name_matches("L<n>.latency", "L1.latency_ns"));
    assert_false(finding_name_matches("L<n>.latency", "L1.latenc"));
    assert_false(finding_name_matches("L<n>.latency", ""));
    assert_false(finding_name_matches("a.*", "a."));
}

static void test_any_of_several_patterns_will_do(void **state)
{
    assert_true(finding_name_matches("L<n>.latency, DRAM.latency", "DRAM.latency"));
    assert_true(finding_name_matches("L<n>.latency, DRAM.latency", "L3.latency"));
    assert_false(finding_name_matches("L<n>.latency, DRAM.latency", "DRAM"));
    assert_false(finding_name_matches("L<n>.latency, DRAM.latency", " DRAM.latency"));
}

static void test_names_find_their_line(void **state)
{
    assert_string_equal(finding_line_find("L2.latency")->unit, "cycles");
    assert_string_equal(finding_line_find("L2.latency_ns")->unit, "ns");
    assert_string_equal(finding_line_find("prefetch.max_stride")->unit, "B");
    assert_string_equal(finding_line_find("prefetch.L2.forward")->unit, "%");
    assert_null(finding_line_find("no.such.finding"));
}

static bool is_sentence(const char *text)
{
    return text && strlen(text) > 20 && text[strlen(text) - 1] == '.';
}

/* The i-th line of all, probe by probe, and in *probe, which may be NULL, the probe's name. */
static const struct finding_line *line_at(size_t i, const char **probe)
{
    const struct finding_table *table;
    const char *name;
    for (size_t t = 0; (table = finding_table_at(t, &name)); t++)
        for (const struct finding_line *line = table->lines; line && line->patterns; line++)
            if (i-- == 0) {
                if (probe)
                    *probe = name;
                return line;
            }
    return NULL;
}

static void test_every_line_says_what_it_is_what_moves_it_and_what_to_do(void **state)
{
    const struct finding_line *line;
    for (size_t i = 0; (line = line_at(i, NULL)); i++) {
        assert_true(!line->unit || quantity_of(line->unit));
        assert_true(is_sentence(line->meaning));
        assert_true(!line->moves || is_sentence(line->moves));
        assert_true(is_sentence(line->advice));
        /* --help shows the first sentence alone. */
        assert_true(strcspn(line->meaning, ".") < 300);
    }
}

/* Whether a pattern is well-formed: parts of letters, digits, - and _, with <n> and * for what
 * varies. */
static bool is_pattern(const char *text, size_t length)
{
    char last = '.';
    for (size_t i = 0; i < length; i++) {
        if (strncmp(text + i, "<n>", 3) == 0)
            i += 2;
        else if (text[i] == '.' ? last == '.'
                                : !isalnum((unsigned char)text[i]) && !strchr("-_*", text[i]))
            return false;
        last = text[i];
    }
    return last != '.';
}

static void test_every_pattern_is_one(void **state)
{
    const struct finding_line *line;
    for (size_t i = 0; (line = line_at(i, NULL)); i++)
        for (const char *pattern = line->patterns; pattern;) {
            const char *end = strchr(pattern, ',');
            assert_true(is_pattern(pattern, end ? (size_t)(end - pattern) : strlen(pattern)));
            assert_true(!end || end[1] == ' ');
            pattern = end ? end + 2 : NULL;
        }
    assert_false(is_pattern("L<m>.latency", 12));
    assert_false(is_pattern("L..latency", 10));
    assert_false(is_pattern("L1.", 3));
}

static void test_lines_stand_in_the_table_of_a_probe(void **state)
{
    const struct finding_line *line;
    const struct finding_table *table;
    const char *probe;
    for (size_t i = 0; (table = finding_table_at(i, &probe)); i++)
        assert_ptr_equal(finding_table_of(probe), table);
    assert_null(finding_table_of("nonsense"));
    assert_null(finding_table_of(""));
    for (size_t i = 0; (line = line_at(i, &probe)); i++) {
        bool found = false;
        table = finding_table_of(probe);
        for (const struct finding_line *one = table->lines; one->patterns; one++)
            found |= one == line;
        assert_true(found);
    }
    assert_string_equal((line_at(0, &probe), probe), "noise");
}

/* A name made from the pattern finds this line and no earlier one. */
static void test_no_line_hides_another(void **state)
{
    const struct finding_line *line;
    for (size_t i = 0; (line = line_at(i, NULL)); i++) {
        char names[256];
        assert_true((size_t)snprintf(names, sizeof names, "%s", line->patterns) < sizeof names);
        for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
            for (char *star = name; (star = strchr(star, '*'));)
                *star = 'x';
            for (char *n = name; (n = strstr(n, "<n>"));) {
                *n = '1';
                memmove(n + 1, n + 3, strlen(n + 3) + 1);
            }
            assert_ptr_equal(finding_line_find(name), line);
        }
    }
}

static struct finding_meaning meaning_of(const char *name, const char *unit)
{
    const struct finding finding = {.name = name, .unit = unit};
    return finding_meaning(&finding);
}

static void assert_subject(const char *name, const char *unit, const char *subject)
{
    const struct finding_meaning meaning = meaning_of(name, unit);
    assert_int_equal(meaning.subject_length, strlen(subject));
    assert_memory_equal(meaning.subject, subject, strlen(subject));
}

static void test_a_finding_has_a_role_a_fact_and_a_subject(void **state)
{
    const struct finding_meaning level = meaning_of("gpu1.L2.capacity", "B");
    assert_int_equal(level.role, ROLE_LEVEL);
    assert_int_equal(level.fact, FACT_CAPACITY);
    assert_int_equal(level.device, 1);
    assert_subject("gpu1.L2.capacity", "B", "L2");
    assert_subject("gpu0.shared.atomic.latency", "cycles", "shared.atomic");
    assert_subject("DRAM.latency_ns", "ns", "DRAM");
    assert_subject("bandwidth.write_nt.all", "B/s", "write_nt");
    assert_subject("dtlb2.4K.hit", "cycles", "4K");
    assert_subject("DRAM.parallelism", "misses", "DRAM");
    assert_int_equal(meaning_of("dtlb2.4K.hit", "cycles").number, 2);
    assert_int_equal(meaning_of("gpu7.L3.latency", "cycles").number, 3);
    assert_int_equal(meaning_of("DRAM.latency", "cycles").number, -1);
    assert_int_equal(meaning_of("L99999999999999999999.latency", "cycles").number, -1);
}

static void test_what_no_line_explains_is_plain(void **state)
{
    assert_int_equal(meaning_of("syscall.latency", "ns").role, ROLE_PLAIN);
    assert_int_equal(meaning_of("pipe.capacity", "B").role, ROLE_PLAIN);
    assert_int_equal(meaning_of("Lx.latency", "cycles").role, ROLE_PLAIN);
    assert_int_equal(meaning_of("L1.latency", "B").role, ROLE_PLAIN);
    assert_int_equal(meaning_of("L1.latency", "furlongs").role, ROLE_PLAIN);
    assert_int_equal(meaning_of("L1.latency", "ns").role, ROLE_LEVEL);
}

static void test_a_finding_has_a_side(void **state)
{
    assert_int_equal(meaning_of("L1.latency", "cycles").side, SIDE_MORE);
    assert_int_equal(meaning_of("syscall.latency", "ns").side, SIDE_MORE);
    assert_int_equal(meaning_of("contention.cas.throughput.all", "op/s").side, SIDE_LESS);
    assert_int_equal(meaning_of("contention.cas.fairness.all", "").side, SIDE_LESS);
    assert_int_equal(meaning_of("DRAM.parallelism", "misses").side, SIDE_LESS);
    assert_int_equal(meaning_of("core.clock", "Hz").side, SIDE_NEITHER);
    assert_int_equal(meaning_of("cluster", "ns").side, SIDE_NEITHER);
    assert_int_equal(meaning_of("L1.latency", "furlongs").side, SIDE_NEITHER);
}

static void assert_place(const char *name, const char *unit, bool is_twin, const char *expected,
                         const char *words)
{
    const struct finding finding = {.name = name, .unit = unit};
    struct finding_place place;
    if (!expected) {
        assert_false(finding_place(&finding, is_twin, &place));
        return;
    }
    assert_true(finding_place(&finding, is_twin, &place));
    assert_string_equal(place.name, expected);
    assert_string_equal(place.words, words);
}

static void test_a_finding_of_a_device_has_its_place_and_words(void **state)
{
    assert_place("gpu0.host.to_device.pinned", "B/s", false, "host", "to the device");
    assert_place("gpu0.host.to_device.pageable", "B/s", false, "host", "pageable to the device");
    assert_place("gpu12.peer3.copy", "B/s", false, "peers", "gpu3: a copy");
    assert_place("gpu0.tlb2.miss", "cycles", false, "translation", "level 2: a miss +");
    /* One in ns stands in for one in cycles, and does not say it twice. */
    assert_place("gpu0.L1.load64.latency", "cycles", false, "L1 by width", "64 bits");
    assert_place("gpu0.L1.load64.latency_ns", "ns", false, "L1 by width", "64 bits");
    assert_place("gpu0.L1.load64.latency_ns", "ns", true, NULL, NULL);
    assert_place("gpu0.host.read_ns", "ns", true, "host", "a load of its memory");
    assert_place("gpu0.host.read", "cycles", false, NULL, NULL);
    assert_place("gpu0.host.read_ns", "B", false, NULL, NULL);
    assert_place("gpu0.L1.latency", "cycles", false, NULL, NULL);
    assert_place("syscall.latency", "ns", false, NULL, NULL);
}

/* Each pattern has words of its own, or all have the same. */
static void test_words_are_as_many_as_patterns(void **state)
{
    const struct finding_line *line;
    for (size_t i = 0; (line = line_at(i, NULL)); i++) {
        size_t patterns = 1, words = 1;
        for (const char *at = line->patterns; (at = strstr(at, ", ")); at++)
            patterns++;
        for (const char *at = line->words ? line->words : ""; (at = strstr(at, ", ")); at++)
            words++;
        if (words != 1 && words != patterns)
            fail_msg("%s: %zu words of %zu patterns", line->patterns, words, patterns);
        if (line->words && !line->place)
            fail_msg("%s: words without a place", line->patterns);
    }
}

static size_t rank(const char *stem)
{
    return finding_level_rank(stem, strlen(stem));
}

static void test_levels_stand_in_the_order_of_their_latencies(void **state)
{
    assert_true(rank("L1") == rank("L2"));
    assert_true(rank("L2") < rank("DRAM"));
    static const char *const device[] = {
        "gpu0.L1",        "gpu0.DRAM",    "gpu0.shared",   "gpu0.shared.atomic",
        "gpu0.constant2", "gpu0.texture", "gpu0.readonly", "gpu0.atomic"};
    for (size_t i = 1; i < sizeof device / sizeof *device; i++)
        assert_true(rank(device[i - 1]) < rank(device[i]));
    assert_true(rank("syscall") > rank("DRAM"));
    assert_true(rank("syscall") == rank("gpu0.nothing"));
    assert_true(finding_level_rank("gpu0.L2.capacity", strlen("gpu0.L2")) == rank("gpu0.L1"));
}

/* --- shared --- */

/* What all CPUs of a machine share. */

static bool is_shared(const struct machine_facts *machine, const char *name, const char *unit)
{
    const struct finding finding = {.name = name, .unit = unit};
    const struct finding_meaning meaning = finding_meaning(&finding);
    return finding_is_shared(machine, &meaning);
}

static void memory_and_the_way_to_it_are_shared(void **state)
{
    const struct machine_facts machine = {.cores = 2, .threads = 2};
    static const struct {
        const char *name, *unit;
        bool shared;
    } cases[] = {{"L1.latency", "cycles", false},
                 {"L2.latency_ns", "ns", false},
                 {"L2.capacity", "B", false},
                 {"L3.latency", "cycles", true},
                 {"DRAM.latency", "cycles", true},
                 {"bandwidth.read.1", "B/s", true},
                 {"bandwidth.read.all", "B/s", true},
                 {"bandwidth.read.efficiency", "", true},
                 {"L1.bandwidth.read", "B/s", false},
                 {"L1.bandwidth.read.all", "B/s", true}, /* of all CPUs together */
                 {"stream.triad.1", "B/s", true},
                 {"stream.triad.all.best", "B/s", true},
                 {"loaded.knee", "B/s", true},
                 {"loaded.unloaded", "ns", true},
                 {"dtlb1.4K.entries", "", false},
                 {"gpu0.L2.latency", "cycles", false},
                 {"gpu0.DRAM.latency", "cycles", false},
                 {"bandwidth.read.1", "ns", false}, /* whatever that is */
                 {"DRAM.parallelism.rate", "B/s", true},
                 {"numa.latency.local", "ns", true},
                 {"nobody.knows", "ns", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_shared(&machine, cases[i].name, cases[i].unit) != cases[i].shared)
            fail_msg("%s", cases[i].name);
}

static bool is_of_all(const char *name, const char *unit)
{
    const struct finding finding = {.name = name, .unit = unit};
    const struct finding_meaning meaning = finding_meaning(&finding);
    return finding_is_of_all_cpus(&meaning);
}

static void the_last_level_reached_is_one_role_by_either_name(void **state)
{
    assert_int_equal(finding_name_order("last.latency_ns", "DRAM.latency_ns"), 0);
    assert_int_equal(finding_name_order("DRAM.latency", "last.latency"), 0);
    assert_true(finding_name_order("DRAM.latency", "last.latency_ns") < 0);
    assert_true(finding_name_order("last.latency_ns", "DRAM.latency") > 0);
    assert_true(finding_name_order("L1.latency", "last.latency") > 0);
    assert_true(finding_name_order("last.latency", "L1.latency") < 0);
    assert_true(finding_name_order("last", "DRAM") != 0);
    assert_int_equal(finding_name_order("L2.begins", "L2.capacity"), 0);
    assert_true(finding_name_order("L2.begins", "L3.capacity") != 0);
    const struct finding finding = {.name = "last.latency_ns", .unit = "ns"};
    assert_int_equal(finding_meaning(&finding).level, LEVEL_MEMORY);
}

static void what_all_cpus_get_together(void **state)
{
    assert_true(is_of_all("bandwidth.read.all", "B/s"));
    assert_true(is_of_all("bandwidth.read.efficiency", ""));
    assert_true(is_of_all("L2.bandwidth.read.efficiency", ""));
    assert_true(is_of_all("stream.triad.all", "B/s"));
    assert_true(is_of_all("stream.triad.all.best", "B/s"));
    assert_true(is_of_all("parallelism.all.rate", "1/s"));
    assert_true(is_of_all("numa.bandwidth.remote", "B/s"));
    assert_false(is_of_all("stream.triad.1", "B/s"));
    assert_false(is_of_all("bandwidth.read.1", "B/s"));
    assert_false(is_of_all("gpu0.bandwidth.read", "B/s"));
    assert_false(is_of_all("nobody.knows", ""));
}

/* As with one core of each complex in use, or a chip with one core. A hypervisor may declare a
 * share of what it shares out. */
static void a_third_level_that_one_core_has_is_its_own(void **state)
{
    struct cache_facts caches[] = {{.level = 2, .size_bytes = 1 << 20, .shared_cpus = "0-1"},
                                   {.level = 3, .size_bytes = 32 << 20, .shared_cpus = "0-1"}};
    struct machine_facts machine = {.cores = 8, .threads = 16, .caches = caches, .cache_count = 2};
    assert_false(is_shared(&machine, "L3.latency", "cycles"));
    assert_int_equal(own_cache_bytes(&machine), 32 << 20);
    machine.hypervisor = "KVM";
    assert_true(is_shared(&machine, "L3.latency", "cycles"));
    assert_int_equal(own_cache_bytes(&machine), 1 << 20);
    machine.hypervisor = NULL;
    caches[1].shared_cpus = "0-3";
    assert_true(is_shared(&machine, "L3.latency", "cycles"));
}

/* Four cores of a cluster with one second level; and two threads of a core, which are one core. */
static void a_second_level_of_several_cores_is_shared(void **state)
{
    struct cache_facts caches[] = {{.level = 1, .size_bytes = 32 << 10, .shared_cpus = "0"},
                                   {.level = 2, .size_bytes = 2 << 20, .shared_cpus = "0-3"}};
    struct machine_facts machine = {.cores = 8, .threads = 8, .caches = caches, .cache_count = 2};
    assert_true(is_shared(&machine, "L2.latency", "cycles"));
    assert_false(is_shared(&machine, "L1.latency", "cycles"));
    assert_int_equal(own_cache_bytes(&machine), 32 << 10);
    caches[0].shared_cpus = caches[1].shared_cpus = "0-1";
    machine.cores = 4;
    assert_false(is_shared(&machine, "L2.latency", "cycles"));
    assert_int_equal(own_cache_bytes(&machine), 2 << 20);
    machine.cores = 6; /* of two kinds: some have two threads */
    assert_false(is_shared(&machine, "L2.latency", "cycles"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_star_stands_within_one_part),
        cmocka_unit_test(test_any_of_several_patterns_will_do),
        cmocka_unit_test(test_names_find_their_line),
        cmocka_unit_test(test_every_line_says_what_it_is_what_moves_it_and_what_to_do),
        cmocka_unit_test(test_every_pattern_is_one),
        cmocka_unit_test(test_lines_stand_in_the_table_of_a_probe),
        cmocka_unit_test(test_no_line_hides_another),
        cmocka_unit_test(test_a_finding_has_a_role_a_fact_and_a_subject),
        cmocka_unit_test(test_what_no_line_explains_is_plain),
        cmocka_unit_test(test_a_finding_has_a_side),
        cmocka_unit_test(test_a_finding_of_a_device_has_its_place_and_words),
        cmocka_unit_test(test_words_are_as_many_as_patterns),
        cmocka_unit_test(test_levels_stand_in_the_order_of_their_latencies),
        cmocka_unit_test(memory_and_the_way_to_it_are_shared),
        cmocka_unit_test(the_last_level_reached_is_one_role_by_either_name),
        cmocka_unit_test(what_all_cpus_get_together),
        cmocka_unit_test(a_third_level_that_one_core_has_is_its_own),
        cmocka_unit_test(a_second_level_of_several_cores_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
