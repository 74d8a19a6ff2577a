#include "show/render/metric_labels.h"
#include "conclude/registry/factors.h"

#include "base/clean.h"
#include "base/quantity.h"
#include "conclude/registry/device.h"
#include "show/report/figure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "factor";

void metric_label_put(FILE *out, const char *name, const char *text, const char *separator)
{
    const char *cursor = text ? text : "";
    char character[4];
    size_t bytes;
    fprintf(out, "%s%s=\"", separator, name);
    while ((bytes = clean_next(&cursor, character)) > 0) {
        if (character[0] == '\\' || character[0] == '"')
            fputc('\\', out);
        fwrite(character, 1, bytes, out);
    }
    fputc('"', out);
}

/* --- names --- */

/* A factor, and its name with an underscore for each byte that no label's name may have. */
struct plain {
    char name[LABEL_BYTES - 32]; /* room for a prefix and a number is left */
    const struct factor *factor;
    size_t place;
};

static void make_plain(struct plain *plain, const struct factor *factor, size_t place)
{
    size_t length = 0;
    for (; factor->name[length] && length + 1 < sizeof plain->name; length++) {
        const unsigned char c = (unsigned char)factor->name[length];
        plain->name[length] = c < 0x80 && isalnum(c) ? (char)c : '_';
    }
    plain->name[length] = '\0';
    plain->factor = factor;
    plain->place = place;
}

static int by_plain_name(const void *a, const void *b)
{
    const struct plain *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

/* Names of other labels of a finding; two underscores are kept for readers' own. */
static bool is_reserved(const char *name)
{
    static const char *const own[] = {"finding", "probe", "cpus", "gpu", "unit"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return !*name || isdigit((unsigned char)*name) || strncmp(name, "__", 2) == 0;
}

/* One that a name which was given a prefix could be taken for. */
static bool has_prefix(const char *name)
{
    const size_t length = sizeof prefix - 1;
    return strncmp(name, prefix, length) == 0 &&
           (name[length] == '_' || isdigit((unsigned char)name[length]));
}

static void name_label(struct metric_label *label, const struct plain *plain, bool alone)
{
    label->factor = plain->factor;
    if (!alone || has_prefix(plain->name))
        snprintf(label->name, sizeof label->name, "%s%zu_%s", prefix, plain->place + 1,
                 plain->name);
    else if (is_reserved(plain->name))
        snprintf(label->name, sizeof label->name, "%s_%s", prefix, plain->name);
    else
        snprintf(label->name, sizeof label->name, "%s", plain->name);
}

static int by_label_name(const void *a, const void *b)
{
    const struct metric_label *left = a, *right = b;
    return strcmp(left->name, right->name);
}

bool metric_labels_make(struct metric_labels *labels, const struct probe_result *probe,
                        const struct finding *finding, struct pool *pool)
{
    *labels =
        (struct metric_labels){.probe = probe, .finding = finding, .count = finding->deviations};
    if (!finding->deviations)
        return true;
    struct plain *plain = malloc(finding->deviations * sizeof *plain);
    labels->deviations = pool_alloc(pool, finding->deviations, sizeof *labels->deviations);
    for (size_t i = 0; i < finding->deviations && plain && labels->deviations; i++)
        make_plain(&plain[i], &finding->factors[i], i);
    const bool done = plain && labels->deviations;
    if (done)
        qsort(plain, finding->deviations, sizeof *plain, by_plain_name);
    for (size_t i = 0; i < finding->deviations && done; i++) {
        const bool before = i > 0 && strcmp(plain[i - 1].name, plain[i].name) == 0;
        const bool after =
            i + 1 < finding->deviations && strcmp(plain[i + 1].name, plain[i].name) == 0;
        name_label(&labels->deviations[i], &plain[i], !before && !after);
    }
    if (done)
        qsort(labels->deviations, labels->count, sizeof *labels->deviations, by_label_name);
    free(plain);
    return done;
}

/* --- what they say --- */

static const char *value_of(const struct metric_label *label, char number[UNIT_TEXT])
{
    return label->factor->text ? label->factor->text : factor_format(label->factor->number, number);
}

int metric_labels_order(const struct metric_labels *a, const struct metric_labels *b)
{
    int order = clean_order(a->finding->name, b->finding->name);
    order = order ? order : clean_order(a->probe->name, b->probe->name);
    order = order ? order : clean_order(a->finding->cpus, b->finding->cpus);
    if (!order && a->count != b->count)
        return a->count > b->count ? 1 : -1;
    for (size_t i = 0; i < a->count && !order; i++) {
        char left[UNIT_TEXT], right[UNIT_TEXT];
        order = strcmp(a->deviations[i].name, b->deviations[i].name);
        order = order ? order
                      : clean_order(value_of(&a->deviations[i], left),
                                    value_of(&b->deviations[i], right));
    }
    return order;
}

void metric_labels_put(FILE *out, const struct metric_labels *labels)
{
    const struct finding *finding = labels->finding;
    fputc('{', out);
    metric_label_put(out, "finding", finding->name, "");
    metric_label_put(out, "probe", labels->probe->name, ",");
    if (finding->cpus)
        metric_label_put(out, "cpus", finding->cpus, ",");
    const int device = device_of_name(finding->name, NULL);
    if (device >= 0)
        fprintf(out, ",gpu=\"%d\"", device);
    if (!quantity_of(finding->unit))
        metric_label_put(out, "unit", finding->unit, ",");
    for (size_t i = 0; i < labels->count; i++) {
        char number[UNIT_TEXT];
        metric_label_put(out, labels->deviations[i].name, value_of(&labels->deviations[i], number),
                         ",");
    }
    fputs("} ", out);
}
