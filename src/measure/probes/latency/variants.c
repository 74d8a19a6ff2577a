/* Several kinds of the chase: the curves of `fathom latency --variants`, and the table of --table:
 * every variant at one size inside each level, so that the costs of variants and levels can be
 * compared. */
#include "base/units.h"
#include "measure/probes/latency/latency.h"

#include <math.h>
#include <string.h>

enum { WORD = 8, WORD_MOST = 64, TABLE_TRIALS = 3 };

static const struct {
    const char *name, *list;
    struct latency_variant common; /* the values of its variants that don't name their own */
} sets[] = {
    /* Figures 1 to 5 of "CPU performance" (R. Groot Koerkamp): checked, unchecked, padded, raw
     * pointers, raw pointers on huge pages. */
    {"article",
     "index-checked+packed+pages:small,index+packed+pages:small,"
     "index+padded+pages:small,pointer+padded+pages:small,pointer+padded",
     .common = {.name = NULL}},
    /* The tables of the article on mem-lat: random, random with the pointer on the stack, and
     * forward by 8, 64, 128 and 256 bytes; on the pages that it had, in a loop of a hundred loads,
     * and with the caches as these loads keep them. */
    {"mem-lat",
     "random,spilled,forward+stride:8,forward+stride:64,forward+stride:128,forward+stride:256",
     .common = {.pages = PAGES_SMALL, .kind = {.chased = true, .loads = 100}}},
};
enum { SETS = sizeof sets / sizeof *sets };

static int index_of(const char *const *names, const char *word)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

/* The text after "stride:" and the like; NULL for another word. */
static const char *behind(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == ':' ? word + length + 1 : NULL;
}

static _Noreturn void refuse(const struct probe_task *task, const char *word)
{
    pool_leave(task->pool, ERROR_USAGE,
               "--variants '%s': join words like index-checked, index, pointer, spilled, packed, "
               "padded, modify, chased, forward, random, stride:SIZE, align:SIZE, loads:N and "
               "pages:POLICY by +, and variants by commas; or take article or mem-lat",
               word);
}

static void take_word(struct latency_variant *variant, const struct probe_task *task,
                      const struct chases *chases, const char *word)
{
    struct chase_kind *kind = &variant->kind;
    const int address = index_of(address_names, word);
    const char *pages = behind(word, "pages"), *stride = behind(word, "stride"),
               *align = behind(word, "align"), *loads = behind(word, "loads");
    const int policy = pages ? index_of(page_policy_names, pages) : -1;
    uint64_t bytes;
    if (address >= 0)
        kind->address = (enum address)address;
    else if (strcmp(word, "packed") == 0)
        kind->stride = WORD;
    else if (strcmp(word, "padded") == 0)
        kind->stride = chases->line_bytes;
    else if (loads && chase_loads_parse(kind, loads))
        return;
    else if (strcmp(word, chase_states[STATE_CHASED]) == 0)
        kind->chased = true;
    else if (strcmp(word, "modify") == 0 || strcmp(word, "read") == 0)
        kind->modify = *word == 'm';
    else if (policy >= 0)
        variant->pages = (enum page_policy)policy;
    else if ((stride || align) && size_parse(stride ? stride : align, &bytes, NULL) == 0 &&
             bytes <= SIZE_MAX / 4)
        *(stride ? &kind->stride : &kind->offset) = (size_t)bytes;
    else if (stride || align || pages || loads || chase_order_parse(kind, word, NULL) < 0)
        refuse(task, word);
}

static void take_variant(struct latency_variants *variants, const struct probe_task *task,
                         const struct chases *chases, const char *text, size_t length,
                         const struct latency_variant *common)
{
    struct latency_variant *variant =
        pool_append(task->pool, (void **)&variants->list, &variants->count, sizeof *variant);
    const char *name = pool_printf(task->pool, "%.*s", (int)length, text), *at = name;
    *variant = common ? *common : (struct latency_variant){.pages = PAGES_AUTO};
    variant->name = name;
    variant->kind.address = ADDRESS_POINTER;
    variant->kind.stride = chases->line_bytes;
    for (size_t size;; at += size + 1) {
        char word[WORD_MOST];
        size = strcspn(at, "+");
        if (size == 0 || size >= sizeof word)
            refuse(task, name);
        memcpy(word, at, size);
        word[size] = '\0';
        take_word(variant, task, chases, word);
        if (!at[size])
            break;
    }
    if (common && variant->kind.address != ADDRESS_POINTER)
        variant->kind.loads = 0; /* one kind of loop alone has several lengths */
    pool_check(task->pool, chase_kind_check(&variant->kind, pool_error(task->pool)));
}

struct latency_variants latency_variants_parse(const struct probe_task *task,
                                               const struct chases *chases)
{
    const struct latency_options *asked = task->options;
    const struct setting *const own[] = {&asked->address, &asked->element, &asked->stride,
                                         &asked->align,   &asked->access,  &asked->order,
                                         &asked->pages,   &asked->table,   &asked->count,
                                         &asked->loads,   &asked->state,   NULL};
    const char *list = asked->variants.text, *given = settings_first_given(own);
    struct latency_variants variants = {.stride = chases->line_bytes};
    const struct latency_variant *common = NULL;
    if (given)
        pool_leave(task->pool, ERROR_USAGE,
                   "--variants says what each curve is, so --%s can't be given with it: make it a "
                   "part of the variants, or leave one out",
                   given);
    for (size_t i = 0; i < SETS; i++)
        if (strcmp(sets[i].name, list) == 0) {
            list = sets[i].list;
            common = sets[i].common.kind.loads ? &sets[i].common : NULL;
            break;
        }
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        take_variant(&variants, task, chases, at, length, common);
        at += length;
        if (!*at)
            break;
    }
    for (size_t i = 0; i < variants.count; i++)
        if (variants.list[i].kind.stride > variants.stride)
            variants.stride = variants.list[i].kind.stride;
    for (size_t i = 0; i < variants.count; i++)
        if (variants.stride % variants.list[i].kind.stride != 0)
            pool_leave(task->pool, ERROR_USAGE,
                       "--variants: the stride of %zu bytes does not divide that of %zu, so they "
                       "have no sizes in common: give strides that are powers of two",
                       variants.list[i].kind.stride, variants.stride);
    return variants;
}

/* The first factor is the variant's full name, by which outputs show variants side by side. */
void latency_variant_series(struct probe_task *task, struct chases *chases,
                            const struct latency_variant *variant)
{
    const int at = chases_add_series(chases, task, "latency", &variant->kind,
                                     page_policy_names[variant->pages]);
    struct series *series = &task->plan.series[at];
    struct factor *factors = pool_alloc(task->pool, series->factor_count + 1, sizeof *factors);
    factors[0] = (struct factor){"variant", .text = variant->name, .number = NAN};
    memcpy(factors + 1, series->factors, series->factor_count * sizeof *factors);
    series->factors = factors;
    series->factor_count++;
}

/* --- the table --- */

/* Packed elements share lines, padded ones do not. */
static const struct row {
    const char *name;
    enum address address;
    bool packed, modify;
    size_t offset;
} rows[] = {
#include "variants.texts.h"
};

void latency_table_check(const struct probe_task *task)
{
    const struct latency_options *asked = task->options;
    const struct setting *const own[] = {&asked->address,
                                         &asked->element,
                                         &asked->stride,
                                         &asked->align,
                                         &asked->access,
                                         &asked->order,
                                         &asked->size,
                                         &asked->count,
                                         &asked->threads,
                                         &asked->loads,
                                         NULL};
    const char *given = settings_first_given(own);
    if (given)
        pool_leave(task->pool, ERROR_USAGE,
                   "--table goes through all variants at sizes of its own: leave out --%s", given);
}

void latency_table_plan(struct probe_task *task, struct chases *chases,
                        const struct chase_level *levels, size_t level_count, const char *pages)
{
    task->plan.trials_min = TABLE_TRIALS;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const struct chase_kind kind = {.address = row->address,
                                        .modify = row->modify,
                                        .stride = row->packed ? WORD : chases->line_bytes,
                                        .order = RING_RANDOM,
                                        .offset = row->offset};
        if (chase_kind_check(&kind, NULL) < 0)
            continue; /* no such loop here */
        const int series = chases_add_series(
            chases, task, pool_printf(task->pool, "%s, pages %s", row->name, pages), &kind, pages);
        for (size_t n = 0; n < level_count; n++)
            chases_add_point(chases, task, series, (double)levels[n].bytes, levels[n].bytes);
    }
}
