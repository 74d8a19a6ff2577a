#include "measure/probes/latency/variants.h"

#include "base/units.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <string.h>

enum { WORD = 8, WORD_MOST = 64 };

static const struct {
    const char *name, *list;
} sets[] = {
    /* Figures 1 to 5 of "CPU performance" (R. Groot Koerkamp): checked, unchecked, padded, raw
     * pointers, and these on huge pages. */
    {"article", "index-checked+packed+pages:small,index+packed+pages:small,"
                "index+padded+pages:small,pointer+padded+pages:small,pointer+padded"},
    /* The tables of the article on mem-lat: forward by 8, 64, 128 and 256 bytes, random, and random
     * with the pointer on the stack. */
    {"mem-lat", "forward+stride:8,forward+stride:64,forward+stride:128,forward+stride:256,random,"
                "spilled"},
};
enum { SETS = sizeof sets / sizeof *sets };

int latency_variants_check(const struct probe_task *task, struct error *error)
{
    static const char *const own[] = {"address", "element", "stride", "align", "access",
                                      "order",   "pages",   "table",  "count"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (settings_given(task->settings, own[i]))
            return error_set(error, ERROR_USAGE,
                             "--variants says what each curve is, so --%s can't be given with it: "
                             "make it a part of the variants, or leave one out",
                             own[i]);
    return 0;
}

int latency_variant_name(struct probe_task *task, const struct latency_variant *variant,
                         struct error *error)
{
    struct series *series = &task->plan.series[task->plan.series_count - 1];
    struct factor *factors = pool_alloc(task->pool, series->factor_count + 1, sizeof *factors);
    factors[0] = (struct factor){"variant", variant->name, NAN};
    memcpy(factors + 1, series->factors, series->factor_count * sizeof *factors);
    series->factors = factors;
    series->factor_count++;
    return 0;
}

static int refuse(const char *word, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "--variants '%s': join words like index-checked, index, pointer, spilled, "
                     "packed, padded, modify, forward, random, stride:SIZE, align:SIZE and "
                     "pages:POLICY by +, and variants by commas; or take article or mem-lat",
                     word);
}

static int index_of(const char *const *names, const char *word)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

/* What stands behind "stride:" and the like; NULL where the word is another. */
static const char *behind(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == ':' ? word + length + 1 : NULL;
}

static int take_word(struct latency_variant *variant, const struct chases *chases, const char *word,
                     struct error *error)
{
    struct chase_kind *kind = &variant->kind;
    const int address = index_of(address_names, word);
    const char *pages = behind(word, "pages"), *stride = behind(word, "stride"),
               *align = behind(word, "align");
    uint64_t bytes;
    if (address >= 0) {
        kind->address = (enum address)address;
    } else if (strcmp(word, "packed") == 0) {
        kind->stride = WORD;
    } else if (strcmp(word, "padded") == 0) {
        kind->stride = chases->line_bytes;
    } else if (strcmp(word, "modify") == 0 || strcmp(word, "read") == 0) {
        kind->modify = *word == 'm';
    } else if (stride || align) {
        if (size_parse(stride ? stride : align, &bytes, NULL) < 0 || bytes > SIZE_MAX / 4)
            return refuse(word, error);
        *(stride ? &kind->stride : &kind->offset) = (size_t)bytes;
    } else if (pages) {
        const int policy = index_of(page_policy_names, pages);
        if (policy < 0)
            return refuse(word, error);
        variant->pages = (enum page_policy)policy;
    } else if (chase_order_parse(kind, word, NULL) < 0) {
        return refuse(word, error);
    }
    return 0;
}

static int take_variant(struct latency_variants *variants, const struct probe_task *task,
                        const struct chases *chases, const char *text, size_t length,
                        struct error *error)
{
    struct latency_variant *variant =
        pool_append(task->pool, (void **)&variants->list, &variants->count, sizeof *variant);
    const char *name = pool_printf(task->pool, "%.*s", (int)length, text);
    *variant = (struct latency_variant){
        .name = name,
        .kind = {.address = ADDRESS_POINTER, .stride = chases->line_bytes, .order = RING_RANDOM},
        .pages = PAGES_AUTO};
    int code = 0;
    for (const char *at = name; code == 0; at++) {
        char word[WORD_MOST];
        const size_t size = strcspn(at, "+");
        if (size == 0 || size >= sizeof word)
            return refuse(name, error);
        memcpy(word, at, size);
        word[size] = '\0';
        code = take_word(variant, chases, word, error);
        at += size;
        if (!*at)
            break;
    }
    return code == 0 ? chase_kind_check(&variant->kind, error) : code;
}

int latency_variants_parse(struct latency_variants *variants, const struct probe_task *task,
                           const struct chases *chases, const char *list, struct error *error)
{
    for (size_t i = 0; i < SETS; i++)
        if (strcmp(sets[i].name, list) == 0)
            list = sets[i].list;
    int code = 0;
    for (const char *at = list; code == 0; at++) {
        const size_t length = strcspn(at, ",");
        code = take_variant(variants, task, chases, at, length, error);
        at += length;
        if (!*at)
            break;
    }
    variants->stride = chases->line_bytes;
    for (size_t i = 0; i < variants->count && code == 0; i++)
        if (variants->list[i].kind.stride > variants->stride)
            variants->stride = variants->list[i].kind.stride;
    for (size_t i = 0; i < variants->count && code == 0; i++)
        if (variants->stride % variants->list[i].kind.stride != 0)
            code = error_set(error, ERROR_USAGE,
                             "--variants: the stride of %zu bytes does not divide that of %zu, so "
                             "they have no sizes in common: give strides that are powers of two",
                             variants->list[i].kind.stride, variants->stride);
    return code;
}

/* --- what prefetchers hid --- */

static bool is(const struct series *series, const char *factor, const char *text)
{
    const struct factor *found = series_factor(series, factor);
    return found && found->text && strcmp(found->text, text) == 0;
}

/* The same chase in random order, a line at a time. */
static const struct series *random_beside(const struct probe_result *result)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (is(&result->series[i], "order", "random") &&
            is(&result->series[i], "address", "pointer") &&
            is(&result->series[i], "access", "read") && result->series[i].point_count)
            return &result->series[i];
    return NULL;
}

static int add_hidden(struct analysis *analysis, const struct series *forward,
                      const struct series *random, struct error *error)
{
    const struct factor *stride = series_factor(forward, "stride");
    const struct point *at = &forward->points[forward->point_count - 1];
    const struct point *beside = series_point(random, at->x);
    char size[UNIT_TEXT];
    if (!stride || !at->y.n || !beside || !beside->y.n)
        return 0;
    const double fast = (double)at->y.median, slow = (double)beside->y.median;
    const double hidden = 100 * (1 - fast / slow);
    const size_t first = analysis->result->finding_count;
    struct finding *finding = finding_add_value(
        analysis->result, analysis->pool, "latency.hidden", "%", hidden,
        100 * (1 - (double)at->y.high / (double)beside->y.low),
        100 * (1 - (double)at->y.low / (double)beside->y.high), at->flags | beside->flags);
    finding->text = pool_printf(
        analysis->pool,
        hidden > 0 ? "forward by %.0f bytes a load in %s takes %.3g ns, in random order %.3g: "
                     "prefetchers, and lines that hold several elements, hide %.0f %% of it"
                   : "forward by %.0f bytes a load in %s takes %.3g ns, in random order %.3g: "
                     "nothing of it is hidden",
        stride->number, size_format(at->x, size), fast, slow, hidden);
    analysis_read_off(analysis, first, forward);
    return 0;
}

int latency_variants_analyse(struct analysis *analysis, struct error *error)
{
    const struct probe_result *result = analysis->result;
    const struct series *random = random_beside(result);
    int code = 0;
    for (size_t i = 0; random && i < result->series_count && code == 0; i++)
        if (is(&result->series[i], "order", "forward") && result->series[i].point_count)
            code = add_hidden(analysis, &result->series[i], random, error);
    return code;
}
