#include "base/clean.h"
#include "base/text.h"
#include "findings/device.h"
#include "quantity/quantity.h"
#include "render/page/page.h"
#include "report/names.h"

#include <math.h>
#include <string.h>

static bool same_axis(const struct axis *a, const struct axis *b)
{
    return text_same(a->name, b->name) && quantity_same(a->unit, b->unit);
}

/* Of a device's curves those of one name belong together, for they differ in their factors (path,
 * order, split), and those of so few points that each says little alone; and its clock beside all
 * of them, its power, its temperature. */
static bool same_subject(const struct series *a, const struct series *b)
{
    enum { FEW_POINTS = 8 };
    int device = device_of_name(a->name, NULL), other = device_of_name(b->name, NULL);
    return device == other && (device < 0 || text_same(a->name, b->name) ||
                               (a->point_count <= FEW_POINTS && b->point_count <= FEW_POINTS));
}

/* Curves share a picture when they share their axes, matrices of several documents when they are
 * the same one. */
static bool belongs(const struct picture *picture, size_t document, const char *probe,
                    const struct series *series)
{
    const struct member *first = &picture->members[0];
    if (!text_same(picture->probe, probe) || first->series->matrix != series->matrix ||
        !same_axis(&first->series->x, &series->x) || !same_axis(&first->series->y, &series->y))
        return false;
    if (!series->matrix)
        return same_subject(first->series, series);
    return (picture->members[picture->member_count - 1].document < document &&
            text_same(first->series->name, series->name) && factors_same(first->series, series));
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
        if (!factor_same(factor, factor_seen(picture->members[i].series, factor->name)))
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
        named = named || !text_same(picture->members[i].series->name, series->name);
    if (named)
        line_add_clean(&own, series->name);
    for (size_t i = 0; i < factors_seen(series); i++)
        if (!is_shared(picture, &series->factors[i]) &&
            !device_factor_is_named(series, &series->factors[i]))
            line_add_factors(&own, &series->factors[i], 1);
    if (count > 1) {
        line_add_document(line, documents, count, picture->members[member].document);
        line_add(line, "%s", own.length ? ": " : "");
    } else if (own.length == 0) {
        line_add_clean(&own, series->name);
    }
    line_add(line, "%s", own.text);
}

/* What a series is about, behind its device: "scratchpad"; of "gpu0 latency: clock" that is
 * "latency". How long it is. */
static size_t subject_of(const struct series *series, const char **subject)
{
    device_of_name(series->name, subject);
    return device_has_condition(series) ? (size_t)(strrchr(*subject, ':') - *subject)
                                        : strlen(*subject);
}

/* Whether a series before this member is about the same. */
static bool is_repeated(const struct picture *picture, size_t member)
{
    const char *subject, *before;
    size_t length = subject_of(picture->members[member].series, &subject);
    for (size_t i = 0; i < member; i++)
        if (subject_of(picture->members[i].series, &before) == length &&
            strncmp(before, subject, length) == 0)
            return true;
    return false;
}

void line_add_subject(struct line *line, const struct picture *picture)
{
    enum { NAMES_MAX = 4 };
    const struct series *first = picture->members[0].series;
    const int device = device_of_name(first->name, NULL);
    size_t named = 0;
    bool alone = !device_has_condition(first); /* a title goes on with the name of y */
    if (device < 0 || first->matrix)
        return;
    line_add(line, device_has_condition(first) ? "gpu%d beside" : "gpu%d", device);
    for (size_t i = 1; i < picture->member_count; i++)
        alone = alone && text_same(picture->members[i].series->name, first->name);
    for (size_t i = 0; i < picture->member_count; i++) {
        const char *subject;
        char copy[CLEAN_TEXT], clean[CLEAN_TEXT];
        const size_t length = subject_of(picture->members[i].series, &subject);
        if ((alone && text_same(subject, first->y.name)) || is_repeated(picture, i) ||
            named++ >= NAMES_MAX)
            continue;
        snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy),
                 subject);
        line_add(line, "%s%s", named > 1 ? ", " : " ", clean_text(copy, clean, sizeof clean));
    }
    if (named > NAMES_MAX)
        line_add(line, " and %zu more", named - NAMES_MAX);
    line_add(line, ": ");
}
