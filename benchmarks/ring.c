/*
 * Building a ring: fathom's keyed bijection compared with the usual way, a Sattolo shuffle of an
 * index array followed by linking the lines in its order (Sattolo, "An algorithm to generate a
 * random cyclic permutation", Information Processing Letters 22, 1986).
 *
 * Both build the same size in the same touched memory, in turn, so the machine's drift hits both.
 * Prints a row a round: seconds of each, and their ratio.
 */
#include "measure/kernels/ring.h"
#include "base/random.h"
#include "measure/engine/arena.h"

#include <stdio.h>
#include <stdlib.h>

enum { STRIDE = 64, ROUNDS = 5 };

static void build_by_sattolo(unsigned char *memory, size_t count, uint32_t *index, uint64_t seed)
{
    struct random random = {seed};
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = (size_t)random_below(&random, i);
        uint32_t swap = index[i];
        index[i] = index[j];
        index[j] = swap;
    }
    for (size_t i = 0; i < count; i++)
        *(void **)(memory + (size_t)index[i] * STRIDE) =
            memory + (size_t)index[(i + 1) % count] * STRIDE;
}

static double seconds(uint64_t since_ns)
{
    return (double)(os_raw_ns() - since_ns) * 1e-9;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : (size_t)1 << 30;
    size_t count = bytes / STRIDE;
    struct arena arena;
    struct error error;
    uint32_t *index = calloc(count, sizeof *index);
    if (!index || arena_map(&arena, bytes, PAGES_AUTO, -1, &error) < 0) {
        fprintf(stderr, "no memory for a ring of %zu bytes\n", bytes);
        return 1;
    }
    arena_touch_part(&arena, 0, arena.bytes);
    build_by_sattolo(arena.memory, count, index, 1); /* touches the index array */
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t began_ns = os_raw_ns();
        build_by_sattolo(arena.memory, count, index, round);
        double sattolo_s = seconds(began_ns);
        began_ns = os_raw_ns();
        ring_build(
            &(struct ring){arena.memory, count, STRIDE, RING_RANDOM, 0, round, RING_POINTERS});
        double ours_s = seconds(began_ns);
        printf("%.4f %.4f %.2f\n", sattolo_s, ours_s, sattolo_s / ours_s);
    }
    arena_unmap(&arena);
    free(index);
    return 0;
}
