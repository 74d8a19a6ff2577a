/*
 * How figures scatter between runs of one unchanged machine: prints src/compare/prior.c from
 * documents. Each argument is a folder with documents of one machine, all by one kind of run; use
 * no document by which a benchmark scores comparisons.
 *
 *     benchmark-prior FOLDER... > src/compare/prior.c
 *
 * The scatter of a sort of figures, host and state is pooled over its figures: the squares of the
 * deviations of their logarithms from the folder's median. Of runs beside others, the deviations
 * are those to the worse side from the median of the quiet runs, where a folder has enough of
 * these; without enough quiet runs the quiet state has the scatter of all.
 */
#include "compare/prior.h"
#include "compare/figure.h"
#include "conclude/complete.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/home.h"
#include "stats/order.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DOCUMENTS_MOST = 256, FIGURES_MOST = 65536, QUIET_LEAST = 5, FREEDOM_MOST = 40 };

static const double normal_95 = 1.959963984540054;

struct value {
    const struct finding *finding;
    struct figure figure;
};

struct pooled {
    double squares, freedom;
    double owns[FIGURES_MOST];
    size_t own_count;
};
static struct pooled pooled[SORTS][PRIOR_HOSTS][PRIOR_STATES];
static struct value values[FIGURES_MOST];
static size_t value_count;

static int by_figure(const void *a, const void *b)
{
    const struct value *left = a, *right = b;
    int order = strcmp(left->finding->name, right->finding->name);
    order = order ? order : strcmp(left->finding->unit, right->finding->unit);
    order =
        order ? order
              : (left->figure.sort > right->figure.sort) - (left->figure.sort < right->figure.sort);
    return order ? order : experiment_order(left->finding, right->finding);
}

static void take_document(const struct document *document)
{
    const struct figure_source source = figure_source_of(document);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct finding_meaning meaning = finding_meaning(finding);
            const bool judged = meaning.role != ROLE_CONDITION || strcmp(finding->unit, "Hz") == 0;
            if (finding->value > 0 && judged && !finding_is_derived(finding) &&
                value_count < FIGURES_MOST)
                values[value_count++] =
                    (struct value){finding, figure_of(&source, finding, &meaning)};
        }
}

/* Hand-offs whose placement is not known lie in states, a factor apart: within each they scatter as
 * those do whose placement is known. */
static void pool_states(const double *logs, size_t n, double own)
{
    const double apart = log(1.5);
    for (size_t from = 0, to; from < n; from = to) {
        double sum = logs[from], squares = 0;
        for (to = from + 1; to < n && logs[to] - logs[to - 1] < apart; to++)
            sum += logs[to];
        for (size_t i = from; i < to; i++)
            squares += pow(logs[i] - sum / (double)(to - from), 2);
        for (int state = 0; state < PRIOR_STATES; state++) {
            struct pooled *to_state = &pooled[SORT_HANDOFF][HOST_GUEST][state];
            to_state->squares += squares;
            to_state->freedom += (double)(to - from) - 1;
            if (to_state->own_count < FIGURES_MOST)
                to_state->owns[to_state->own_count++] = own;
        }
    }
}

static double own_of(const struct figure *figure)
{
    return figure->sort == SORT_COUNT ? 0 : log(figure->high / figure->low) / 2 / normal_95;
}

/* The usual standard error of a figure's value by its own interval. */
static double usual_of(const struct value *list, size_t n)
{
    double *owns = calloc(n, sizeof *owns);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(own_of(&list[i].figure)))
            owns[count++] = own_of(&list[i].figure);
    const double usual = count ? median_of(owns, count) : 0;
    free(owns);
    return usual;
}

/* One figure's values in all documents of a folder: what a value's own interval is wider than usual
 * explains a part of its deviation, and one without an interval tells nothing. */
static void pool_figure(const struct value *list, size_t n)
{
    double *logs = calloc(2 * n, sizeof *logs), *quiet = logs + n;
    size_t quiet_count = 0;
    for (size_t i = 0; i < n; i++) {
        logs[i] = log(list[i].figure.value);
        if (!list[i].figure.beside)
            quiet[quiet_count++] = logs[i];
    }
    const double usual = usual_of(list, n);
    const bool known = quiet_count >= QUIET_LEAST;
    const double all = median_of(logs, n), centre = known ? median_of(quiet, quiet_count) : all;
    double *sorted = calloc(n, sizeof *sorted);
    memcpy(sorted, logs, n * sizeof *sorted);
    sort_ascending(sorted, n);
    if (list[0].figure.sort == SORT_UNPLACED)
        pool_states(sorted, n, usual);
    free(sorted);
    for (size_t i = 0; i < n; i++) {
        const struct figure *figure = &list[i].figure;
        const double away = log(figure->value) - centre,
                     worse = figure->worse == SIDE_LESS ? -away : away;
        const double own = own_of(figure);
        const double excess = fmax(own * own - usual * usual, 0);
        for (int state = 0; state < PRIOR_STATES && isfinite(own); state++) {
            struct pooled *to = &pooled[figure->sort][figure->guest][state];
            if ((known && figure->beside != (state == STATE_BESIDE)) ||
                (state == STATE_BESIDE && quiet_count == n))
                continue;
            const double far = known && figure->beside ? fmax(worse, 0) : away;
            to->squares += fmax(far * far - excess, 0);
            to->freedom += known && figure->beside ? 1 : 1 - 1 / (double)(known ? quiet_count : n);
            if (to->own_count < FIGURES_MOST)
                to->owns[to->own_count++] = own;
        }
    }
    free(logs);
}

static int take_folder(const char *path)
{
    static struct document documents[DOCUMENTS_MOST];
    DIR *folder = opendir(path);
    size_t count = 0;
    struct error error = {0};
    value_count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)) && count < DOCUMENTS_MOST;) {
        char name[4096];
        if (!strstr(entry->d_name, ".json"))
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (experiment_read(&documents[count], name, &error) < 0) {
            fprintf(stderr, "benchmark-prior: %s\n", error.text);
            return -1;
        }
        take_document(&documents[count++]);
    }
    qsort(values, value_count, sizeof *values, by_figure);
    for (size_t from = 0, to; from < value_count; from = to) {
        for (to = from + 1; to < value_count && by_figure(&values[from], &values[to]) == 0; to++)
            ;
        if (to - from >= QUIET_LEAST)
            pool_figure(&values[from], to - from);
    }
    for (size_t i = 0; i < count; i++)
        document_free(&documents[i]);
    if (folder)
        closedir(folder);
    return (int)count;
}

/* A row without values is that of the other host, and one without any is unknown. */
static const struct pooled *row_of(int sort, int host, int state)
{
    enum { LEAST = 4 };
    const struct pooled *rows[] = {&pooled[sort][host][state], &pooled[sort][!host][state],
                                   &pooled[sort][host][!state], &pooled[sort][!host][!state]};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i]->freedom >= LEAST)
            return rows[i];
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *const names[SORTS] = {
        "SORT_PRIVATE", "SORT_CACHE",    "SORT_MEMORY", "SORT_HANDOFF",  "SORT_UNPLACED",
        "SORT_RATE",    "SORT_RATE_ALL", "SORT_ROOM",   "SORT_FAR_ROOM", "SORT_SYSTEM",
        "SORT_OTHER",   "SORT_CLOCK",    "SORT_COUNT"};
    char day[32];
    const time_t now = time(NULL);
    int documents = 0;
    for (int i = 1; i < argc; i++) {
        const int count = take_folder(argv[i]);
        if (count < 0)
            return 1;
        documents += count;
    }
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    printf(
        "/* Written by benchmarks/prior.c on %s from %d documents in %d folders: do not edit. */\n"
        "#include \"compare/prior.h\"\n\n"
        "const struct prior priors[SORTS][PRIOR_HOSTS][PRIOR_STATES] = {\n",
        day, documents, argc - 1);
    for (int sort = 0; sort < SORTS; sort++) {
        printf("    [%s] = {", names[sort]);
        for (int host = 0; host < PRIOR_HOSTS; host++) {
            printf("%*s{", host ? (int)strlen(names[sort]) + 10 : 0, "");
            for (int state = 0; state < PRIOR_STATES; state++) {
                struct pooled *row = (struct pooled *)row_of(sort, host, state);
                const double scatter = row ? sqrt(row->squares / row->freedom) : 1;
                printf("%s{%.4f, %.4f, %.0f}", state ? ", " : "", fmax(scatter, 0.0005),
                       row && row->own_count ? median_of(row->owns, row->own_count) : 0,
                       row ? fmin(row->freedom, FREEDOM_MOST) : 4);
            }
            printf(host + 1 < PRIOR_HOSTS ? "},\n" : "}");
        }
        printf("},\n");
    }
    printf("};\n");
    return 0;
}
