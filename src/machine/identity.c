/* The names of host, system, processor and hypervisor, and the page sizes. */
#include "arch.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/files.h"
#include "machine/os.h"
#include "machine/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- the processor --- */

/* Arm processors identify themselves only by numbers (MIDR_EL1); these are the common ones. See
 * arch/arm64/include/asm/cputype.h in the Linux sources. */
static const struct implementer {
    const char *number, *name;
} implementers[] = {
#include "implementers.texts.h"
};

static const struct arm_part {
    const char *implementer, *part, *name;
} arm_parts[] = {
#include "parts.texts.h"
};

/* /proc/cpuinfo has different keys on x86 and LoongArch, on POWER and on RISC-V. */
static void read_processor(struct pool *pool, struct machine_facts *facts, const char *cpuinfo)
{
    static const char *const model_keys[] = {"model name", "Model Name", "cpu model",
                                             "cpu",        "uarch",      "Processor"};
    facts->cpu_vendor = text_value(pool, cpuinfo, "vendor_id");
    const char *implementer = text_value(pool, cpuinfo, "CPU implementer");
    const char *part = text_value(pool, cpuinfo, "CPU part");
    for (size_t i = 0; implementer && i < sizeof implementers / sizeof *implementers; i++)
        if (strcmp(implementers[i].number, implementer) == 0)
            facts->cpu_vendor = implementers[i].name;
    for (size_t i = 0; implementer && part && i < sizeof arm_parts / sizeof *arm_parts; i++)
        if (strcmp(arm_parts[i].implementer, implementer) == 0 &&
            strcmp(arm_parts[i].part, part) == 0)
            facts->cpu_model = arm_parts[i].name;
    for (size_t i = 0; !facts->cpu_model && i < sizeof model_keys / sizeof *model_keys; i++)
        facts->cpu_model = text_value(pool, cpuinfo, model_keys[i]);
    if (!facts->cpu_vendor && facts->cpu_model && strncmp(facts->cpu_model, "POWER", 5) == 0)
        facts->cpu_vendor = "IBM";
}

/* --- the hypervisor --- */

/* The first clue whose file contains the word names the hypervisor. CPUID names it too, but only on
 * x86 and only on the running machine; files do so for recorded machines and other architectures
 * as well. */
static const struct clue {
    const char *path, *word, *name;
} clues[] = {
#include "identity.texts.h"
};

static bool value_is(struct pool *pool, const char *text, const char *key, const char *value)
{
    const char *found = text_value(pool, text, key);
    return found && strcmp(found, value) == 0;
}

const char *identity_hypervisor(struct pool *pool, const char *root)
{
    const char *product = files_line(pool, root, "/sys/class/dmi/id/product_name");
    if (product && text_ends_with(product, "metal"))
        return NULL;
    for (size_t i = 0; i < sizeof clues / sizeof *clues; i++) {
        const char *line = files_line(pool, root, "%s", clues[i].path);
        if (line && (!clues[i].word || strstr(line, clues[i].word)))
            return clues[i].name;
    }
    char *cpuinfo = files_pooled(pool, root, "/proc/cpuinfo");
    /* User Mode Linux is a kernel that runs as a process; its CPU flags are the host's. */
    const bool user_mode = cpuinfo && value_is(pool, cpuinfo, "vendor_id", "User Mode Linux");
    char *flags = cpuinfo ? strstr(cpuinfo, "\nflags") : NULL;
    bool guest = false;
    if (flags) {
        char *end = strchr(flags + 1, '\n');
        if (end)
            *end = '\0';
        guest = text_has_word(flags, "hypervisor");
    }
    pool_give_back(pool, cpuinfo);
    return user_mode ? "User Mode Linux" : guest ? "unknown hypervisor" : NULL;
}

/* --- an emulator --- */

static bool file_has(struct pool *pool, const char *root, const char *path, const char *word)
{
    const char *line = files_line(pool, root, "%s", path);
    return line && strstr(line, word);
}

/* Looks for what QEMU's sources give to guests of TCG but not to guests of KVM:
 * - TCGTCGTCGTCG at CPUID 4000_0000H and "QEMU TCG CPU" as the name of `-cpu max`
 *   (target/i386/cpu.c, tcg/tcg-cpu.c);
 * - "QEMU Virtual Machine" as the product, which is "KVM Virtual Machine" under KVM
 *   (virt_build_smbios() in hw/arm/virt.c), except on Apple's processors, where neither TCG nor KVM
 *   runs the guest; and the MIDR of `-cpu max`, implementer 0 and part 'Q'
 *   (target/arm/tcg/cpu64.c);
 * - a RISC-V board with vendor 0; under KVM it is the host's (target/riscv/kvm/kvm-cpu.c);
 * - a pSeries of QEMU without the hypervisor's node, which KVM adds (hw/ppc/spapr.c). */
bool identity_emulated(struct pool *pool, const char *root)
{
    char *cpuinfo = files_pooled(pool, root, "/proc/cpuinfo");
    const char *text = cpuinfo ? cpuinfo : "";
    const bool max = value_is(pool, text, "CPU implementer", "0x00") &&
                     value_is(pool, text, "CPU part", "0x051");
    const bool board =
        file_has(pool, root, "/sys/class/dmi/id/product_name", "QEMU Virtual Machine") &&
        !value_is(pool, text, "CPU implementer", "0x61");
    const bool riscv = file_has(pool, root, "/proc/device-tree/model", "riscv-virtio,qemu") &&
                       value_is(pool, text, "mvendorid", "0x0");
    const bool pseries = strstr(text, "(emulated by qemu)") &&
                         !file_has(pool, root, "/proc/device-tree/hypervisor/compatible", "");
    const bool named = strstr(text, "TCGTCGTCGTCG") || strstr(text, "QEMU TCG CPU");
    pool_give_back(pool, cpuinfo);
    return named || max || board || riscv || pseries;
}

/* --- pages --- */

static void add_page_size(struct machine *machine, uint64_t bytes)
{
    struct machine_facts *facts = &machine->facts;
    if (bytes < 512 || (bytes & (bytes - 1)) != 0)
        return;
    for (size_t i = 0; i < facts->page_size_count; i++)
        if (facts->page_sizes[i] == bytes)
            return;
    uint64_t *size =
        machine_append(machine, &facts->page_sizes, &facts->page_size_count, sizeof *size);
    *size = bytes;
    qsort(facts->page_sizes, facts->page_size_count, sizeof *size, by_uint64);
}

/* --- host and system --- */

static void read_live_names(struct machine *machine)
{
    struct machine_facts *facts = &machine->facts;
    struct utsname names;
    if (uname(&names) != 0)
        return;
    facts->hostname = pool_strdup(&machine->pool, names.nodename);
    facts->os = pool_strdup(&machine->pool, names.sysname);
    facts->kernel = pool_strdup(&machine->pool, names.release);
    facts->cpu_arch = pool_strdup(&machine->pool, names.machine);
    const struct os_identity told = os_identity();
    facts->memory_bytes = told.memory_bytes;
    facts->cpu_model = text_inert(&machine->pool, told.processor, strlen(told.processor));
    facts->hypervisor = text_inert(&machine->pool, told.hypervisor, strlen(told.hypervisor));
}

/* Each of them costs time in system calls, faults and switches. */
static void read_mitigations(struct pool *pool, struct machine_facts *facts, const char *root)
{
    static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
    char **names;
    const size_t count = files_names(pool, &names, root, folder);
    for (size_t i = 0; i < count; i++) {
        const char *line = files_line(pool, root, "%s/%s", folder, names[i]);
        if (!line || strcmp(line, "Not affected") == 0)
            continue;
        const char **mitigation = pool_append(pool, (void **)&facts->mitigations,
                                              &facts->mitigation_count, sizeof *mitigation);
        *mitigation = pool_printf(pool, "%s: %s", names[i], line);
    }
}

void identity_read(struct machine *machine, const char *root)
{
    struct machine_facts *facts = &machine->facts;
    struct pool *pool = &machine->pool;
    if (machine->live) {
        read_live_names(machine);
    } else {
        facts->hostname = files_line(pool, root, "/proc/sys/kernel/hostname");
        facts->os = files_line(pool, root, "/proc/sys/kernel/ostype");
        facts->kernel = files_line(pool, root, "/proc/sys/kernel/osrelease");
        facts->cpu_arch = files_line(pool, root, "/proc/sys/kernel/arch");
    }
    char *cpuinfo = files_pooled(pool, root, "/proc/cpuinfo");
    if (cpuinfo)
        read_processor(pool, facts, cpuinfo);
    facts->microcode = cpuinfo ? text_value(pool, cpuinfo, "microcode") : NULL;
    pool_give_back(pool, cpuinfo);
    read_mitigations(pool, facts, root);
    char name[13] = "";
    if (machine->live)
        arch_hypervisor(name);
    machine->emulated =
        strcmp(name, "TCGTCGTCGTCG") == 0 || identity_emulated(&machine->pool, root) ||
        (strcmp(name, "62.5 MHz") == 0 &&
         file_has(&machine->pool, root, "/proc/device-tree/compatible", "linux,dummy-virt"));
    if (!facts->hypervisor || machine->emulated)
        facts->hypervisor =
            machine->emulated ? "emulated (QEMU TCG)" : identity_hypervisor(pool, root);
    facts->bios = files_line(pool, root, "/sys/class/dmi/id/bios_version");
    char *meminfo = files_pooled(pool, root, "/proc/meminfo");
    if (meminfo)
        text_number(&facts->memory_bytes, meminfo, "MemTotal");
    uint64_t base = machine->live ? (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    if (!machine->live) {
        char *maps = files_text(root, "/proc/self/smaps");
        if (maps)
            text_number(&base, maps, "KernelPageSize");
        free(maps);
    }
    add_page_size(machine, base);
    char **names;
    size_t count = files_names(&machine->pool, &names, root, "/sys/kernel/mm/hugepages");
    for (size_t i = 0; i < count; i++) {
        unsigned kib;
        if (sscanf(names[i], "hugepages-%9ukB", &kib) == 1)
            add_page_size(machine, (uint64_t)kib * 1024);
    }
}
