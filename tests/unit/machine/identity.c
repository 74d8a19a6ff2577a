/* Names of machines, and the clues that show a guest. */
#include "machine/parts.h"

#include "recorded.h"

static const struct machine_facts *read_identity(const char *name)
{
    assert_true(tree_unpack(&tree, name));
    identity_read(&machine, tree.root);
    return &machine.facts;
}

static void a_guest_of_kvm(void **state)
{
    const struct machine_facts *facts = read_identity("amd-epyc-milan-kvm-2cpu");
    assert_string_equal(facts->hostname, "recorded");
    assert_string_equal(facts->os, "Linux");
    assert_string_equal(facts->kernel, "6.18.44-fc-v595");
    assert_string_equal(facts->cpu_vendor, "AuthenticAMD");
    assert_string_equal(facts->cpu_model, "AMD EPYC");
    assert_string_equal(facts->cpu_arch, "x86_64");
    assert_string_equal(facts->hypervisor, "KVM");
    assert_int_equal(facts->memory_bytes, (uint64_t)24684096 * 1024);
    assert_int_equal(facts->page_size_count, 3);
    assert_int_equal(facts->page_sizes[0], 4096);
    assert_int_equal(facts->page_sizes[1], 2 << 20);
    assert_int_equal(facts->page_sizes[2], 1 << 30);
}

static void an_arm_machine_names_itself_by_numbers(void **state)
{
    const struct machine_facts *facts = read_identity("arm-altra-no-cpufreq");
    assert_string_equal(facts->cpu_vendor, "ARM");
    assert_string_equal(facts->cpu_model, "Neoverse-N1");
    assert_string_equal(facts->cpu_arch, "aarch64");
    assert_null(facts->hypervisor);
    assert_int_equal(facts->page_size_count, 4);
    assert_int_equal(facts->page_sizes[0], 65536);
    assert_int_equal(facts->page_sizes[3], (uint64_t)16 << 30);
}

static void damaged_files_leave_facts_absent(void **state)
{
    const struct machine_facts *facts = read_identity("garbage");
    assert_null(facts->kernel); /* a directory */
    assert_null(facts->cpu_vendor);
    assert_null(facts->cpu_model);
    assert_null(facts->hypervisor);
    assert_int_equal(facts->memory_bytes, 0);
    assert_int_equal(strlen(facts->os), 255); /* 1.2 MB in one line */
    assert_int_equal(facts->page_size_count, 2);
    assert_int_equal(facts->page_sizes[0], 2 << 20);
}

static void assert_processor(const char *cpuinfo, const char *vendor, const char *model)
{
    struct machine one = {0};
    assert_true(tree_put_text(&tree, "/proc/cpuinfo", cpuinfo));
    identity_read(&one, tree.root);
    if (vendor)
        assert_string_equal(one.facts.cpu_vendor, vendor);
    else
        assert_null(one.facts.cpu_vendor);
    if (model)
        assert_string_equal(one.facts.cpu_model, model);
    else
        assert_null(one.facts.cpu_model);
    machine_free(&one);
}

static void each_architecture_has_its_own_words(void **state)
{
    assert_true(tree_new(&tree));
    assert_processor("processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\n", "IBM",
                     "POWER9 (architected), altivec supported");
    assert_processor("processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n",
                     NULL, "sifive,u74-mc");
    assert_processor("CPU implementer\t: 0x43\nCPU part\t: 0x0af\n", "Cavium", "ThunderX2");
    assert_processor("CPU implementer\t: 0x41\nCPU part\t: 0xfff\n", "ARM", NULL);
    assert_processor("Model Name\t\t: Loongson-3A5000\n", NULL, "Loongson-3A5000");
    assert_processor("cpu family\t: 6\ncpu MHz\t\t: 2000\n", NULL, NULL);
    assert_processor("", NULL, NULL);
}

struct guest {
    const char *path, *content, *name;
};

static void guests_are_recognised_by_their_files(void **state)
{
    static const struct guest guests[] = {
        {"/sys/hypervisor/type", "xen\n", "Xen"},
        {"/proc/device-tree/hypervisor/compatible", "linux,kvm", "KVM"},
        {"/proc/device-tree/hypervisor/compatible", "other,one", "unknown hypervisor"},
        {"/proc/device-tree/compatible", "linux,dummy-virt", "KVM"},
        {"/proc/device-tree/ibm,partition-name", "lpar1", "PowerVM"},
        {"/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n", "VMware"},
        {"/sys/class/dmi/id/product_name", "VirtualBox\n", "VirtualBox"},
        {"/sys/class/dmi/id/product_name", "Virtual Machine\n", "Hyper-V"},
        {"/sys/class/dmi/id/sys_vendor", "QEMU\n", "KVM"},
        {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", "KVM"},
        {"/sys/class/dmi/id/product_name", "Surface Laptop\n", NULL},
        {"/proc/cpuinfo", "processor : 0\nflags : fpu hypervisor lm\n", "unknown hypervisor"},
        {"/proc/cpuinfo", "vendor_id : User Mode Linux\nflags : fpu hypervisor\n",
         "User Mode Linux"},
        {"/proc/cpuinfo", "processor : 0\nflags : fpu lm\nbugs : hypervisor\n", NULL},
        {"/sys/devices/system/clocksource/clocksource0/available_clocksource",
         "hyperv_clocksource_tsc_page acpi_pm\n", "Hyper-V"},
        {"/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n",
         NULL},
        {"/run/.containerenv", "", NULL},
    };
    for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
        struct pool pool = {0};
        assert_true(tree_new(&tree));
        assert_true(tree_put_text(&tree, guests[i].path, guests[i].content));
        const char *name = identity_hypervisor(&pool, tree.root);
        if (guests[i].name)
            assert_string_equal(name, guests[i].name);
        else
            assert_null(name);
        pool_free(&pool);
        tree_remove(&tree);
    }
    tree.root[0] = '\0';
}

/* What QEMU gives a guest with and without KVM. */
static void an_emulator_is_not_kvm(void **state)
{
    static const char cpuinfo[] = "/proc/cpuinfo", product[] = "/sys/class/dmi/id/product_name",
                      node[] = "/proc/device-tree/hypervisor/compatible",
                      model[] = "/proc/device-tree/model",
                      pseries[] = "cpu : POWER9\nmodel : IBM pSeries (emulated by qemu)\n";
    const struct {
        const char *path, *content, *other, *other_content;
        bool emulated;
    } guests[] = {
        {cpuinfo, "vendor_id : TCGTCGTCGTCG\n", NULL, NULL, true},
        {cpuinfo, "model name : QEMU TCG CPU version 2.5+\n", NULL, NULL, true},
        {cpuinfo, "model name : QEMU Virtual CPU version 2.5+\n", NULL, NULL, false},
        {cpuinfo, "CPU implementer : 0x00\nCPU part : 0x051\n", NULL, NULL, true},
        {cpuinfo, "CPU implementer : 0x41\nCPU part : 0xd0c\n", product, "KVM Virtual Machine\n",
         false},
        {cpuinfo, "CPU implementer : 0x41\nCPU part : 0xd07\n", product, "QEMU Virtual Machine\n",
         true},
        {cpuinfo, "CPU implementer : 0x61\nCPU part : 0x022\n", product, "QEMU Virtual Machine\n",
         false},
        {cpuinfo, "mvendorid : 0x0\n", model, "riscv-virtio,qemu", true},
        {cpuinfo, "mvendorid : 0x489\n", model, "riscv-virtio,qemu", false},
        {cpuinfo, pseries, NULL, NULL, true},
        {cpuinfo, pseries, node, "linux,kvm", false},
        {product, "Standard PC (Q35 + ICH9, 2009)\n", NULL, NULL, false},
    };
    for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
        struct pool pool = {0};
        assert_true(tree_new(&tree));
        assert_true(tree_put_text(&tree, guests[i].path, guests[i].content));
        if (guests[i].other)
            assert_true(tree_put_text(&tree, guests[i].other, guests[i].other_content));
        assert_int_equal(identity_emulated(&pool, tree.root), guests[i].emulated);
        pool_free(&pool);
        tree_remove(&tree);
    }
    tree.root[0] = '\0';
}

static void a_cloud_rents_bare_metal_too(void **state)
{
    struct pool pool = {0};
    assert_true(tree_new(&tree));
    assert_true(tree_put_text(&tree, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"));
    assert_true(tree_put_text(&tree, "/sys/class/dmi/id/product_name", "c7g.metal\n"));
    assert_null(identity_hypervisor(&pool, tree.root));
    assert_true(tree_put_text(&tree, "/sys/class/dmi/id/product_name", "c7g.large\n"));
    assert_string_equal(identity_hypervisor(&pool, tree.root), "KVM");
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_guest_of_kvm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_arm_machine_names_itself_by_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_files_leave_facts_absent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_architecture_has_its_own_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(guests_are_recognised_by_their_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cloud_rents_bare_metal_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_emulator_is_not_kvm, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
