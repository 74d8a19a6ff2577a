#include "measure/probes/chase/knees.h"

#include "conclude/translation/tlb.h"
#include "measure/probes/chase/working_sets.h"

#include <math.h>
#include <stdio.h>

/* A knee needs no more sizes if the ratio of the measured sizes around its capacity's interval is
 * less than this. */
static const double narrow = 1.04;

static double finding_value(const struct document *document, const char *level, const char *page,
                            const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s.%s", level, page, what);
    const struct finding *finding = document_finding(document, name);
    return finding ? finding->value : NAN;
}

size_t knees_of_translation(const struct document *document, uint64_t page_bytes,
                            struct translation_knee knees[KNEES_TRANSLATION_MOST])
{
    static const char *const tlbs[] = {"dtlb1", "dtlb2"}, *const costs[] = {"hit", "walk"};
    double so_far = 0, share = 1;
    size_t count = 0, page = 0, piece;
    while (page < TLB_PAGES && tlb_pages[page].bytes != page_bytes)
        page++;
    if (page == TLB_PAGES || !document)
        return 0;
    const struct finding *split = tlb_split_of(document, page, &piece);
    if (split) {
        share = fmin(1, split->value);
        page = piece;
    }
    for (size_t i = 0; i < KNEES_TRANSLATION_MOST; i++) {
        double entries = finding_value(document, tlbs[i], tlb_pages[page].name, "entries");
        if (isnan(entries)) /* unknown, but the set at which costs begin may be known */
            entries = finding_value(document, tlbs[i], tlb_pages[page].name, "onset");
        double cost = finding_value(document, "dtlb2", tlb_pages[page].name, costs[i]);
        if (!(entries > 0) || !(cost > so_far))
            continue;
        knees[count++] = (struct translation_knee){entries * (double)tlb_pages[page].bytes,
                                                   share * (cost - so_far)};
        so_far = cost;
    }
    return count;
}

/* The nearest measured sizes below and above the interval of a level's capacity; 0 and INFINITY:
 * none. */
static void neighbours(const struct series *series, const struct level *level, double *below,
                       double *above)
{
    *below = 0;
    *above = INFINITY;
    for (size_t i = 0; i < series->point_count; i++) {
        double x = series->points[i].x;
        if (x <= level->capacity.low)
            *below = fmax(*below, x);
        if (x >= level->capacity.high)
            *above = fmin(*above, x);
    }
}

static bool measured(const struct series *series, double x)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x == x)
            return true;
    return false;
}

size_t knees_around(const struct series *series, const struct level *level, uint64_t stride,
                    uint64_t sizes[KNEES_SIZES_A_LEVEL])
{
    double below, above;
    size_t count = 0;
    if (!isfinite(level->capacity.value))
        return 0;
    neighbours(series, level, &below, &above);
    if (below <= 0 || !isfinite(above) || above < narrow * below)
        return 0;
    for (int i = 1; i <= KNEES_SIZES_A_LEVEL; i++) {
        double x = below * pow(above / below, (double)i / (KNEES_SIZES_A_LEVEL + 1));
        uint64_t bytes = (uint64_t)(x / (double)stride) * stride;
        bool again = count && sizes[count - 1] == bytes;
        if (bytes >= stride && !again && !measured(series, (double)bytes))
            sizes[count++] = bytes;
    }
    return count;
}

size_t knees_choose(struct pool *pool, enum level_pages pages, const struct series *series,
                    const struct translation_knee *knees, size_t knee_count, uint64_t stride,
                    uint64_t sizes[KNEES_SIZES_MOST])
{
    struct levels levels;
    levels_of_series(pool, pages, series, knees, knee_count, &levels);
    size_t count = 0;
    for (size_t k = 0; k < levels.count && isfinite(levels.list[k].capacity.value); k++)
        count += knees_around(series, &levels.list[k], stride, sizes + count);
    return sizes_sort(sizes, count);
}
