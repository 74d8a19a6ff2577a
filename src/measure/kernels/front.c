#include "measure/kernels/front.h"

#include "base/random.h"
#include "machine/pages.h"

#include "front_code.h"

#include <string.h>

bool front_has(size_t bytes)
{
    return code_has(bytes);
}

/* Where instruction i lies. The pages of sparse code have even numbers and odd ones in turn, 64 at
 * a time, so that a TLB whose sets the lowest bits choose has all of them used alike. */
static size_t place_of(const struct front_code *code, size_t i)
{
    enum { TURN = 64 };
    const size_t at = i * code->each, page = at / FRONT_PAGE;
    return code->sparse ? at + (page + page / TURN) * FRONT_PAGE : at;
}

size_t front_bytes(const struct front_code *code)
{
    return place_of(code, code->count) + FRONT_LEAST;
}

/* The jumps' order: one cycle through all of them that begins with the first. */
static void order(const struct front_code *code)
{
    struct random random = {code->seed};
    for (size_t i = 0; i < code->count; i++)
        code->places[i] = (uint32_t)i;
    for (size_t i = code->count - 1; i > 1; i--) {
        const size_t other = 1 + (size_t)random_below(&random, i);
        const uint32_t place = code->places[i];
        code->places[i] = code->places[other];
        code->places[other] = place;
    }
}

static void write_jumps(unsigned char *memory, const struct front_code *code)
{
    unsigned char *at = memory;
    if (code->random)
        order(code);
    for (size_t i = 1; i < code->count; i++) {
        unsigned char *next = memory + place_of(code, code->random ? code->places[i] : i);
        code_put_jump(at, next);
        at = next;
    }
    code_put_last(at, memory);
}

static void write_plain(unsigned char *memory, const struct front_code *code)
{
    const size_t bytes = code->count * code->each;
    code_put_plain(memory, code->each);
    for (size_t done = code->each; done < bytes; done *= 2) /* what is there, again */
        memcpy(memory + done, memory, done < bytes - done ? done : bytes - done);
    code_put_last(memory + bytes, memory);
}

bool front_make(struct front *front)
{
    front->entry = NULL;
    if (!pages_executable(front->memory, front->bytes, false))
        return false;
    if (!front->code.kept)
        pages_discard(front->memory, front->bytes);
    if (front->code.kind == FRONT_PLAIN)
        write_plain(front->memory, &front->code);
    else
        write_jumps(front->memory, &front->code);
    /* Between far jumps lies much memory that was not written. */
    const size_t written = front_bytes(&front->code),
                 step = front->code.each > 2 * FRONT_PAGE ? front->code.each : written;
    for (char *at = (char *)front->memory, *end = at + written; at < end; at += step)
        __builtin___clear_cache(at, at + (step < written ? FRONT_LEAST : written));
    if (!pages_executable(front->memory, front->bytes, true))
        return false;
    memcpy(&front->entry, &front->memory, sizeof front->entry);
    return true;
}

uint64_t front_run(void *state, uint64_t repeats)
{
    const struct front *front = state;
    return front->entry ? front->entry(state, repeats) : 0;
}
