/*
 * Mixes of reads and writes, as the memory sees them. A store that goes through the caches reads
 * its line first and writes it back later, so it is one read and one write, and of R reads and W
 * writes only R - W are loads; a store past the caches is a write alone. The rate is that of all
 * lines that are moved.
 */
#include "measure/kernels/mix.h"
#include "measure/probes/bandwidth/bandwidth.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 99, PAGE = 4096, APART = 21 * STREAM_LINE_BYTES };

static int refuse(const char *list, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "--mix '%s': give reads and writes as the memory sees them, like 4:1, up to "
                     "%d each, and several with commas; a store reads its line first, so there "
                     "are at least as many reads as writes, unless 'nt' stands behind them: 2:1nt",
                     list, PARTS_MOST);
}

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

int bandwidth_choose_mixes(struct bandwidth_state *state, struct probe_task *task,
                           struct error *error)
{
    const char *list = settings_text(task->settings, "mix");
    for (const char *at = list;; at++) {
        const char *end = at + strcspn(at, ",");
        struct bandwidth_mix *mix =
            pool_append(task->pool, (void **)&state->mixes, &state->mix_count, sizeof *mix);
        if (!parse(at, end, mix))
            return refuse(list, error);
        mix->name = pool_printf(task->pool, "%.*s", (int)(end - at), at);
        if (mix->past_caches && mix->writes && !store_of(state, mix))
            return error_set(error, ERROR_USAGE,
                             "--mix %s: there are no stores past the caches of that width here; "
                             "leave 'nt' out",
                             mix->name);
        if (!*end)
            return 0;
        at = end;
    }
}

/* --- planning --- */

int bandwidth_add_mixes(struct probe_task *task, uint64_t set_bytes, const char *level,
                        const size_t *counts, size_t n, struct error *error)
{
    const struct bandwidth_state *state = task->state;
    for (size_t m = 0; m < state->mix_count; m++) {
        const struct bandwidth_curve curve = {BANDWIDTH_BY_THREADS, STREAM_READ, level,
                                              &state->mixes[m]};
        const int series = bandwidth_add_series(task, curve, error);
        int code = series < 0 ? series : 0;
        for (size_t i = 0; i < n && code == 0; i++) {
            const uint64_t least =
                (uint64_t)(state->mixes[m].loads + state->mixes[m].writes) * STREAM_STEP_BYTES;
            const uint64_t bytes = set_bytes / counts[i] / least * least;
            code = bandwidth_add_curve_point(task, (unsigned)series, (double)counts[i], counts[i],
                                             bytes, error);
        }
        if (code < 0)
            return code;
    }
    return 0;
}

/* --- measuring --- */

/* The state stands on a page of its own before the arrays. */
uint64_t bandwidth_mix_extent(uint64_t bytes)
{
    return bytes + 2 * PAGE + APART;
}

static struct mix *lay_out(const struct bandwidth_state *state, const struct bandwidth_mix *mix,
                           unsigned char *memory, uint64_t bytes, uint64_t seed, uint64_t *steps)
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
    *steps = (load_pass + store_pass) / ((mix->loads + mix->writes) * part) + 1;
    return run;
}

kernel_function *bandwidth_mix_lay_out(const struct bandwidth_state *state,
                                       const struct bandwidth_mix *mix, struct worker *worker,
                                       unsigned char *memory, uint64_t bytes, uint64_t seed,
                                       uint64_t *steps)
{
    worker->state = lay_out(state, mix, memory, bytes, seed, steps);
    return mix_run;
}

/* Bytes that a turn moves, as the memory sees it. */
uint64_t bandwidth_mix_turn(const struct bandwidth_mix *mix)
{
    return (uint64_t)(mix->reads + mix->writes) * MIX_PART_BYTES;
}
