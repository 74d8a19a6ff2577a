#include "measure/probes/chase/chain_ring.h"

#include "measure/kernels/chains.h"
#include "measure/kernels/ring.h"

/* Starting points are rounded to marks in the ring's order: at least 4096 of them, and four for
 * each chain, so the error is at most a quarter of the distance between two chains. */
enum { PAGE = 4096, MARKS_USUAL = 4096, MARKS_EACH = 4 };

struct chain_places {
    const unsigned char *memory; /* of the ring that was built; NULL, as in fresh memory: none */
    size_t bytes, count;
    uint64_t seed;
    bool settled;
    size_t marked;
    void *marks[]; /* elements that are equally far apart in the ring's order */
};

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static size_t marks_of(const struct chain_ring *ring)
{
    const size_t lines = ring->bytes / ring->line_bytes, wanted = MARKS_EACH * ring->starts_most;
    const size_t marks = wanted > MARKS_USUAL ? wanted : MARKS_USUAL;
    return marks < lines ? marks : lines;
}

static size_t places_bytes(const struct chain_ring *ring)
{
    return whole_pages(sizeof(struct chain_places) + marks_of(ring) * sizeof(void *));
}

size_t chain_ring_arena_bytes(const struct chain_ring *ring)
{
    return whole_pages(ring->bytes) + places_bytes(ring) + ring->states * CHAIN_STATE_BYTES;
}

void *chain_ring_state(const struct chain_ring *ring, const struct arena *arena, size_t i)
{
    return arena->memory + whole_pages(ring->bytes) + places_bytes(ring) + i * CHAIN_STATE_BYTES;
}

static struct ring ring_of(const struct chain_ring *ring, unsigned char *memory, uint64_t seed)
{
    return (struct ring){.memory = memory,
                         .count = ring->bytes / ring->line_bytes,
                         .stride = ring->line_bytes,
                         .order = RING_RANDOM,
                         .seed = seed,
                         .link = RING_POINTERS};
}

struct chain_places *chain_ring_places(const struct chain_ring *ring, const struct trial *trial)
{
    unsigned char *memory = trial->arena->memory;
    struct chain_places *places = (struct chain_places *)(memory + whole_pages(ring->bytes));
    if (places->memory == memory && places->bytes == ring->bytes)
        return places;
    struct ring built = ring_of(ring, memory, trial->seed);
    ring_build(&built);
    places->count = built.count;
    places->seed = trial->seed;
    places->marked = marks_of(ring);
    ring_mark(&built, places->marked, places->marks);
    places->bytes = ring->bytes;
    places->settled = false;
    /* Set last, because preparing may be recalled at any moment, and then begins anew. */
    __atomic_store_n(&places->memory, memory, __ATOMIC_RELEASE);
    return places;
}

void chain_ring_forget(const struct chain_ring *ring, const struct arena *arena)
{
    struct chain_places *places = (struct chain_places *)(arena->memory + whole_pages(ring->bytes));
    places->memory = NULL;
}

/* The mark that is `lines_before` lines before the i-th of n starting points. */
static void *mark_at(const struct chain_places *places, double turn, size_t i, size_t n,
                     uint64_t lines_before)
{
    const uint64_t marked = places->marked;
    uint64_t before = lines_before * marked / places->count % marked;
    uint64_t at = (uint64_t)(turn * (double)marked) + i * marked / n + marked - before;
    return places->marks[at % marked];
}

void *chain_ring_start(const struct chain_places *places, double turn, size_t i, size_t n)
{
    return mark_at(places, turn, i, n, 0);
}

/* Walks the lines right before the starting points in the ring's order, with as many chains at once
 * as possible: the sooner the caches are filled, the more time is left to measure. */
static void walk_behind(const struct chain_places *places, double turn, size_t first, size_t count,
                        size_t n, uint64_t lines_each)
{
    struct chains chains;
    const size_t parts = CHAINS_MOST / count;
    const uint64_t lines = lines_each / parts + 1;
    const unsigned together = (unsigned)(count * parts);
    for (size_t i = 0; i < count; i++)
        for (size_t part = 0; part < parts; part++)
            chains.position[i * parts + part] =
                mark_at(places, turn, first + i, n, (part + 1) * lines);
    chains_kernel(together)(&chains, lines * together / chains_steps(together) + 1);
}

void chain_ring_settle(const struct chain_ring *ring, struct chain_places *places, double turn,
                       size_t n)
{
    uint64_t lines = 2 * (uint64_t)places->count, settled = ring->settled_bytes / ring->line_bytes;
    if (lines <= settled) { /* for a small ring, going round twice settles any replacement policy */
        struct ring built = ring_of(ring, (unsigned char *)places->memory, places->seed);
        ring_warm(&built, (size_t)lines);
        return;
    }
    for (size_t first = 0; first < n; first += CHAINS_MOST) {
        size_t count = n - first < CHAINS_MOST ? n - first : CHAINS_MOST;
        walk_behind(places, turn, first, count, n, settled / n);
    }
}

void chain_ring_settle_once(const struct chain_ring *ring, struct chain_places *places, double turn,
                            size_t n)
{
    if (!places->settled)
        chain_ring_settle(ring, places, turn, n);
    places->settled = true;
}
