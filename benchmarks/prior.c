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
#include "compare/levels.h"
#include "conclude/complete.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/home.h"
#include "stats/order.h"
#include "stats/student.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    DOCUMENTS_MOST = 256,
    FIGURES_MOST = 65536,
    QUIET_LEAST = 5,
    FREEDOM_MOST = 40,
    TIMES_MOST = 10
};

static const double normal_95 = 1.959963984540054;
static const double exact = 0.0005; /* to this the values in a document are */

struct value {
    const struct finding *finding;
    const char *name; /* with its level's number in the folder's reference */
    struct figure figure;
};

/* The deviations from the folder's centre, the values' standard errors by their intervals, and what
 * each counts: a folder, which is one machine on one day, at most as much as FREEDOM_MOST values.
 */
struct pooled {
    double away[FIGURES_MOST], owns[FIGURES_MOST], weights[FIGURES_MOST];
    size_t count, weighed;
};
static struct pooled pooled[SORTS][PRIOR_HOSTS][PRIOR_STATES];
static struct value values[FIGURES_MOST];
static size_t value_count;

static void pool_value(enum figure_sort sort, int host, int state, double away, double own)
{
    struct pooled *to = &pooled[sort][host][state];
    if (to->count == FIGURES_MOST)
        return;
    to->away[to->count] = away;
    to->owns[to->count++] = own;
}

/* A folder ends. */
static void weigh(void)
{
    for (int sort = 0; sort < SORTS; sort++)
        for (int row = 0; row < PRIOR_HOSTS * PRIOR_STATES; row++) {
            struct pooled *of = &pooled[sort][row / PRIOR_STATES][row % PRIOR_STATES];
            const double own = (double)(of->count - of->weighed);
            while (of->weighed < of->count)
                of->weights[of->weighed++] = fmin(1, FREEDOM_MOST / own);
        }
}

static int by_figure(const void *a, const void *b)
{
    const struct value *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    order = order ? order : strcmp(left->finding->unit, right->finding->unit);
    order =
        order ? order
              : (left->figure.sort > right->figure.sort) - (left->figure.sort < right->figure.sort);
    return order ? order : experiment_order(left->finding, right->finding);
}

static void take_document(struct document *document, const struct level_links *links)
{
    const struct figure_source source = figure_source_of(document);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct finding_meaning meaning = finding_meaning(finding);
            const bool judged = meaning.role != ROLE_CONDITION || strcmp(finding->unit, "Hz") == 0;
            if (finding->value > 0 && judged && !finding_is_derived(finding) &&
                level_partner(links, finding) != 0 && value_count < FIGURES_MOST)
                values[value_count++] =
                    (struct value){finding, level_name(&document->pool, links, finding),
                                   figure_of(&source, finding, &meaning)};
        }
}

/* How many levels of all documents have a partner in this one. */
static size_t partners_of(struct document *documents, size_t count, size_t as)
{
    struct level_links links[2];
    size_t partners = 0;
    for (size_t d = 0; d < count; d++) {
        level_links_find(links, &documents[d].pool, &documents[as], &documents[d]);
        for (size_t i = 0; i < links[1].count; i++)
            partners += links[1].list[i].partner != 0;
    }
    return partners;
}

/* Takes a folder's documents, with the levels numbered as in the one that has most of them: a step
 * more or fewer is no scatter of a figure. */
static void take_documents(struct document *documents, size_t count)
{
    struct level_links links[2];
    size_t as = 0, most = 0;
    for (size_t d = 0; d < count; d++) {
        const size_t partners = partners_of(documents, count, d);
        as = partners > most ? d : as;
        most = partners > most ? partners : most;
    }
    for (size_t d = 0; d < count; d++) {
        level_links_find(links, &documents[d].pool, &documents[as], &documents[d]);
        level_links_number(&links[1], 1, &links[0], &documents[d].pool);
        take_document(&documents[d], &links[1]);
    }
}

/* Hand-offs whose placement is not known lie in states, a factor apart: within each they scatter as
 * those do whose placement is known. */
static void pool_states(const double *logs, size_t n, double own)
{
    const double apart = log(1.5);
    for (size_t from = 0, to; from < n; from = to) {
        double sum = logs[from];
        for (to = from + 1; to < n && logs[to] - logs[to - 1] < apart; to++)
            sum += logs[to];
        const double count = (double)(to - from);
        for (size_t i = from; i < to && count > 1; i++)
            for (int state = 0; state < PRIOR_STATES; state++)
                pool_value(SORT_HANDOFF, HOST_GUEST, state,
                           (logs[i] - sum / count) * sqrt(count / (count - 1)), own);
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
        for (int state = 0; state < PRIOR_STATES && isfinite(own); state++) {
            if ((known && figure->beside != (state == STATE_BESIDE)) ||
                (state == STATE_BESIDE && quiet_count == n))
                continue;
            const bool one_sided = known && figure->beside;
            const double lost = one_sided ? 0 : 1 / (double)(known ? quiet_count : n);
            const double far = one_sided ? worse : away;
            if (one_sided && worse < 0)
                continue;
            pool_value(figure->sort, figure->guest, state, far / sqrt(1 - lost), own);
        }
    }
    free(logs);
}

/* What documents showed that are not kept. */
struct former {
    enum figure_sort sort;
    enum prior_host host;
    struct prior row;
};

/* The table of 2026-11-29, of 173 documents of four guests and of models. A fit shows no tails to
 * fit anew, so its rows stand. */
static const struct former settled[] = {
    {SORT_PRIVATE, HOST_BARE, {0.0005, 0.0005, 1, 40}},
    {SORT_PRIVATE, HOST_GUEST, {0.0005, 0.0012, 1, 40}},
    {SORT_CACHE, HOST_BARE, {0.0228, 0.0098, 1, 10}},
    {SORT_CACHE, HOST_GUEST, {0.1125, 0.0481, 1, 10}},
    {SORT_MEMORY, HOST_BARE, {0.0131, 0.0019, 1, 40}},
    {SORT_MEMORY, HOST_GUEST, {0.0799, 0.0123, 1, 40}},
    {SORT_HANDOFF, HOST_BARE, {0.0115, 0.0016, 1, 40}},
    {SORT_HANDOFF, HOST_GUEST, {0.0568, 0.0081, 1, 40}},
    {SORT_UNPLACED, HOST_BARE, {0.0523, 0.0020, 1, 4}},
    {SORT_UNPLACED, HOST_GUEST, {0.2578, 0.0100, 1, 4}},
    {SORT_RATE, HOST_BARE, {0.0127, 0.0026, 1, 7}},
    {SORT_RATE, HOST_GUEST, {0.0626, 0.0129, 1, 7}},
    {SORT_RATE_ALL, HOST_BARE, {0.0240, 0.0046, 1, 40}},
    {SORT_RATE_ALL, HOST_GUEST, {0.1181, 0.0228, 1, 40}},
    {SORT_ROOM, HOST_BARE, {0.0005, 0.0041, 1, 40}},
    {SORT_ROOM, HOST_GUEST, {0.0491, 0.0884, 1, 40}},
    {SORT_FAR_ROOM, HOST_BARE, {0.0725, 0.0221, 1, 40}},
    {SORT_FAR_ROOM, HOST_GUEST, {0.3627, 0.0884, 1, 40}},
    {SORT_SYSTEM, HOST_BARE, {0.0028, 0.0175, 1, 1}},
    {SORT_SYSTEM, HOST_GUEST, {0.0138, 0.0863, 1, 1}},
    {SORT_OTHER, HOST_BARE, {0.0066, 0.0019, 1, 40}},
    {SORT_OTHER, HOST_GUEST, {0.0019, 0.0345, 1, 1}},
    {SORT_CLOCK, HOST_BARE, {0.0055, 0.0000, 1, 40}},
    {SORT_CLOCK, HOST_GUEST, {0.0108, 0.0002, 1, 3}},
    {SORT_COUNT, HOST_BARE, {0.0005, 0.0000, 1, 40}},
    {SORT_COUNT, HOST_GUEST, {0.0006, 0.0000, 1, 30}},
};

/* What it showed of memory's rates, which then had one row with all others: of one CPU, and of all.
 * Each counts as a folder. */
static const struct former former_streams[] = {
    {SORT_STREAM, HOST_GUEST, {0.0626, 0.0129, 1, 7}},
    {SORT_STREAM, HOST_GUEST, {0.1181, 0.0228, 1, 40}},
};

static void take_former(const struct former *list, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        const struct prior *row = &list[r].row;
        const double scatter = hypot(row->scatter, row->own);
        for (int i = 0; i < FREEDOM_MOST; i++)
            for (int state = 0; state < PRIOR_STATES; state++)
                pool_value(list[r].sort, (int)list[r].host, state,
                           scatter * student_reach_of(row->freedom, (i + 0.5) / FREEDOM_MOST),
                           row->own);
        weigh();
    }
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
        count++;
    }
    take_documents(documents, count);
    qsort(values, value_count, sizeof *values, by_figure);
    for (size_t from = 0, to; from < value_count; from = to) {
        for (to = from + 1; to < value_count && by_figure(&values[from], &values[to]) == 0; to++)
            ;
        if (to - from >= QUIET_LEAST)
            pool_figure(&values[from], to - from);
    }
    weigh();
    for (size_t i = 0; i < count; i++)
        document_free(&documents[i]);
    if (folder)
        closedir(folder);
    return (int)count;
}

/* How the values of a row scatter, and the usual error. */
static struct prior fitted[SORTS][PRIOR_HOSTS][PRIOR_STATES];

/* The logarithm of the likelihood of a row's deviations: Student's distribution, whose squared
 * scale is what lies between runs and each value's own variance together, whose root is `times` as
 * large as its interval says. */
static double likelihood(const struct pooled *of, double scatter, double times, double freedom)
{
    const double height =
        lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - 0.5 * log(freedom * acos(-1));
    double sum = 0;
    for (size_t i = 0; i < of->count; i++) {
        const double square = scatter * scatter + pow(times * of->owns[i], 2);
        sum += of->weights[i] *
               (height - 0.5 * log(square) -
                (freedom + 1) / 2 * log1p(of->away[i] * of->away[i] / square / freedom));
    }
    return sum;
}

/* What fits best. Only where trials are moments of the whole run do they show what changes between
 * runs, so only there may an interval count `times` as much as it says. Of the degrees of freedom
 * the most that a likelihood ratio test at 5 % accepts against the best. What a neighbour can take
 * of a cache is limited, time slices are not. */
static struct prior fit(struct pooled *of, double times_most)
{
    static const double freedoms[] = {FREEDOM_MOST, 30, 15, 10, 7, 5, 4, 3, 2, 1};
    enum { TRIED = sizeof freedoms / sizeof *freedoms };
    const double accepted = 1.92, step = 1.05, most = 3, larger = 1.1;
    double found[TRIED], scatters[TRIED], often[TRIED], best = -INFINITY;
    size_t taken = 0;
    for (size_t i = 0; i < TRIED; i++) {
        found[i] = -INFINITY;
        for (double times = 1; times <= times_most; times *= larger)
            for (double scatter = exact; scatter < most; scatter *= step) {
                const double now = likelihood(of, scatter, times, freedoms[i]);
                if (now <= found[i])
                    continue;
                found[i] = now;
                scatters[i] = scatter;
                often[i] = times;
            }
        best = fmax(best, found[i]);
    }
    while (found[taken] < best - accepted)
        taken++;
    return (struct prior){scatters[taken], median_of(of->owns, of->count), often[taken],
                          freedoms[taken]};
}

static void fit_all(void)
{
    enum { LEAST = 4 };
    for (int sort = 0; sort < SORTS; sort++)
        for (int row = 0; row < PRIOR_HOSTS * PRIOR_STATES; row++) {
            struct pooled *of = &pooled[sort][row / PRIOR_STATES][row % PRIOR_STATES];
            if (of->count >= LEAST)
                fitted[sort][row / PRIOR_STATES][row % PRIOR_STATES] =
                    fit(of, sort == SORT_STREAM ? TIMES_MOST : 1);
        }
    for (size_t r = 0; r < sizeof settled / sizeof *settled; r++)
        for (int state = 0; state < PRIOR_STATES; state++)
            if (settled[r].host == HOST_GUEST || state == STATE_QUIET)
                fitted[settled[r].sort][settled[r].host][state] = settled[r].row;
}

static const struct prior *row_at(int sort, int row)
{
    return &fitted[sort][row / PRIOR_STATES][row % PRIOR_STATES];
}

/* How much more figures scatter in one row than in another, or how many times the degrees of
 * freedom they have: the median over the sorts that have both. */
static double times(int row, int other, bool freedom)
{
    double ratios[SORTS];
    size_t n = 0;
    for (int sort = 0; sort < SORTS; sort++) {
        const struct prior *one = row_at(sort, row), *two = row_at(sort, other);
        if (one->freedom > 0 && two->freedom > 0)
            ratios[n++] = freedom ? one->freedom / two->freedom
                                  : hypot(one->scatter, one->times * one->own) /
                                        hypot(two->scatter, two->times * two->own);
    }
    return n ? median_of(ratios, n) : 1;
}

/* A row without values is that of the same sort in another host or state, as many times as wide as
 * others are there, and with tails as much lighter. */
static struct prior row_of(int sort, int host, int state)
{
    const int row = host * PRIOR_STATES + state;
    const int rows[] = {row, !host * PRIOR_STATES + state, host * PRIOR_STATES + !state,
                        !host * PRIOR_STATES + !state};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct prior found = *row_at(sort, rows[i]);
        const double wider = i ? times(row, rows[i], false) : 1;
        found.scatter *= wider;
        found.own *= wider;
        if (i)
            found.freedom = fmin(FREEDOM_MOST, found.freedom * times(row, rows[i], true));
        if (found.freedom > 0)
            return found;
    }
    return (struct prior){1, 0, 1, 4};
}

int main(int argc, char **argv)
{
    static const char *const names[SORTS] = {
        "SORT_PRIVATE", "SORT_CACHE", "SORT_MEMORY",   "SORT_HANDOFF", "SORT_UNPLACED",
        "SORT_STREAM",  "SORT_RATE",  "SORT_RATE_ALL", "SORT_ROOM",    "SORT_FAR_ROOM",
        "SORT_SYSTEM",  "SORT_OTHER", "SORT_CLOCK",    "SORT_COUNT"};
    char day[32];
    const time_t now = time(NULL);
    int documents = 0;
    for (int i = 1; i < argc; i++) {
        const int count = take_folder(argv[i]);
        if (count < 0)
            return 1;
        documents += count;
    }
    take_former(former_streams, sizeof former_streams / sizeof *former_streams);
    fit_all();
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    printf("/* Written by benchmarks/prior.c on %s from %d documents (folders: %d) and former "
           "ones: do not edit. */\n"
           "#include \"compare/prior.h\"\n\n"
           "const struct prior priors[SORTS][PRIOR_HOSTS][PRIOR_STATES] = {\n",
           day, documents, argc - 1);
    for (int sort = 0; sort < SORTS; sort++) {
        printf("    [%s] = {", names[sort]);
        for (int host = 0; host < PRIOR_HOSTS; host++) {
            printf("%*s{", host ? (int)strlen(names[sort]) + 10 : 0, "");
            for (int state = 0; state < PRIOR_STATES; state++) {
                const struct prior row = row_of(sort, host, state);
                printf("%s{%.4f, %.4f, %.1f, %.0f}", state ? ", " : "", row.scatter, row.own,
                       row.times, row.freedom);
            }
            printf(host + 1 < PRIOR_HOSTS ? "},\n" : "}");
        }
        printf("},\n");
    }
    printf("};\n");
    return 0;
}
