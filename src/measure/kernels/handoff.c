#include "measure/kernels/handoff.h"

#include "arch.h"
#include "handoff_loops.h"

#include <stddef.h>

const char *const handoff_names[HANDOFF_OPS + 1] = {
    [HANDOFF_CAS] = "cas",
    [HANDOFF_CAS_LLSC] = "cas-llsc",
    [HANDOFF_CAS_LSE] = "cas-lse",
    [HANDOFF_EXCHANGE] = "exchange",
    [HANDOFF_FETCH_ADD] = "fetch-add",
    [HANDOFF_READWRITE] = "readwrite",
    [HANDOFF_STORE_LOAD] = "store-load",
    [HANDOFF_ONE_WAY] = "one-way",
    [HANDOFF_PAYLOAD] = "payload",
};

/* --- compare-and-swap --- */

uint64_t handoff_cas_run(void *state, uint64_t repeats)
{
    const struct handoff_cas *side = state;
    loops_cas(side->flag, side->expected, side->desired, repeats);
    return repeats;
}

static void set_up_cas(void *first, void *second, const struct handoff_place *place)
{
    uint32_t *flag = (uint32_t *)place->line;
    *flag = 0;
    *(struct handoff_cas *)first = (struct handoff_cas){flag, 0, 1};
    *(struct handoff_cas *)second = (struct handoff_cas){flag, 1, 0};
}

/* --- two lines --- */

uint64_t handoff_readwrite_first_run(void *state, uint64_t repeats)
{
    struct handoff_readwrite *side = state;
    side->last = loops_wait_then_pass_on(side->mine, side->theirs, side->last, repeats);
    return side->last;
}

uint64_t handoff_readwrite_second_run(void *state, uint64_t repeats)
{
    struct handoff_readwrite *side = state;
    side->last = loops_wait_then_write(side->mine, side->theirs, side->last, repeats);
    return side->last;
}

static void set_up_readwrite(void *first, void *second, const struct handoff_place *place)
{
    uint32_t *one = (uint32_t *)place->line;
    uint32_t *other = (uint32_t *)(place->line + HANDOFF_LINE_DISTANCE);
    *one = *other = 0;
    *(struct handoff_readwrite *)first = (struct handoff_readwrite){one, other, 0};
    *(struct handoff_readwrite *)second = (struct handoff_readwrite){other, one, 0};
}

/* --- turns --- */

#define TURN_RUN(name, loop)                                                                       \
    uint64_t name(void *state, uint64_t repeats)                                                   \
    {                                                                                              \
        struct handoff_turn *side = state;                                                         \
        return side->turn = loop(side->line, side->turn, repeats);                                 \
    }
TURN_RUN(handoff_store_load_run, loops_store_load)
TURN_RUN(handoff_exchange_run, loops_exchange)
TURN_RUN(handoff_fetch_add_run, loops_fetch_add)

uint64_t handoff_payload_run(void *state, uint64_t repeats)
{
    struct handoff_turn *side = state;
    return side->turn = loops_payload(side->line, side->turn, side->payload, side->payload_step,
                                      side->payload_lines, repeats);
}

static void set_up_turn(void *first, void *second, const struct handoff_place *place)
{
    struct handoff_turn side = {.line = (uint32_t *)place->line,
                                .payload = place->line + HANDOFF_PAYLOAD_OFFSET,
                                .payload_step = place->line_bytes,
                                .payload_lines = place->payload_lines};
    *side.line = 0;
    *(struct handoff_turn *)first = side;
    side.turn = 1;
    *(struct handoff_turn *)second = side;
}

/* --- stamps --- */

uint64_t handoff_one_way_run(void *state, uint64_t repeats)
{
    struct handoff_one_way *side = state;
    uint64_t start = arch_counter();
    side->least = loops_one_way(side->line, side->side, side->least, repeats);
    side->last_ticks = arch_counter() - start;
    return (uint64_t)side->least;
}

static void set_up_one_way(void *first, void *second, const struct handoff_place *place)
{
    uint64_t *line = (uint64_t *)place->line;
    *line = 1; /* a very old stamp of the answering side */
    *(struct handoff_one_way *)first = (struct handoff_one_way){line, 0, INT64_MAX, 0};
    *(struct handoff_one_way *)second = (struct handoff_one_way){line, 1, INT64_MAX, 0};
}

/* --- the table --- */

#ifdef LOOPS_HAVE_LSE
static uint64_t handoff_cas_lse_run(void *state, uint64_t repeats)
{
    const struct handoff_cas *side = state;
    loops_cas_lse(side->flag, side->expected, side->desired, repeats);
    return repeats;
}

static uint64_t handoff_exchange_lse_run(void *state, uint64_t repeats)
{
    struct handoff_turn *side = state;
    return side->turn = loops_exchange_lse(side->line, side->turn, repeats);
}

static uint64_t handoff_fetch_add_lse_run(void *state, uint64_t repeats)
{
    struct handoff_turn *side = state;
    return side->turn = loops_fetch_add_lse(side->line, side->turn, repeats);
}

static const struct handoff with_lse[HANDOFF_OPS] = {
    [HANDOFF_CAS_LSE] = {CAS_LSE_ORDER, {handoff_cas_lse_run, handoff_cas_lse_run}, set_up_cas},
    [HANDOFF_EXCHANGE] = {EXCHANGE_LSE_ORDER,
                          {handoff_exchange_lse_run, handoff_exchange_lse_run},
                          set_up_turn},
    [HANDOFF_FETCH_ADD] = {FETCH_ADD_LSE_ORDER,
                           {handoff_fetch_add_lse_run, handoff_fetch_add_lse_run},
                           set_up_turn},
};
#endif

static const struct handoff handoffs[HANDOFF_OPS] = {
    [HANDOFF_CAS] = {CAS_ORDER, {handoff_cas_run, handoff_cas_run}, set_up_cas},
    [HANDOFF_EXCHANGE] = {EXCHANGE_ORDER,
                          {handoff_exchange_run, handoff_exchange_run},
                          set_up_turn},
    [HANDOFF_FETCH_ADD] = {FETCH_ADD_ORDER,
                           {handoff_fetch_add_run, handoff_fetch_add_run},
                           set_up_turn},
    [HANDOFF_READWRITE] = {READWRITE_ORDER,
                           {handoff_readwrite_first_run, handoff_readwrite_second_run},
                           set_up_readwrite},
    [HANDOFF_STORE_LOAD] = {STORE_LOAD_ORDER,
                            {handoff_store_load_run, handoff_store_load_run},
                            set_up_turn},
    [HANDOFF_ONE_WAY] = {ONE_WAY_ORDER, {handoff_one_way_run, handoff_one_way_run}, set_up_one_way},
    [HANDOFF_PAYLOAD] = {PAYLOAD_ORDER, {handoff_payload_run, handoff_payload_run}, set_up_turn},
};

const struct handoff *handoff_find(enum handoff_op op, const char **missing)
{
    *missing = NULL;
#ifdef LOOPS_HAVE_LSE
    const bool lse = arch_has_lse();
    if (op == HANDOFF_CAS_LSE && !lse) {
        *missing = "this processor has no Large System Extensions (ARMv8.1)";
        return NULL;
    }
    if (op == HANDOFF_CAS_LLSC)
        return &handoffs[HANDOFF_CAS];
    const struct handoff *extended = &with_lse[op == HANDOFF_CAS ? HANDOFF_CAS_LSE : op];
    if (lse && extended->order)
        return extended;
#else
    if (op == HANDOFF_CAS_LLSC || op == HANDOFF_CAS_LSE)
        *missing = "only AArch64 has this kind of compare-and-swap";
#endif
    /* Stamps of two cores can be compared only if their counters run at the same rate. */
    if (op == HANDOFF_ONE_WAY && !ARCH_COUNTER_USABLE)
        *missing = "this processor has no counter that runs at one rate on all its cores";
    return *missing ? NULL : &handoffs[op];
}
