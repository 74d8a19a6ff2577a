/* Clusters, as the findings "cluster" and "cluster.disagreement" tell them. */
#include "base/cpulist.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16, BRIEF_GROUPS = 4 };

static bool is_named(const struct finding *finding, const char *name)
{
    return strcmp(finding->name, name) == 0;
}

bool clusters_have(const struct finding *finding)
{
    return is_named(finding, "cluster") || is_named(finding, "cluster.disagreement");
}

static bool is_within(const struct cpulist *inner, const struct cpulist *outer)
{
    for (size_t i = 0; i < inner->count; i++)
        if (!cpulist_has(outer, inner->ids[i]))
            return false;
    return inner->count < outer->count;
}

static void print_cluster(FILE *out, const struct finding *finding, size_t depth,
                          const struct view_style *style)
{
    char figure[UNIT_TEXT];
    struct line line = {0}, unit = {0};
    line_add_clean(&line, finding->cpus);
    size_t indent = 2 + 2 * depth, column = clean_columns(line.text) + indent;
    fprintf(out, "%*s%s", (int)indent, "", line.text);
    enum { VALUES = 20 };
    line_add_clean(&unit, finding->unit);
    int used = fprintf(out, "%*s %9s %s", column < VALUES ? (int)(VALUES - column) : 0, "",
                       figure_plain(finding->value, figure), unit.text);
    struct line text = {0};
    line_add_clean(&text, finding->text);
    size_t at = column + (used > 0 ? (size_t)used : 0) + 2;
    fputs("  ", out);
    line_print_wrapped(out, style, at < (size_t)style->width / 2 ? at : VALUES, &text);
}

/* All of them, each below what holds it. They stand in that order. */
static void print_tree(FILE *out, const struct probe_result *probe, const struct view_style *style)
{
    struct cpulist above[DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 0; i < probe->finding_count; i++) {
        struct cpulist cpus;
        if (!is_named(&probe->findings[i], "cluster") || !probe->findings[i].cpus ||
            cpulist_parse(probe->findings[i].cpus, &cpus, NULL) < 0)
            continue;
        while (depth && (depth == DEPTH_MAX || !is_within(&cpus, &above[depth - 1])))
            cpulist_free(&above[--depth]);
        print_cluster(out, &probe->findings[i], depth, style);
        above[depth++] = cpus;
    }
    while (depth)
        cpulist_free(&above[--depth]);
}

/* Clusters of one size. */
struct size {
    size_t cpus, clusters;
    double least, most;
};

static size_t count_sizes(const struct probe_result *probe, struct size *sizes)
{
    size_t count = 0;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        struct cpulist cpus;
        if (!is_named(finding, "cluster") || !finding->cpus ||
            cpulist_parse(finding->cpus, &cpus, NULL) < 0)
            continue;
        size_t at = 0;
        while (at < count && sizes[at].cpus != cpus.count)
            at++;
        if (at < BRIEF_GROUPS) {
            if (at == count)
                sizes[count++] = (struct size){cpus.count, 0, INFINITY, -INFINITY};
            sizes[at].clusters++;
            sizes[at].least = fmin(sizes[at].least, finding->value);
            sizes[at].most = fmax(sizes[at].most, finding->value);
        }
        cpulist_free(&cpus);
    }
    return count;
}

static int smaller_first(const void *a, const void *b)
{
    const struct size *x = a, *y = b;
    return (x->cpus > y->cpus) - (x->cpus < y->cpus);
}

/* "Clusters: 8 of 2 CPUs (9.00 to 10.5), 4 of 4 CPUs (114 to 162)" */
static void print_brief(FILE *out, const struct probe_result *probe, const struct view_style *style)
{
    struct size sizes[BRIEF_GROUPS];
    size_t count = count_sizes(probe, sizes), disagreements = 0;
    struct line line = {0};
    const char *first = NULL;
    qsort(sizes, count, sizeof *sizes, smaller_first);
    for (size_t i = 0; i < count; i++) {
        char least[UNIT_TEXT], most[UNIT_TEXT];
        figure_plain(sizes[i].least, least);
        figure_plain(sizes[i].most, most);
        bool one = strcmp(least, most) == 0;
        line_add(&line, "%s%zu of %zu CPUs (%s%s%s)", i ? ", " : "Clusters: ", sizes[i].clusters,
                 sizes[i].cpus, least, one ? "" : " to ", one ? "" : most);
    }
    for (size_t i = 0; i < probe->finding_count; i++)
        if (is_named(&probe->findings[i], "cluster.disagreement")) {
            first = first ? first : probe->findings[i].text;
            disagreements++;
        }
    if (line.length) {
        fputs("  ", out);
        line_print_wrapped(out, style, 2, &line);
    }
    if (!disagreements)
        return;
    struct line other = {0};
    line_add_clean(&other, first ? first : "declared otherwise");
    if (disagreements > 1)
        line_add(&other, " (and %zu more)", disagreements - 1);
    fprintf(out, "  %s!%s ", ink(style, INK_WARN), ink(style, INK_PLAIN));
    line_print_wrapped(out, style, 4, &other);
}

void clusters_print(FILE *out, const struct probe_result *probe, const struct view_style *style,
                    bool whole)
{
    bool any = false;
    for (size_t i = 0; i < probe->finding_count && !any; i++)
        any = clusters_have(&probe->findings[i]);
    if (!any)
        return;
    if (!whole) {
        print_brief(out, probe, style);
        return;
    }
    fprintf(out, "\n%sclusters%s\n", ink(style, INK_BOLD), ink(style, INK_PLAIN));
    print_tree(out, probe, style);
    for (size_t i = 0; i < probe->finding_count; i++) {
        if (!is_named(&probe->findings[i], "cluster.disagreement"))
            continue;
        struct line line = {0};
        line_add_clean(&line, probe->findings[i].text);
        fprintf(out, "  %s!%s ", ink(style, INK_WARN), ink(style, INK_PLAIN));
        line_print_wrapped(out, style, 4, &line);
    }
}
