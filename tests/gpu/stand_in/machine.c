#include "machine.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { COUNT, BYTES, REAL };

struct key {
    const char *name;
    enum kind kind;
    size_t at;
    double least, most;
};

#define KEY(name, kind, least, most)                                                               \
    {                                                                                              \
#name, kind, offsetof(struct machine, name), least, most                                   \
    }

/* The limits keep arithmetic in range and structures in memory; they are not what exists. */
static const struct key keys[] = {
    KEY(devices, COUNT, 0, MACHINE_DEVICES_MOST),
    KEY(capability, COUNT, 30, 130),
    KEY(sms, COUNT, 1, 1024),
    KEY(memory, BYTES, 0x1p20, 0x1p37),
    KEY(clock_mhz, REAL, 1, 1e5),
    KEY(threads_per_sm, COUNT, 32, 4096),
    KEY(blocks_per_sm, COUNT, 1, 64),
    KEY(line, BYTES, 64, 1024),
    KEY(sector, BYTES, 32, 1024),
    KEY(l1, BYTES, 2048, 0x1p24),
    KEY(l1_ways, COUNT, 1, 16),
    KEY(l1_count, COUNT, 1, MACHINE_L1_MOST),
    KEY(l1_latency, COUNT, 1, 1e6),
    KEY(shared_reserved, BYTES, 0, 8192),
    KEY(shared_latency, COUNT, 1, 1e6),
    KEY(shared_atomic_latency, COUNT, 1, 1e6),
    KEY(shared_banks, COUNT, 1, 64),
    KEY(bank_turn, COUNT, 0, 1e3),
    KEY(cluster_latency, COUNT, 1, 1e6),
    KEY(cluster_most, COUNT, 1, 16),
    KEY(texture_latency, COUNT, 1, 1e6),
    KEY(texture_own, COUNT, 0, 1),
    KEY(atomic_latency, COUNT, 1, 1e6),
    KEY(constant1, BYTES, 64, 65536),
    KEY(constant1_latency, COUNT, 1, 1e6),
    KEY(constant2, BYTES, 256, 0x1p20),
    KEY(constant2_latency, COUNT, 1, 1e6),
    KEY(l2, BYTES, 4096, 0x1p32),
    KEY(l2_ways, COUNT, 1, 16),
    KEY(l2_latency, COUNT, 1, 1e6),
    KEY(l2_far_latency, COUNT, 0, 1e6),
    KEY(l2_copies, COUNT, 0, 1),
    KEY(dram_latency, COUNT, 1, 1e6),
    KEY(tlb_reach, BYTES, 4096, 0x1p44),
    KEY(tlb_page, BYTES, 4096, 0x1p30),
    KEY(tlb_latency, COUNT, 0, 1e6),
    KEY(host_latency, COUNT, 1, 1e6),
    KEY(peer_latency, COUNT, 1, 1e6),
    KEY(nodes, COUNT, 1, 1024),
    KEY(node_latency, COUNT, 0, 1e6),
    KEY(own_node, COUNT, 0, 1024),
    KEY(pageable, COUNT, 0, 1),
    KEY(managed, COUNT, 0, 1),
    KEY(dram_bandwidth, REAL, 1e-3, 1e6),
    KEY(l2_bandwidth, REAL, 1e-3, 1e6),
    KEY(shared_bandwidth, REAL, 1e-3, 1e6),
    KEY(pcie_bandwidth, REAL, 1e-3, 1e6),
    KEY(peer_bandwidth, REAL, 1e-3, 1e6),
    KEY(host_bandwidth, REAL, 0, 1e6),
    KEY(pinned_bandwidth, REAL, 1e-3, 1e6),
    KEY(pageable_bandwidth, REAL, 1e-3, 1e6),
    KEY(copy_us, REAL, 0, 1e6),
    KEY(launch_us, REAL, 0, 1e6),
    KEY(peers, COUNT, 0, 1),
    KEY(timer_ns, COUNT, 1, 1e6),
    KEY(wobble, REAL, 0, 50),
    KEY(throttle, COUNT, 0, 0x1p32),
    KEY(power_w, REAL, 0, 1e4),
    KEY(temperature_c, REAL, 0, 200),
    KEY(memory_mhz, REAL, 1, 1e5),
    KEY(compute_mode, COUNT, 0, 3),
    KEY(driver, COUNT, 1000, 100000),
    KEY(watchdog, REAL, 1e-6, 1e6),
    KEY(node, COUNT, 0, 1024),
    KEY(link_generation, COUNT, 1, 9),
    KEY(link_lanes, COUNT, 1, 32),
    KEY(ecc, COUNT, 0, 1),
    KEY(mig, COUNT, 0, 1),
    KEY(others, COUNT, 0, 1000),
    KEY(hang_s, REAL, 0, 1e4),
};

enum { KEYS = sizeof keys / sizeof *keys };

static const struct key *find_key(const char *name, size_t length)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strlen(keys[i].name) == length && !memcmp(keys[i].name, name, length))
            return &keys[i];
    return NULL;
}

/* A number with K, M or G (binary) behind it where it counts bytes; *end is what follows. */
static double read_number(const char *text, enum kind kind, const char **end)
{
    char *rest;
    double value = kind == COUNT && text[0] == '0' && tolower((unsigned char)text[1]) == 'x'
                       ? (double)strtoull(text, &rest, 16)
                       : strtod(text, &rest);
    const char *suffix =
        kind == BYTES && *rest ? strchr("KMG", toupper((unsigned char)*rest)) : NULL;
    if (rest == text)
        value = NAN;
    else if (suffix) {
        value = ldexp(value, 10 * (int)(suffix - "KMG" + 1));
        rest++;
    }
    *end = rest;
    return value;
}

static void store(struct machine *machine, const struct key *key, double value)
{
    void *field = (char *)machine + key->at;
    if (key->kind == REAL)
        *(double *)field = value;
    else
        *(uint64_t *)field = (uint64_t)value;
}

static double load(const struct machine *machine, const struct key *key)
{
    const void *field = (const char *)machine + key->at;
    return key->kind == REAL ? *(const double *)field : (double)*(const uint64_t *)field;
}

/* carve_out=0:32K:64K, ascending. */
static int read_steps(struct machine *machine, const char *text)
{
    machine->step_count = 0;
    for (;;) {
        const char *end;
        double value = read_number(text, BYTES, &end);
        uint64_t count = machine->step_count;
        if (!(value >= 0 && value <= 0x1p24) || count == MACHINE_STEPS_MOST ||
            (count && value <= (double)machine->steps[count - 1]) || (*end && *end != ':'))
            return -1;
        machine->steps[machine->step_count++] = (uint64_t)value;
        if (!*end)
            return 0;
        text = end + 1;
    }
}

static const char *read_pair(struct machine *machine, const char *pair, char *why, size_t bytes)
{
    const char *equals = strchr(pair, '='), *end;
    const struct key *key = equals ? find_key(pair, (size_t)(equals - pair)) : NULL;
    double value;
    if (equals && !strncmp(pair, "carve_out=", strlen("carve_out="))) {
        if (!read_steps(machine, equals + 1))
            return NULL;
        snprintf(why, bytes, "%s: sizes in ascending order, joined by ':'", pair);
        return why;
    }
    if (!key) {
        snprintf(why, bytes, "%s: no such key of a modelled GPU", pair);
        return why;
    }
    value = read_number(equals + 1, key->kind, &end);
    if (*end || !(value >= key->least && value <= key->most)) {
        snprintf(why, bytes, "%s: a number from %.9g to %.9g", pair, key->least, key->most);
        return why;
    }
    store(machine, key, value);
    return NULL;
}

/* What no single key tells. */
static const char *contradiction(const struct machine *machine)
{
    if (machine->line & (machine->line - 1) || machine->sector & (machine->sector - 1) ||
        machine->sector > machine->line || machine->line > 4 * machine->sector)
        return "line and sector: powers of two, and 1, 2 or 4 sectors a line";
    if (machine_scratchpad_most(machine) + machine->line * machine->l1_ways > machine->l1)
        return "carve_out: has to leave some of l1";
    if (machine->l2_copies && !machine->l2_far_latency)
        return "l2_copies: needs two partitions, so an l2_far_latency";
    if (machine->tlb_page & (machine->tlb_page - 1) || machine->tlb_reach < machine->tlb_page)
        return "tlb_page: a power of two, and at most tlb_reach";
    return NULL;
}

static const char *read_base(struct machine *machine, const char *name, char *why, size_t bytes)
{
    static const char random[] = "random:";
    char *end;
    if (!strncmp(name, random, strlen(random))) {
        const char *digits = name + strlen(random);
        uint64_t seed = strtoull(digits, &end, 0);
        if (end == digits || *end) {
            snprintf(why, bytes, "%s: random:SEED, and the seed is a number", name);
            return why;
        }
        machine_random(machine, seed);
    } else if (machine_preset(machine, name)) {
        snprintf(why, bytes, "%.99s: no such modelled GPU", name);
        return why;
    }
    snprintf(machine->preset, sizeof machine->preset, "%s", name);
    return NULL;
}

const char *machine_read(struct machine *machine, const char *text, char *why, size_t why_bytes)
{
    char copy[MACHINE_TEXT_BYTES], *rest = copy;
    const char *wrong;
    snprintf(copy, sizeof copy, "%s", text && *text ? text : "tiny");
    wrong = read_base(machine, strsep(&rest, ","), why, why_bytes);
    while (!wrong && rest)
        wrong = read_pair(machine, strsep(&rest, ","), why, why_bytes);
    return wrong ? wrong : contradiction(machine);
}

void machine_describe(const struct machine *machine, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "preset=%s", machine->preset);
    for (size_t i = 0; i < KEYS && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, " %s=%.12g", keys[i].name,
                                 load(machine, &keys[i]));
    for (size_t i = 0; i < machine->step_count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%llu",
                                 i ? ":" : " carve_out=", (unsigned long long)machine->steps[i]);
}

uint64_t machine_scratchpad_most(const struct machine *machine)
{
    return machine->steps[machine->step_count - 1];
}

uint64_t machine_scratchpad(const struct machine *machine, int per_cent, uint64_t needed)
{
    uint64_t most = machine_scratchpad_most(machine);
    uint64_t wanted = per_cent > 0 ? most * (uint64_t)per_cent / 100 : 0;
    for (size_t i = 0; i < machine->step_count; i++)
        if (machine->steps[i] >= wanted && machine->steps[i] >= needed)
            return machine->steps[i];
    return most;
}
