/* A trial's ring as the model follows it: where each element lies, and the place that the modelled
 * memory has come to. */
#ifndef FATHOM_TESTS_MODEL_PATH_H
#define FATHOM_TESTS_MODEL_PATH_H

#include "known_kernels.h"
#include "memory.h"

#include "measure/engine/plan.h"

/* The ring of the trial, or as much of it as fills the caches and a sample. */
struct path {
    const unsigned char *base;
    uint32_t *units; /* of each element in the ring's order: where it lies, in pointers */
    size_t count, room;
    size_t at;          /* where the kernel's state stands */
    size_t followed;    /* where the modelled memory stands */
    size_t cache_lines; /* of all levels together */
    bool swept;         /* one of so many short trials that a small sample of it will do */
};

/* Lines that the caches of a machine hold together. */
size_t cache_lines(const struct model_machine *);

/* False without memory. */
bool path_create(struct path *, const struct model_machine *);
void path_free(struct path *);
/* Reads the ring from where the kernel stands, to its end or as far as there is room. NULL, or why
 * it is no ring of an arena of up to `arena_most` bytes. */
const char *path_read(struct path *, const struct known_kernel *, const struct trial *,
                      size_t arena_most);
/* What the probe's warming leaves behind in the memory. */
void path_warm(struct path *, struct memory *);
/* One step: picoseconds. */
uint64_t path_follow(struct path *, struct memory *);
/* Moves the kernel's place. */
void path_move(struct path *, uint64_t steps);
/* Where the kernel's state stands. */
const unsigned char *path_place(const struct path *);
/* How many steps make a sample: whole rounds of a short ring, and MODEL_SAMPLE_STEPS at most. */
size_t path_sample_steps(const struct path *);

#endif
