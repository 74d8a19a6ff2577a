#include "simt.h"

#include <stdio.h>
#include <string.h>

/* Cycles: a clock's value is there this much later; a branch refills the pipeline; a fence costs
 * some more than waiting. */
enum { CLOCK_CYCLES = 4, TIMER_CYCLES = 20, BRANCH_CYCLES = 6, FENCE_CYCLES = 10 };
/* Clocks of different multiprocessors have nothing to do with each other. */
static const uint64_t clock_apart = 1000003;

enum warp_state warp_fails(struct run *run, const struct ptx_instruction *at, int result,
                           const char *what)
{
    run->outcome->result = result;
    snprintf(run->outcome->text, sizeof run->outcome->text, "%s in '%s', line %u", what,
             run->function->name, at->line);
    return WARP_FAILED;
}

/* --- threads that part and meet --- */

static void note_meeting(struct warp *warp)
{
    warp->meets = UINT32_MAX;
    for (unsigned i = 0; i < warp->parked_count; i++)
        if (warp->parked[i].at < warp->meets)
            warp->meets = warp->parked[i].at;
}

static void park(struct warp *warp, uint32_t at, uint32_t lanes)
{
    for (unsigned i = 0; i < warp->parked_count; i++)
        if (warp->parked[i].at == at) {
            warp->parked[i].lanes |= lanes;
            return;
        }
    warp->parked[warp->parked_count++] = (struct warp_group){at, lanes};
    if (at < warp->meets)
        warp->meets = at;
}

/* Goes on with the group that is furthest behind; the current one may be empty. */
static void resume(struct warp *warp)
{
    unsigned first = 0;
    if (warp->lanes)
        park(warp, warp->at, warp->lanes);
    for (unsigned i = 1; i < warp->parked_count; i++)
        if (warp->parked[i].at < warp->parked[first].at)
            first = i;
    warp->at = warp->parked[first].at;
    warp->lanes = warp->parked[first].lanes;
    warp->parked[first] = warp->parked[--warp->parked_count];
    note_meeting(warp);
}

/* The lanes of `lanes` for which an instruction's guard holds. */
static uint32_t guarded(const struct warp *warp, const struct ptx_instruction *at, uint32_t lanes)
{
    const uint64_t *guard = column(warp, at->guard);
    uint32_t held = 0;
    FOR_EACH_LANE(lane, lanes)
    {
        held |= (uint32_t)((guard[lane] != 0) != at->guard_not) << lane;
    }
    return held;
}

/* --- instructions that are about neither memory nor values --- */

static uint64_t clock_value(const struct run *run, const struct warp *warp, unsigned kind,
                            uint64_t now)
{
    const struct run_device *device = run->device;
    const uint64_t step = device->machine->timer_ns;
    uint64_t cycles = device->clock + now + warp->block->sm * clock_apart;
    uint64_t ns = (uint64_t)(device->ns + (double)now * 1e3 / device->clock_mhz) / step * step;
    uint64_t value = kind >= TIMER_64 ? ns : cycles;
    if (kind == CLOCK_LOW || kind == TIMER_LOW)
        return (uint32_t)value;
    return kind == CLOCK_HIGH || kind == TIMER_HIGH ? value >> 32 : value;
}

static void read_clock(const struct run *run, struct warp *warp, const struct ptx_instruction *at,
                       uint32_t lanes, uint64_t now)
{
    uint64_t value = clock_value(run, warp, at->sub, now);
    uint64_t *to = column(warp, at->value[0]);
    FOR_EACH_LANE(lane, lanes)
    {
        to[lane] = value;
    }
    warp->ready[at->value[0]] = now + (at->sub >= TIMER_64 ? TIMER_CYCLES : CLOCK_CYCLES);
}

static void read_parameter(const struct run *run, struct warp *warp,
                           const struct ptx_instruction *at, uint32_t lanes)
{
    for (unsigned i = 0; i < at->count; i++) {
        const unsigned char *from = run->grid->parameters + at->offset + (size_t)i * at->bytes;
        uint64_t *to = column(warp, at->value[i]);
        uint64_t value = 0;
        memcpy(&value, from, at->bytes);
        FOR_EACH_LANE(lane, lanes)
        {
            to[lane] = value;
        }
        warp->ready[at->value[i]] = warp->now + CLOCK_CYCLES;
    }
}

/* `lanes` of the warp's go to the target, the others to the next instruction. */
static void branch(struct warp *warp, const struct ptx_instruction *at, uint32_t lanes)
{
    uint32_t others = warp->lanes & ~lanes;
    warp->now += lanes ? BRANCH_CYCLES : 0;
    if (!others) {
        warp->at = at->target;
    } else if (lanes) {
        park(warp, at->target, lanes);
        warp->lanes = others;
    }
}

/* The instructions of further passes of a loop that ends in this branch and does nothing but wait
 * until the clock is `cycles` past `begun`: their time passes at once, as nothing of the warp shows
 * between. All threads wait for the same; 0: it is another loop. */
static uint64_t pass_wait(const struct run *run, struct warp *warp,
                          const struct ptx_instruction *branch)
{
    enum { INSTRUCTIONS = 4 };
    const struct ptx_instruction *code = run->function->code;
    if (branch - code < INSTRUCTIONS ||
        branch->target != (size_t)(branch - code) + 1 - INSTRUCTIONS || branch->guard_not)
        return 0;
    const struct ptx_instruction *clock = branch - 3, *sub = branch - 2, *compare = branch - 1;
    if (clock->op != OP_CLOCK || clock->sub != CLOCK_64 || sub->op != OP_SUB ||
        sub->type != TYPE_U64 || compare->op != OP_SETP_LT || compare->type != TYPE_U64 ||
        branch->guard != compare->value[0] || compare->source[0] != sub->value[0] ||
        sub->source[0] != clock->value[0] || clock->guard || sub->guard || compare->guard)
        return 0;
    const uint64_t *begun = column(warp, sub->source[1]),
                   *cycles = column(warp, compare->source[1]);
    const unsigned first = (unsigned)__builtin_ctz(warp->lanes);
    FOR_EACH_LANE(lane, warp->lanes)
    {
        if (begun[lane] != begun[first] || cycles[lane] != cycles[first])
            return 0;
    }
    const uint64_t seen = begun[first] + column(warp, sub->value[0])[first],
                   end = begun[first] + cycles[first];
    const uint64_t pass =
        (uint64_t)CLOCK_CYCLES + sub->latency + compare->latency + BRANCH_CYCLES + 1;
    if (clock_value(run, warp, CLOCK_64, warp->now + 1) - seen != pass || end <= seen + pass)
        return 0;
    const uint64_t passes = (end - seen - 1) / pass; /* the next one after these sees the end */
    warp->now += passes * pass;
    return passes * INSTRUCTIONS;
}

/* True where nobody is left. */
static bool leave(struct warp *warp, uint32_t lanes)
{
    warp->lanes &= ~lanes;
    if (warp->lanes)
        return false;
    if (!warp->parked_count)
        return true;
    resume(warp);
    return false;
}

static enum warp_state control(struct run *run, struct warp *warp, const struct ptx_instruction *at,
                               uint32_t lanes)
{
    switch (at->op) {
    case OP_BRANCH:
        branch(warp, at, lanes);
        return WARP_READY;
    case OP_EXIT:
        return leave(warp, lanes) ? WARP_ENDED : WARP_READY;
    case OP_TRAP:
        return lanes ? warp_fails(run, at, RUN_TRAPPED, "trap") : WARP_READY;
    case OP_BARRIER:
        return WARP_AT_BARRIER;
    case OP_CLUSTER_ARRIVE:
        return WARP_ARRIVES;
    case OP_CLUSTER_WAIT:
        return WARP_AWAITS_CLUSTER;
    case OP_FENCE:
        if (warp->stored > warp->now)
            warp->now = warp->stored;
        warp->now += FENCE_CYCLES;
        return WARP_READY;
    default:
        return WARP_READY;
    }
}

static enum warp_state moving(struct run *run, struct warp *warp, const struct ptx_instruction *at,
                              uint32_t lanes)
{
    int result = 0;
    switch (at->op) {
    case OP_LOAD:
        result = warp_load(run, warp, at, lanes, warp->now);
        break;
    case OP_STORE:
        result = warp_store(run, warp, at, lanes, warp->now);
        break;
    case OP_ATOMIC:
        result = warp_atomic(run, warp, at, lanes, warp->now);
        break;
    case OP_TEXTURE:
        result = warp_texture(run, warp, at, lanes, warp->now);
        break;
    case OP_PARAMETER:
        read_parameter(run, warp, at, lanes);
        break;
    case OP_CLOCK:
        read_clock(run, warp, at, lanes, warp->now);
        break;
    default:
        return control(run, warp, at, lanes);
    }
    if (!result)
        return WARP_READY;
    return warp_fails(run, at, result,
                      result == RUN_MISALIGNED ? "a misaligned address" : "an illegal address");
}

/* When all that an instruction reads is there, but not before `now`. */
static inline uint64_t readable(const struct warp *warp, const struct ptx_instruction *at,
                                uint64_t now)
{
    const uint64_t *ready = warp->ready;
    if (at->op == OP_STORE)
        for (unsigned i = 0; i < at->count; i++)
            now = ready[at->value[i]] > now ? ready[at->value[i]] : now;
    for (unsigned i = 0; i < PTX_SOURCES; i++)
        now = ready[at->source[i]] > now ? ready[at->source[i]] : now;
    return ready[at->guard] > now ? ready[at->guard] : now;
}

enum warp_state warp_run(struct run *run, struct warp *warp, uint64_t until)
{
    const struct ptx_instruction *code = run->function->code;
    uint64_t count = 0;
    enum warp_state state = WARP_READY;
    while (state == WARP_READY) {
        if (warp->at >= warp->meets)
            resume(warp);
        const struct ptx_instruction *at = &code[warp->at];
        if (at->folded) {
            at->evaluate(warp->file, at, warp->lanes);
            warp->ready[at->value[0]] = readable(warp, at, 0);
            warp->at++;
            continue;
        }
        uint64_t now = readable(warp, at, warp->now + 1);
        if (now > until || count > run->budget) {
            warp->now = now - 1; /* its place in the queue */
            break;
        }
        uint32_t lanes = at->guard == PTX_ZERO ? warp->lanes : guarded(warp, at, warp->lanes);
        warp->now = now;
        warp->at++;
        count++;
        if (at->evaluate) {
            at->evaluate(warp->file, at, lanes);
            warp->ready[at->value[0]] = now + at->latency;
        } else if (lanes) {
            state = moving(run, warp, at, lanes);
            if (at->op == OP_BRANCH && lanes == warp->lanes && at->guard)
                count += pass_wait(run, warp, at);
        }
    }
    if (count > run->budget)
        return warp_fails(run, &code[warp->at], RUN_TOO_LONG, "the launch timed out");
    run->budget -= count;
    return state;
}
