#include "measure/probes/chase/chain_ring.h"

#include "measure/kernels/chains.h"
#include "measure/kernels/ring.h"

/* Starting points are rounded to marks in the ring's order: at least 4096 of them, and four for
 * each chain, so the error is at most a quarter of the distance between two chains. */
enum { PAGE = 4096, MARKS_USUAL = 4096, MARKS_EACH = 4 };

struct chain_places {
    const unsigned char *memory; /* of the ring; NULL, as in fresh memory: none */
    size_t bytes, count;
    uint64_t seed;
    unsigned parts, built; /* parts to build, and those that are built */
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

static struct chain_places *places_in(const struct chain_ring *ring, const struct arena *arena)
{
    return (struct chain_places *)(arena->memory + whole_pages(ring->bytes));
}

struct chain_places *chain_ring_parts(const struct chain_ring *ring, const struct trial *trial,
                                      unsigned parts, bool *built)
{
    struct chain_places *places = places_in(ring, trial->arena);
    *built = places->memory == trial->arena->memory && places->bytes == ring->bytes &&
             places->built == places->parts;
    if (*built)
        return places;
    const struct ring whole = ring_of(ring, trial->arena->memory, trial->seed);
    places->memory = NULL; /* preparing may be recalled at any moment, and then begins anew */
    places->built = 0;
    places->parts = parts;
    places->count = whole.count;
    places->seed = trial->seed;
    places->marked = marks_of(ring);
    ring_mark(&whole, places->marked, places->marks);
    places->bytes = ring->bytes;
    places->settled = false;
    __atomic_store_n(&places->memory, trial->arena->memory, __ATOMIC_RELEASE);
    return places;
}

struct chain_places *chain_ring_build(const struct chain_ring *ring, const struct arena *arena,
                                      unsigned part)
{
    struct chain_places *places = places_in(ring, arena);
    const struct ring whole = ring_of(ring, arena->memory, places->seed);
    ring_build_part(&whole, part, places->parts);
    __atomic_fetch_add(&places->built, 1, __ATOMIC_RELEASE);
    return places;
}

struct chain_places *chain_ring_places(const struct chain_ring *ring, const struct trial *trial)
{
    bool built;
    struct chain_places *places = chain_ring_parts(ring, trial, 1, &built);
    return built ? places : chain_ring_build(ring, trial->arena, 0);
}

void chain_ring_forget(const struct chain_ring *ring, const struct arena *arena)
{
    places_in(ring, arena)->memory = NULL;
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

void chain_ring_settle_part(const struct chain_ring *ring, const struct arena *arena, double turn,
                            size_t first, size_t count, size_t n)
{
    const struct chain_places *places = places_in(ring, arena);
    uint64_t lines = 2 * (uint64_t)places->count, settled = ring->settled_bytes / ring->line_bytes;
    if (lines <= settled) { /* for a small ring, going round twice settles any replacement policy */
        struct ring built = ring_of(ring, (unsigned char *)places->memory, places->seed);
        ring_warm(&built, (size_t)lines);
        return;
    }
    for (const size_t end = first + count; first < end; first += CHAINS_MOST)
        walk_behind(places, turn, first, end - first < CHAINS_MOST ? end - first : CHAINS_MOST, n,
                    settled / n);
}

void chain_ring_settle_once(const struct chain_ring *ring, const struct arena *arena, double turn,
                            size_t n)
{
    struct chain_places *places = places_in(ring, arena);
    if (!places->settled)
        chain_ring_settle_part(ring, arena, turn, 0, n, n);
    places->settled = true;
}
