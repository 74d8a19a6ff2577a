/* Clusters, as the findings tell them, and where they contradict what is declared. */
#include "base/clean.h"
#include "base/cpulist.h"
#include "findings/clusters.h"
#include "render/parts.h"
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16, BRIEF_GROUPS = 4 };

static bool is_cluster(const struct catalogue_entry *entry)
{
    return entry->meaning.role == ROLE_CLUSTER;
}

static bool is_disagreement(const struct catalogue_entry *entry)
{
    return entry->meaning.role == ROLE_DISAGREEMENT && entry->meaning.fact == FACT_CLUSTERS;
}

/* Whether a list is of no more CPUs than clusters are looked for among: "0-1048575" is few bytes
 * and a million of ids, and another person's document may say it of every cluster. */
static bool is_sensible(const char *cpus)
{
    unsigned long count = 0;
    while (*cpus && count <= CLUSTERS_CPUS_MAX) {
        char *end;
        const unsigned long first = strtoul(cpus, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        count += last >= first && last - first < CLUSTERS_CPUS_MAX ? last - first + 1
                                                                   : CLUSTERS_CPUS_MAX + 1ul;
        cpus = end + strcspn(end, ",");
        cpus += *cpus == ',';
    }
    return count <= CLUSTERS_CPUS_MAX;
}

/* False where it is no cluster, or says nothing sensible of its CPUs. */
static bool read_cpus(const struct catalogue_entry *entry, struct cpulist *cpus)
{
    const char *text = entry->finding->cpus;
    return is_cluster(entry) && text && is_sensible(text) && cpulist_parse(text, cpus, NULL) == 0;
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

/* Whose findings: those of one probe. */
struct group {
    const struct catalogue_entry *list;
    size_t count;
};

/* All of them, each below what holds it. They stand in that order; those of another experiment are
 * another tree. */
static void print_tree(FILE *out, const struct group *group, const struct view_style *style)
{
    struct cpulist above[DEPTH_MAX];
    size_t depth = 0, experiment = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct catalogue_entry *entry = &group->list[i];
        struct cpulist cpus;
        if (!read_cpus(entry, &cpus))
            continue;
        const bool other = entry->experiment != experiment;
        while (depth && (other || depth == DEPTH_MAX || !is_within(&cpus, &above[depth - 1])))
            cpulist_free(&above[--depth]);
        if (other) {
            struct line words = {0};
            line_add_experiment(&words, entry->finding);
            fprintf(out, "  %s:\n", words.length ? words.text : "as standard");
        }
        experiment = entry->experiment;
        print_cluster(out, entry->finding, depth, style);
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

/* Of the experiment that comes first. */
static size_t count_sizes(const struct group *group, struct size *sizes,
                          const struct catalogue_entry **example)
{
    size_t count = 0;
    *example = NULL;
    for (size_t i = 0; i < group->count; i++) {
        const struct finding *finding = group->list[i].finding;
        struct cpulist cpus;
        if ((*example && group->list[i].experiment != (*example)->experiment) ||
            !read_cpus(&group->list[i], &cpus))
            continue;
        *example = *example ? *example : &group->list[i];
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
static void print_brief(FILE *out, const struct group *group, const struct view_style *style)
{
    struct size sizes[BRIEF_GROUPS];
    const struct catalogue_entry *example;
    size_t count = count_sizes(group, sizes, &example), disagreements = 0;
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
    for (size_t i = 0; i < group->count; i++)
        if (is_disagreement(&group->list[i])) {
            first = first ? first : group->list[i].finding->text;
            disagreements++;
        }
    if (line.length) {
        line_add_in_brackets(&line, example->finding);
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

void clusters_print(FILE *out, const struct catalogue *catalogue, const struct probe_result *probe,
                    const struct view_style *style, bool whole)
{
    const struct group group = {catalogue_of(catalogue, 0, probe), probe->finding_count};
    bool any = false;
    for (size_t i = 0; i < group.count && !any; i++)
        any = catalogue_is_of_clusters(&group.list[i]);
    if (!any)
        return;
    if (!whole) {
        print_brief(out, &group, style);
        return;
    }
    fprintf(out, "\n%sclusters%s\n", ink(style, INK_BOLD), ink(style, INK_PLAIN));
    print_tree(out, &group, style);
    for (size_t i = 0; i < group.count; i++) {
        if (!is_disagreement(&group.list[i]))
            continue;
        struct line line = {0};
        line_add_clean(&line, group.list[i].finding->text);
        line_add_in_brackets(&line, group.list[i].finding);
        fprintf(out, "  %s!%s ", ink(style, INK_WARN), ink(style, INK_PLAIN));
        line_print_wrapped(out, style, 4, &line);
    }
}
