#include "measure/kernels/contention.h"

#include "arch.h"
#include "handoff_loops.h"

/* --- writers --- */

/* A background writer checks after each repeat whether to stop; a repeat is long enough to make
 * that check negligible. */
enum { STEPS = 64 };
const unsigned contention_steps = STEPS;

#define WRITE_KERNEL(name, loop)                                                                   \
    static uint64_t name(void *state, uint64_t repeats)                                            \
    {                                                                                              \
        loop(state, repeats *STEPS);                                                               \
        return repeats;                                                                            \
    }

WRITE_KERNEL(fetch_add_run, loops_write_fetch_add)
WRITE_KERNEL(cas_run, loops_write_cas)
WRITE_KERNEL(exchange_run, loops_write_exchange)
WRITE_KERNEL(store_run, loops_write_store)

static const struct contention contentions[CONTENTION_OPS] = {
    [CONTENTION_FETCH_ADD] = {"fetch-add", WRITE_FETCH_ADD_ORDER, fetch_add_run},
    [CONTENTION_CAS] = {"cas", WRITE_CAS_ORDER, cas_run},
    [CONTENTION_EXCHANGE] = {"exchange", WRITE_EXCHANGE_ORDER, exchange_run},
    [CONTENTION_STORE] = {"store", WRITE_STORE_ORDER, store_run},
};

#ifdef LOOPS_HAVE_LSE
WRITE_KERNEL(fetch_add_lse_run, loops_write_fetch_add_lse)
WRITE_KERNEL(cas_lse_run, loops_write_cas_lse)
WRITE_KERNEL(exchange_lse_run, loops_write_exchange_lse)

static const struct contention contentions_lse[CONTENTION_OPS] = {
    [CONTENTION_FETCH_ADD] = {"fetch-add", WRITE_FETCH_ADD_LSE_ORDER, fetch_add_lse_run},
    [CONTENTION_CAS] = {"cas", WRITE_CAS_LSE_ORDER, cas_lse_run},
    [CONTENTION_EXCHANGE] = {"exchange", WRITE_EXCHANGE_LSE_ORDER, exchange_lse_run},
    [CONTENTION_STORE] = {"store", WRITE_STORE_ORDER, store_run},
};
#endif

const struct contention *contention_of(enum contention_op op)
{
#ifdef LOOPS_HAVE_LSE
    if (arch_has_lse())
        return &contentions_lse[op];
#endif
    return &contentions[op];
}

/* --- states --- */

const char *const line_state_names[LINE_STATES + 1] = {"modified", "exclusive", "shared",
                                                       "invalid"};

bool line_flush_possible(void)
{
    return loops_can_flush();
}

bool line_state_possible(enum line_state state)
{
    return (state != LINE_EXCLUSIVE && state != LINE_INVALID) || loops_can_flush();
}

void line_flush(void *line)
{
    loops_flush(line);
}

static void await_turn(const struct line_ring *ring)
{
    while (__atomic_load_n(ring->stage, __ATOMIC_ACQUIRE) != ring->turn)
        arch_relax(); /* the other thread of this core may be the one that is timed */
}

static void end_turn(struct line_ring *ring)
{
    __atomic_store_n(ring->stage, ring->turn + 1, __ATOMIC_RELEASE);
    ring->turn += ring->step;
}

static void flush_lines(const struct line_ring *ring)
{
    void *line = ring->first;
    for (uint64_t i = 0; i < ring->lines; i++) {
        void *next = *(void *volatile *)line;
        loops_flush(line);
        line = next;
    }
    loops_fence();
}

/* A read of a line that is modified in another cache may bring it with the right to write (AMD and
 * Intel both do that for migrating data): it is then not shared. So lines are clean before they
 * are shared, where they can be flushed. */
static void prepare_lines(const struct line_ring *ring)
{
    bool clean = ring->state == LINE_EXCLUSIVE || (ring->state == LINE_SHARED && ring->flushed);
    if (clean && !ring->second)
        flush_lines(ring);
    if (clean || ring->second)
        loops_touch_load(ring->first, ring->lines);
    else
        loops_touch_store(ring->first, ring->lines);
    if (ring->state == LINE_INVALID)
        flush_lines(ring);
    loops_fence();
}

/* Accesses that do not wait for one another take a twentieth of a chase's time, in which other
 * programs would take lines out of the caches. The lines come from memory the first time, and what
 * leaves a private cache then may be in no cache at all: a shared cache keeps what was read again.
 * Links of the measuring worker lie elsewhere in its lines. */
static void prepare_set(const struct line_ring *ring)
{
    const uint64_t end = ring->lines * ring->apart;
    if (ring->state != LINE_MODIFIED)
        flush_lines(ring->others);
    for (int pass = 0; pass < 2 && ring->state != LINE_INVALID; pass++)
        for (uint64_t at = 0; at < end; at += ring->apart) {
            volatile uint64_t *line = (volatile uint64_t *)((unsigned char *)ring->first + at);
            if (ring->state == LINE_MODIFIED)
                *line = at;
            else
                (void)*line;
        }
    loops_fence();
}

uint64_t line_helper_run(void *state, uint64_t repeats)
{
    struct line_ring *ring = state;
    for (uint64_t i = 0; i < repeats / 2; i++) {
        await_turn(ring);
        if (ring->apart)
            prepare_set(ring);
        else
            prepare_lines(ring);
        end_turn(ring);
    }
    return repeats;
}

/* Whether this call only waits, as every second call does. */
static bool rest(struct line_ring *ring)
{
    bool rests = ring->rests;
    ring->rests = !rests;
    if (!rests)
        return false;
    await_turn(ring);
    if (ring->own_copy)
        loops_touch_load(ring->first, ring->lines);
    return true;
}

#define TOUCH_KERNEL(name, loop)                                                                   \
    static uint64_t name(void *state, uint64_t repeats)                                            \
    {                                                                                              \
        struct line_ring *ring = state;                                                            \
        if (rest(ring))                                                                            \
            return repeats;                                                                        \
        void *end = loop(ring->first, ring->lines);                                                \
        end_turn(ring);                                                                            \
        return (uint64_t)(uintptr_t)end;                                                           \
    }

TOUCH_KERNEL(touch_load_run, loops_touch_load)
TOUCH_KERNEL(touch_store_run, loops_touch_store)
TOUCH_KERNEL(touch_cas_run, loops_touch_cas)
TOUCH_KERNEL(touch_fetch_add_run, loops_touch_fetch_add)

static const struct touch touches[TOUCH_OPS] = {
    [TOUCH_LOAD] = {"load", TOUCH_LOAD_ORDER, touch_load_run},
    [TOUCH_STORE] = {"store", TOUCH_STORE_ORDER, touch_store_run},
    [TOUCH_CAS] = {"cas", TOUCH_CAS_ORDER, touch_cas_run},
    [TOUCH_FETCH_ADD] = {"fetch-add", TOUCH_FETCH_ADD_ORDER, touch_fetch_add_run},
};

#ifdef LOOPS_HAVE_LSE
TOUCH_KERNEL(touch_cas_lse_run, loops_touch_cas_lse)
TOUCH_KERNEL(touch_fetch_add_lse_run, loops_touch_fetch_add_lse)

static const struct touch touches_lse[TOUCH_OPS] = {
    [TOUCH_LOAD] = {"load", TOUCH_LOAD_ORDER, touch_load_run},
    [TOUCH_STORE] = {"store", TOUCH_STORE_ORDER, touch_store_run},
    [TOUCH_CAS] = {"cas", TOUCH_CAS_LSE_ORDER, touch_cas_lse_run},
    [TOUCH_FETCH_ADD] = {"fetch-add", TOUCH_FETCH_ADD_LSE_ORDER, touch_fetch_add_lse_run},
};
#endif

const struct touch *touch_of(enum touch_op op)
{
#ifdef LOOPS_HAVE_LSE
    if (arch_has_lse())
        return &touches_lse[op];
#endif
    return &touches[op];
}
