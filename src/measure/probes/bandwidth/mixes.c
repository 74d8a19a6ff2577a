/*
 * Mixes of reads and writes, as the memory sees them. A store that goes through the caches reads
 * its line first and writes it back later, so it is one read and one write, and of R reads and W
 * writes only R - W are loads; a store past the caches is a write alone. The rate is that of all
 * lines that are moved.
 */
#include "measure/kernels/mix.h"
#include "measure/probes/bandwidth/bandwidth.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 99, PAGE = 4096, APART = 21 * STREAM_LINE_BYTES };

/* "4:1" or "1:1nt", up to `end`. */
static bool parse(const char *text, const char *end, struct bandwidth_mix *mix)
{
    char *behind;
    if (!isdigit((unsigned char)*text))
        return false;
    const unsigned long reads = strtoul(text, &behind, 10);
    if (*behind != ':' || !isdigit((unsigned char)behind[1]))
        return false;
    const unsigned long writes = strtoul(behind + 1, &behind, 10);
    const bool past = end - behind == 2 && strncmp(behind, "nt", 2) == 0;
    if ((!past && behind != end) || reads > PARTS_MOST || writes > PARTS_MOST ||
        reads + writes == 0)
        return false;
    *mix = (struct bandwidth_mix){.reads = (unsigned)reads,
                                  .writes = (unsigned)writes,
                                  .loads = (unsigned)(past ? reads : reads - writes),
                                  .past_caches = past};
    return past || reads >= writes;
}

/* The store that the mix takes; NULL where it has none. */
static const struct stream_kernel *store_of(const struct bandwidth_state *state,
                                            const struct bandwidth_mix *mix)
{
    return mix->writes ? state->mixed[mix->past_caches ? STREAM_WRITE_NT : STREAM_WRITE] : NULL;
}

void bandwidth_choose_mixes(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    const char *list = state->asked->mix.text;
    for (const char *at = list, *end;; at = end + 1) {
        struct bandwidth_mix *mix =
            pool_append(task->pool, (void **)&state->mixes, &state->mix_count, sizeof *mix);
        end = at + strcspn(at, ",");
        if (!parse(at, end, mix))
            pool_leave(task->pool, ERROR_USAGE,
                       "--mix '%s': give reads and writes as the memory sees them, like 4:1, up to "
                       "%d each, and several with commas; a store reads its line first, so there "
                       "are at least as many reads as writes, unless 'nt' stands behind them: "
                       "2:1nt",
                       list, PARTS_MOST);
        mix->name = pool_printf(task->pool, "%.*s", (int)(end - at), at);
        if (mix->past_caches && mix->writes && !store_of(state, mix))
            pool_leave(task->pool, ERROR_USAGE,
                       "--mix %s: there are no stores past the caches of that width here; leave "
                       "'nt' out",
                       mix->name);
        if (!*end)
            return;
    }
}

void bandwidth_add_mixes(struct probe_task *task, uint64_t set_bytes, const char *level,
                         const size_t *counts, size_t n)
{
    const struct bandwidth_state *state = task->state;
    for (size_t m = 0; m < state->mix_count; m++) {
        const struct bandwidth_mix *mix = &state->mixes[m];
        const uint64_t least = (uint64_t)(mix->loads + mix->writes) * STREAM_STEP_BYTES;
        const unsigned series = bandwidth_add_series(
            task, (struct bandwidth_curve){BANDWIDTH_BY_THREADS, STREAM_READ, level, mix});
        for (size_t i = 0; i < n; i++)
            bandwidth_add_curve_point(task, series, counts[i], (double)counts[i],
                                      set_bytes / counts[i] / least * least);
    }
}

/* --- measuring --- */

/* The state stands on a page of its own before the arrays. */
uint64_t bandwidth_mix_extent(uint64_t bytes)
{
    return bytes + 2 * PAGE + APART;
}

kernel_function *bandwidth_mix_lay_out(const struct bandwidth_state *state,
                                       const struct bandwidth_mix *mix, struct worker *worker,
                                       unsigned char *memory, uint64_t bytes, uint64_t seed,
                                       uint64_t *steps)
{
    static const struct stream_access in_order = {STREAM_SEQUENTIAL, 0};
    const unsigned parts = mix->loads + mix->writes;
    const uint64_t loaded = bytes / parts * mix->loads / STREAM_STEP_BYTES * STREAM_STEP_BYTES;
    const uint64_t stored = bytes / parts * mix->writes / STREAM_STEP_BYTES * STREAM_STEP_BYTES;
    const uint64_t part = MIX_PART_BYTES / STREAM_STEP_BYTES;
    struct mix *run = (struct mix *)memory;
    uint64_t load_pass = 0, store_pass = 0;
    memory += PAGE;
    *run = (struct mix){.load_steps = mix->loads * part, .store_steps = mix->writes * part};
    if (loaded)
        run->load = stream_lay_out(&run->from, state->mixed[STREAM_READ], memory, loaded, &in_order,
                                   seed, &load_pass);
    memory += (loaded + PAGE - 1) / PAGE * PAGE + APART;
    if (stored)
        run->store = stream_lay_out(&run->to, store_of(state, mix), memory, stored, &in_order, seed,
                                    &store_pass);
    *steps = (load_pass + store_pass) / (parts * part) + 1;
    worker->state = run;
    return mix_run;
}

uint64_t bandwidth_mix_turn(const struct bandwidth_mix *mix)
{
    return (uint64_t)(mix->reads + mix->writes) * MIX_PART_BYTES;
}
