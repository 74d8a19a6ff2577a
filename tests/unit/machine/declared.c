/* What firmware and kernel declare, on a composed machine that declares all of it, and on damaged
 * files. */
#include "machine/parts.h"

#include "document/json.h"
#include "recorded.h"

#include <math.h>
#include <stdio.h>

static const char cxl_server[] = "amd-epyc-genoa-cxl-16cpu";

static void ways_tiers_and_weights_are_those_of_the_files(void **state)
{
    read_tree(cxl_server);
    const struct declared_facts *declared = &machine.facts.declared;
    assert_int_equal(declared->distance_count, 3);
    assert_int_equal(declared->distances[1].node, 1);
    assert_memory_equal(declared->distances[1].to, ((const uint64_t[]){12, 10, 60}),
                        3 * sizeof(uint64_t));
    assert_int_equal(declared->way_count, 6);
    const struct declared_way *way = &declared->ways[5];
    assert_int_equal(way->node, 2);
    assert_int_equal(way->access, 1);
    assert_string_equal(way->from, "0");
    assert_int_equal(way->read_latency_ns, 250);
    assert_int_equal(way->write_latency_ns, 250);
    assert_int_equal(way->read_bandwidth, UINT64_C(25600000000));
    assert_int_equal(way->write_bandwidth, UINT64_C(25600000000));
    assert_int_equal(declared->tier_count, 2);
    assert_int_equal(declared->tiers[0].id, 4); /* in their order, not in that of their names */
    assert_string_equal(declared->tiers[0].nodes, "0-1");
    assert_int_equal(declared->tiers[1].id, 22);
    assert_string_equal(declared->tiers[1].nodes, "2");
    assert_int_equal(declared->weight_count, 3);
    assert_int_equal(declared->weights[2].node, 2);
    assert_int_equal(declared->weights[2].weight, 1);
}

static void regions_modules_shares_and_clocks_are_known(void **state)
{
    read_tree(cxl_server);
    const struct declared_facts *declared = &machine.facts.declared;
    assert_int_equal(declared->cxl_count, 1);
    assert_string_equal(declared->cxl[0].name, "region0");
    assert_string_equal(declared->cxl[0].mode, "ram");
    assert_string_equal(declared->cxl[0].nodes, "2");
    assert_int_equal(declared->cxl[0].size_bytes, UINT64_C(128) << 30);
    assert_int_equal(declared->cxl[0].interleave_ways, 2);
    assert_int_equal(declared->cxl[0].interleave_bytes, 256);
    assert_int_equal(declared->module_count, 12);
    const struct declared_module *module = &declared->modules[0];
    assert_string_equal(module->slot, "DIMM A1");
    assert_string_equal(module->bank, "P0 CHANNEL A");
    assert_string_equal(module->type, "DDR5");
    assert_string_equal(module->maker, "Example");
    assert_string_equal(module->part, "EX-4800-64");
    assert_int_equal(module->size_bytes, UINT64_C(64) << 30);
    assert_int_equal(module->rated_mts, 4800);
    assert_int_equal(module->configured_mts, 4400);
    assert_int_equal(module->data_bits, 64);
    assert_int_equal(module->total_bits, 80);
    assert_int_equal(module->ranks, 2);
    assert_false(module->empty);
    assert_true(declared->modules[7].empty);
    assert_string_equal(declared->modules[7].slot, "DIMM H1");
    assert_string_equal(declared->share_group, "quarter");
    assert_int_equal(declared->share_count, 4); /* AMD's units of bandwidth are no percent */
    assert_int_equal(declared->shares[1].domain, 1);
    assert_int_equal(declared->shares[1].ways, 4);
    assert_int_equal(declared->shares[1].of_ways, 16);
    assert_int_equal(declared->shares[2].ways, 16);
    assert_int_equal(declared->clock_count, 1);
    assert_string_equal(declared->clocks[0].cpus, "0-15");
    assert_int_equal(declared->clocks[0].hardware_min_hz, 1500000000);
    assert_int_equal(declared->clocks[0].hardware_max_hz, UINT64_C(3711000000));
    assert_int_equal(declared->clocks[0].max_hz, UINT64_C(3000000000));
    assert_int_equal(declared->clocks[0].base_hz, 0);
}

/* As a kernel and QEMU's tables have it, whoever wrote the code above. */
static void a_recorded_kernel_is_read(void **state)
{
    read_tree("qemu-tier-hmat-4cpu");
    const struct declared_facts *declared = &machine.facts.declared;
    assert_int_equal(declared->way_count, 6);
    assert_int_equal(declared->ways[5].node, 2);
    assert_string_equal(declared->ways[5].from, "0");
    assert_int_equal(declared->ways[5].read_latency_ns, 250);
    assert_int_equal(declared->tier_count, 2);
    assert_int_equal(declared->tiers[1].id, 56);
    assert_string_equal(declared->tiers[1].nodes, "2");
    assert_int_equal(declared->weight_count, 3);
    assert_int_equal(declared->module_count, 8);
    assert_string_equal(declared->modules[0].slot, "DIMM_A1");
    assert_string_equal(declared->modules[0].type, "DDR5");
    assert_int_equal(declared->modules[0].size_bytes, UINT64_C(16) << 30);
    assert_int_equal(declared->modules[0].rated_mts, 4800);
    assert_int_equal(declared->modules[0].configured_mts, 4400);
    assert_true(declared->modules[7].empty);
}

/* Written, read and written again: the same text. */
static void a_document_holds_all_of_it(void **state)
{
    char *texts[2] = {NULL, NULL};
    size_t sizes[2];
    struct error error = {0};
    read_tree(cxl_server);
    struct document first = {.machine = machine.facts}, again;
    for (int i = 0; i < 2; i++) {
        FILE *out = open_memstream(&texts[i], &sizes[i]);
        assert_int_equal(document_write(i ? &again : &first, out, &error), 0);
        assert_int_equal(fclose(out), 0);
        if (i == 0) {
            FILE *in = fmemopen(texts[0], sizes[0], "r");
            if (document_read_stream(&again, in, "it", &error) < 0)
                fail_msg("%s", error.text);
            fclose(in);
        }
    }
    assert_string_equal(texts[0], texts[1]);
    assert_int_equal(again.machine.declared.module_count, 12);
    assert_true(isnan(again.machine.declared.shares[0].percent));
    document_free(&again);
    free(texts[0]);
    free(texts[1]);
}

/* All files hold what no such file may: what they would tell is unknown. */
static void garbage_is_unknown(void **state)
{
    static const char *const files[] = {
        "/sys/devices/system/node/node2/access1/initiators/read_latency",
        "/sys/devices/system/node/node2/access1/initiators/write_latency",
        "/sys/devices/system/node/node2/access1/initiators/read_bandwidth",
        "/sys/devices/system/node/node2/access1/initiators/write_bandwidth",
        "/sys/devices/virtual/memory_tiering/memory_tier22/nodelist",
        "/sys/kernel/mm/mempolicy/weighted_interleave/node2",
        "/sys/bus/cxl/devices/region0/size",
        "/sys/bus/cxl/devices/region0/interleave_ways",
        "/sys/bus/cxl/devices/region0/interleave_granularity",
        "/sys/bus/cxl/devices/region0/dax_region0/dax0.0/target_node",
        "/sys/firmware/dmi/tables/DMI",
        "/sys/fs/resctrl/quarter/schemata",
        "/sys/fs/resctrl/info/L3/cbm_mask",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
        "/proc/self/cpu_resctrl_groups",
    };
    static const char *const contents[] = {
        "",
        "-1\n",
        "99999999999999999999999999\n",
        "18446744073709551615\n",
        "0x\n",
        "1e300\n",
        "\x01\xff\x7f\x80 0-\n",
        "L3:0=ffffffffffffffffffff;1=;=1;x=f;0=0\n",
        "res:../../..\n",
        "0-99999999999,7-3\n",
    };
    read_tree(cxl_server);
    for (size_t c = 0; c < sizeof contents / sizeof *contents; c++) {
        machine_free(&machine);
        for (size_t f = 0; f < sizeof files / sizeof *files; f++)
            assert_true(tree_put_text(&tree, files[f], contents[c]));
        read_below_root();
        const struct declared_facts *declared = &machine.facts.declared;
        assert_int_equal(declared->way_count, 5); /* but for the one whose files are damaged */
        assert_int_equal(declared->weight_count, 2);
        assert_int_equal(declared->cxl_count, 1);
        assert_int_equal(declared->cxl[0].size_bytes, 0);
        assert_int_equal(declared->cxl[0].interleave_ways, 0);
        assert_null(declared->cxl[0].nodes);
        assert_int_equal(declared->module_count, 0);
        assert_int_equal(declared->tiers[0].id, 4);
        for (size_t i = 0; i < declared->share_count; i++)
            assert_true(declared->shares[i].ways >= 1 && declared->shares[i].ways <= 32);
        for (size_t i = 0; i < declared->clock_count; i++)
            assert_true(declared->clocks[i].max_hz == 0 ||
                        declared->clocks[i].max_hz == UINT64_C(3000000000));
    }
}

static void nodes_that_are_linked_are_the_initiators(void **state)
{
    char path[512];
    read_tree(cxl_server);
    machine_free(&machine);
    static const char *const names[] = {"node1", "node12x", "node", "node99999999999", "memory1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/node/node2/access1/initiators/%s/x",
                 names[i]);
        assert_true(tree_put_text(&tree, path, "1\n"));
    }
    read_below_root();
    const struct declared_facts *declared = &machine.facts.declared;
    assert_string_equal(declared->ways[declared->way_count - 1].from, "0-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ways_tiers_and_weights_are_those_of_the_files, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(regions_modules_shares_and_clocks_are_known, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_recorded_kernel_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_document_holds_all_of_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(garbage_is_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_that_are_linked_are_the_initiators, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
