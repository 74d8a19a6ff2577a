#include "views/clean.h"
#include "views/html.h"

#include <math.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_axis(const struct axis *a, const struct axis *b)
{
    return same_text(a->name, b->name) && same_text(a->unit, b->unit);
}

static bool same_factor(const struct factor *a, const struct factor *b)
{
    return a && b && same_text(a->name, b->name) && same_text(a->text, b->text) &&
           (a->text || a->number == b->number || (isnan(a->number) && isnan(b->number)));
}

static bool same_factors(const struct series *a, const struct series *b)
{
    if (a->factor_count != b->factor_count)
        return false;
    for (size_t i = 0; i < a->factor_count; i++)
        if (!same_factor(&a->factors[i], series_factor(b, a->factors[i].name)))
            return false;
    return true;
}

/* Curves share a picture when they share their axes, matrices of several documents when they are
 * the same one. */
static bool belongs(const struct picture *picture, size_t document, const char *probe,
                    const struct series *series)
{
    const struct member *first = &picture->members[0];
    if (!same_text(picture->probe, probe) || first->series->matrix != series->matrix ||
        !same_axis(&first->series->x, &series->x) || !same_axis(&first->series->y, &series->y))
        return false;
    return !series->matrix ||
           (picture->members[picture->member_count - 1].document < document &&
            same_text(first->series->name, series->name) && same_factors(first->series, series));
}

static struct picture *picture_for(struct pictures *pictures, size_t document, const char *probe,
                                   const struct series *series, struct pool *pool, bool *memory)
{
    for (size_t i = 0; i < pictures->count; i++)
        if (belongs(&pictures->list[i], document, probe, series))
            return &pictures->list[i];
    if (pictures->count == PICTURES_MAX) {
        pictures->left_out++;
        return NULL;
    }
    struct picture *picture =
        pool_append(pool, (void **)&pictures->list, &pictures->count, sizeof *picture);
    *memory = picture != NULL;
    if (picture)
        picture->probe = probe;
    return picture;
}

bool pictures_collect(struct pictures *pictures, const struct document *const *documents,
                      size_t count, struct pool *pool)
{
    *pictures = (struct pictures){0};
    for (size_t d = 0; d < count; d++)
        for (size_t p = 0; p < documents[d]->probe_count; p++) {
            const struct probe_result *probe = &documents[d]->probes[p];
            for (size_t s = 0; s < probe->series_count; s++) {
                bool memory = true;
                struct picture *picture =
                    picture_for(pictures, d, probe->name, &probe->series[s], pool, &memory);
                if (!memory)
                    return false;
                if (!picture)
                    continue;
                if (picture->member_count == MEMBERS_MAX) {
                    picture->left_out++;
                    continue;
                }
                struct member *member = pool_append(pool, (void **)&picture->members,
                                                    &picture->member_count, sizeof *member);
                if (!member)
                    return false;
                *member = (struct member){d, probe, &probe->series[s]};
            }
        }
    return true;
}

static bool is_shared(const struct picture *picture, const struct factor *factor)
{
    for (size_t i = 0; i < picture->member_count; i++)
        if (!same_factor(factor, series_factor(picture->members[i].series, factor->name)))
            return false;
    return true;
}

void line_add_member(struct line *line, const struct picture *picture, size_t member,
                     const struct document *const *documents, size_t count)
{
    const struct series *series = picture->members[member].series;
    struct line own = {0};
    bool named = false;
    for (size_t i = 0; i < picture->member_count; i++)
        named = named || !same_text(picture->members[i].series->name, series->name);
    if (named)
        line_add_clean(&own, series->name);
    for (size_t i = 0; i < series->factor_count; i++)
        if (!is_shared(picture, &series->factors[i]))
            line_add_factors(&own, &series->factors[i], 1);
    if (count > 1) {
        line_add_document(line, documents, count, picture->members[member].document);
        line_add(line, "%s", own.length ? ": " : "");
    } else if (own.length == 0) {
        line_add_clean(&own, series->name);
    }
    line_add(line, "%s", own.text);
}
