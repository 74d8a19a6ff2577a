#include "base/pool.h"

#include "base/error.h"

#include <assert.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Under AddressSanitizer each array is a block of its own, so that it sees reads past the end. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* as gcc has it */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { BLOCK_BYTES = 0 };
#else
enum { BLOCK_BYTES = 16 * 1024 };
#endif

struct pool_block {
    struct pool_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

struct pool_exit {
    jmp_buf out;
    int code;
    struct error *error;
};

int pool_enter(struct pool *pool, int (*step)(void *with), void *with, struct error *error)
{
    struct error own;
    struct pool_exit exit = {.error = error ? error : &own}, *outer = pool->exit;
    pool->exit = &exit;
    const int code = setjmp(exit.out) ? exit.code : step(with);
    pool->exit = outer;
    return code;
}

struct scratch_work {
    struct pool *pool, scratch;
    void (*work)(struct pool *scratch, void *with);
    void *with;
};

/* Work that leaves either pool leaves to pool_scratch(), which frees the scratch pool and then
 * leaves the outer step. */
static int work_with_scratch(void *with)
{
    struct scratch_work *own = with;
    own->pool->exit = own->scratch.exit;
    own->work(&own->scratch, own->with);
    return 0;
}

void pool_scratch(struct pool *pool, void (*work)(struct pool *scratch, void *with), void *with)
{
    struct scratch_work own = {.pool = pool, .work = work, .with = with};
    struct pool_exit *outer = pool->exit;
    const int code = pool_enter(&own.scratch, work_with_scratch, &own, pool_error(pool));
    pool->exit = outer;
    pool_free(&own.scratch);
    pool_check(pool, code);
}

struct error *pool_error(const struct pool *pool)
{
    return pool->exit ? pool->exit->error : NULL;
}

int pool_outside(struct pool *pool, int (*work)(void *with, struct error *), void *with)
{
    struct pool_exit *outer = pool->exit;
    struct error *error = pool_error(pool);
    pool->exit = NULL;
    const int code = work(with, error);
    pool->exit = outer;
    return code;
}

int pool_check(struct pool *pool, int code)
{
    if (code >= 0 || !pool->exit)
        return code;
    pool->exit->code = code;
    longjmp(pool->exit->out, 1);
}

void pool_leave(struct pool *pool, int code, const char *format, ...)
{
    char text[sizeof pool->exit->error->text];
    va_list arguments;
    assert(pool->exit);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pool->exit->code = error_set(pool->exit->error, code, "%s", text);
    longjmp(pool->exit->out, 1);
}

/* Leaves, or returns NULL outside of a step. */
static void *no_memory(struct pool *pool)
{
    pool_check(pool, error_out_of_memory(pool_error(pool)));
    return NULL;
}

void *pool_alloc(struct pool *pool, size_t count, size_t size)
{
    size_t bytes;
    const size_t align = alignof(max_align_t);
    if (__builtin_mul_overflow(count, size, &bytes) ||
        bytes > PTRDIFF_MAX - sizeof(struct pool_block) - align)
        return no_memory(pool);
    const bool is_large = bytes > BLOCK_BYTES;
    struct pool_block **list = is_large ? &pool->large : &pool->blocks, *block = *list;
    if (is_large || !block || block->size - block->used < bytes) {
        size_t wanted = is_large ? bytes : BLOCK_BYTES;
        block = calloc(1, sizeof *block + wanted);
        if (!block)
            return no_memory(pool);
        block->size = wanted;
        block->next = *list;
        *list = block;
    }
    void *memory = block->bytes + block->used;
    block->used += (bytes + align - 1) / align * align;
    return memory;
}

char *pool_strdup(struct pool *pool, const char *text)
{
    if (!text)
        return NULL;
    size_t length = strlen(text) + 1;
    char *copy = pool_alloc(pool, length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

char *pool_printf(struct pool *pool, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : pool_alloc(pool, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

/* The capacity of an array follows from its count, so it needs no field. */
static size_t capacity_of(size_t count)
{
    size_t capacity = count > 0;
    while (capacity < count && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    return capacity;
}

void *pool_extend(struct pool *pool, void **array, size_t *count, size_t more, size_t size)
{
    size_t wanted;
    if (__builtin_add_overflow(*count, more, &wanted))
        return no_memory(pool);
    if (wanted > capacity_of(*count)) {
        size_t capacity = capacity_of(wanted);
        void *larger = capacity < wanted ? no_memory(pool) : pool_alloc(pool, capacity, size);
        if (!larger)
            return NULL;
        if (*count)
            memcpy(larger, *array, *count * size);
        *array = larger;
    }
    void *first = *array ? (unsigned char *)*array + size * *count : NULL; /* nothing to add */
    *count = wanted;
    return first;
}

void *pool_append(struct pool *pool, void **array, size_t *count, size_t size)
{
    return pool_extend(pool, array, count, 1, size);
}

void pool_give_back(struct pool *pool, void *memory)
{
    for (struct pool_block **at = &pool->large; *at && memory; at = &(*at)->next) {
        struct pool_block *block = *at;
        if (block->bytes != memory)
            continue;
        *at = block->next;
        free(block);
        return;
    }
}

static void take_list(struct pool_block **to, struct pool_block **from)
{
    while (*to)
        to = &(*to)->next;
    *to = *from;
    *from = NULL;
}

void pool_take(struct pool *to, struct pool *from)
{
    take_list(&to->blocks, &from->blocks);
    take_list(&to->large, &from->large);
}

void pool_free(struct pool *pool)
{
    take_list(&pool->blocks, &pool->large);
    while (pool->blocks) {
        struct pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}
