#include "base/cpulist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cpulist_add(struct cpulist *list, int id)
{
    size_t at = list->count;
    while (at > 0 && list->ids[at - 1] >= id)
        at--;
    if (at < list->count && list->ids[at] == id)
        return 0;
    if ((list->count & (list->count - 1)) == 0) { /* full: the capacity is the next power of two */
        int *larger = realloc(list->ids, (list->count ? list->count * 2 : 1) * sizeof *larger);
        if (!larger)
            return ERROR_SYSTEM;
        list->ids = larger;
    }
    memmove(list->ids + at + 1, list->ids + at, (list->count - at) * sizeof *list->ids);
    list->ids[at] = id;
    list->count++;
    return 0;
}

bool cpulist_has(const struct cpulist *list, int id)
{
    return list->count && bsearch(&id, list->ids, list->count, sizeof id, cpulist_by_id);
}

size_t cpulist_common(const struct cpulist *list, const struct cpulist *other)
{
    size_t common = 0;
    for (size_t i = 0; i < list->count; i++)
        common += cpulist_has(other, list->ids[i]);
    return common;
}

/* Reads a decimal id at *cursor and moves past it; -1 if there is none or it is too large. */
static int read_id(const char **cursor)
{
    if (!isdigit((unsigned char)**cursor))
        return -1;
    int id = 0;
    for (; isdigit((unsigned char)**cursor); ++*cursor) {
        id = id * 10 + (**cursor - '0');
        if (id > CPU_ID_MAX)
            return -1;
    }
    return id;
}

/* One element: N, N-M or N-M:STRIDE. Returns false where the text is none of these. */
static bool read_range(const char **cursor, int *first, int *last, int *stride)
{
    *first = *last = read_id(cursor);
    *stride = 1;
    if (*first < 0)
        return false;
    if (**cursor != '-')
        return true;
    ++*cursor;
    if ((*last = read_id(cursor)) < *first)
        return false;
    if (**cursor != ':')
        return true;
    ++*cursor;
    return (*stride = read_id(cursor)) > 0;
}

bool cpulist_text_has(const char *text, int id)
{
    int first, last, stride;
    for (; text && read_range(&text, &first, &last, &stride); text++) {
        if (id >= first && id <= last && (id - first) % stride == 0)
            return true;
        if (*text != ',')
            return false;
    }
    return false;
}

/* Ascending ranges are counted without expanding them: documents may hold thousands of long
 * ones. */
size_t cpulist_text_count(const char *text)
{
    size_t count = 0;
    struct cpulist list;
    struct pool pool = {0};
    const char *cursor = text;
    int first, last, stride, before = -1;
    for (; cursor && read_range(&cursor, &first, &last, &stride) && first > before; cursor++) {
        count += (size_t)((last - first) / stride) + 1;
        before = last;
        if (!*cursor)
            return count;
        if (*cursor != ',')
            return 0;
    }
    count = text && cpulist_read(text, &list, &pool, NULL) == 0 ? list.count : 0;
    pool_free(&pool);
    return count;
}

enum {
    FEW = 2048,
    /* The most ids that a text may name, repeats counted: expanding more could take hours. */
    NAMED_MOST = 16 * CPU_ID_MAX,
};

/* What a text names: how many ids, repeats counted, and the largest of them. */
struct named {
    size_t count;
    int largest;
};

/* Stores each id that the text names in `ids`, in the text's order, and marks it in `chosen`, which
 * has room for the largest; either may be NULL. Returns false where the text is malformed. */
static bool read_ranges(const char *text, int *ids, bool *chosen, struct named *named)
{
    *named = (struct named){0};
    for (const char *cursor = text;; cursor++) {
        int first, last, stride;
        if (!read_range(&cursor, &first, &last, &stride) || (*cursor && *cursor != ','))
            return false;
        const size_t count = (size_t)((last - first) / stride) + 1;
        if (named->count + count > NAMED_MOST)
            return false;
        for (int id = first; id <= last && chosen; id += stride)
            chosen[id] = true;
        for (size_t i = 0; i < count && ids; i++)
            ids[named->count + i] = first + (int)i * stride;
        named->count += count;
        named->largest = last > named->largest ? last : named->largest;
        if (!*cursor)
            return true;
    }
}

int cpulist_by_id(const void *a, const void *b)
{
    const int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

/* Few ids are sorted. Of many, each is marked in an array of all, because sorting overlapping and
 * descending ranges would take hours. */
int cpulist_read(const char *text, struct cpulist *list, struct pool *pool, struct error *error)
{
    struct named named;
    *list = (struct cpulist){0};
    if (!read_ranges(text, NULL, NULL, &named))
        return error_set(error, ERROR_USAGE,
                         "CPU list '%s': write ascending ids, ranges and strides, "
                         "like 0-7,16-31:2",
                         text);
    const bool few = named.count <= FEW;
    const size_t all = few ? 0 : (size_t)named.largest + 1;
    bool *chosen = pool_alloc(pool, all, sizeof *chosen);
    int *ids = pool_alloc(pool, few || named.count < all ? named.count : all, sizeof *ids);
    if (!chosen || !ids)
        return error_out_of_memory(error);
    read_ranges(text, few ? ids : NULL, few ? NULL : chosen, &named);
    list->ids = ids;
    if (few)
        qsort(ids, named.count, sizeof *ids, cpulist_by_id);
    for (size_t i = 0; i < named.count && few; i++)
        if (!list->count || ids[list->count - 1] != ids[i])
            ids[list->count++] = ids[i];
    for (size_t id = 0; id < all; id++)
        if (chosen[id])
            ids[list->count++] = (int)id;
    pool_give_back(pool, few ? NULL : chosen);
    return 0;
}

char *cpulist_format(const struct cpulist *list, char *text, size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (size_t i = 0; i < list->count && used < size;) {
        size_t last = i;
        while (last + 1 < list->count && list->ids[last + 1] == list->ids[last] + 1)
            last++;
        const char *comma = i ? "," : "";
        int wrote = last > i ? snprintf(text + used, size - used, "%s%d-%d", comma, list->ids[i],
                                        list->ids[last])
                             : snprintf(text + used, size - used, "%s%d", comma, list->ids[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
        i = last + 1;
    }
    return text;
}

const char *cpulist_pooled(struct pool *pool, const struct cpulist *list)
{
    const size_t size = list->count * 8 + 1; /* for each id seven digits (CPU_ID_MAX) and a comma */
    char *text = pool_alloc(pool, size, 1);
    return text ? cpulist_format(list, text, size) : NULL;
}

void cpulist_free(struct cpulist *list)
{
    free(list->ids);
    *list = (struct cpulist){0};
}
