/* The roads' width: bytes a second by kernel, and what is in flight or waits, from the findings. */
#include "base/clean.h"
#include "render/parts.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

enum { KERNELS_MAX = 24, FLIGHTS_MAX = 8, NAME_MAX_BYTES = 24 };

static bool doubted(const struct finding *finding)
{
    return finding && flag_doubts(finding->flags);
}

/* --- roads --- */

/* A kernel, as one experiment saw it. */
struct kernel {
    char name[NAME_MAX_BYTES]; /* not made inert */
    size_t experiment;
    const struct finding *one, *all;
};

struct kernels {
    struct kernel list[KERNELS_MAX];
    size_t count, left_out;
};

/* A road of the CPUs whose kernel alone stands between "bandwidth" and how many CPUs: another
 * access than the sequential one has a word of its own there. */
static bool is_road(const struct catalogue_entry *entry)
{
    const struct finding_meaning *meaning = &entry->meaning;
    return meaning->role == ROLE_WIDTH && meaning->device < 0 && isfinite(entry->finding->value) &&
           meaning->subject_length < NAME_MAX_BYTES &&
           (meaning->fact == FACT_ONE || meaning->fact == FACT_ALL) &&
           !strchr(meaning->subject + meaning->subject_length + 1, '.');
}

static struct kernel *kernel_of(struct kernels *kernels, const struct catalogue_entry *entry)
{
    const struct finding_meaning *meaning = &entry->meaning;
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->list[i].experiment == entry->experiment &&
            strlen(kernels->list[i].name) == meaning->subject_length &&
            memcmp(kernels->list[i].name, meaning->subject, meaning->subject_length) == 0)
            return &kernels->list[i];
    if (kernels->count == KERNELS_MAX)
        return NULL;
    struct kernel *kernel = &kernels->list[kernels->count++];
    *kernel = (struct kernel){.experiment = entry->experiment};
    memcpy(kernel->name, meaning->subject, meaning->subject_length);
    return kernel;
}

/* In the order of the findings, the standard ones first. */
static void collect_kernels(struct kernels *kernels, const struct catalogue *catalogue,
                            bool standard)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (!entry->experiment != standard || !is_road(entry))
            continue;
        struct kernel *kernel = kernel_of(kernels, entry);
        const struct finding **place = !kernel                           ? NULL
                                       : entry->meaning.fact == FACT_ONE ? &kernel->one
                                                                         : &kernel->all;
        if (place && !*place)
            *place = entry->finding;
        kernels->left_out += !place;
    }
}

static void add_rate(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT] = "";
    if (finding)
        figure_valued(finding->value, finding->unit, figure);
    line_add(line, " %12s", figure);
}

static void print_kernel(FILE *out, const struct kernel *kernel, const struct view_style *style)
{
    char clean[CLEAN_TEXT];
    const bool doubt = doubted(kernel->one) || doubted(kernel->all);
    struct line line = {0}, words = {0};
    line_add(&line, "  %-9s", clean_text(kernel->name, clean, sizeof clean));
    add_rate(&line, kernel->one);
    add_rate(&line, kernel->all);
    line_trim(&line);
    fprintf(out, "%s%s%s%s", line.text, doubt ? ink(style, INK_WARN) : "", doubt ? " !" : "",
            doubt ? ink(style, INK_PLAIN) : "");
    line_add_experiment(&words, kernel->one ? kernel->one : kernel->all);
    if (!words.length) {
        fputc('\n', out);
        return;
    }
    fputs("  ", out);
    line_print_wrapped(out, style, clean_columns(line.text) + (doubt ? 4 : 2), &words);
}

/* --- what is in flight --- */

/* What one experiment said of it; any may be NULL. */
struct flight {
    size_t experiment;
    const struct finding *misses, *each, *calm, *busy, *rate;
};

static const struct finding **flight_place(struct flight *flight, const struct finding_meaning *is)
{
    static const char memory[] = "DRAM";
    const bool of_memory =
        is->subject_length == strlen(memory) && memcmp(is->subject, memory, strlen(memory)) == 0;
    switch (is->fact) {
    case FACT_MISSES:
        return of_memory ? &flight->misses : NULL;
    case FACT_MISS_TIME:
        return of_memory ? &flight->each : NULL;
    case FACT_UNLOADED:
        return &flight->calm;
    case FACT_SATURATED:
        return &flight->busy;
    case FACT_TRAFFIC:
        return &flight->rate;
    default:
        return NULL;
    }
}

static size_t collect_flights(const struct catalogue *catalogue, struct flight *flights,
                              bool standard, size_t count)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        struct flight none = {0};
        if (!entry->experiment != standard || entry->meaning.role != ROLE_FLIGHT ||
            !isfinite(entry->finding->value) || !flight_place(&none, &entry->meaning))
            continue;
        size_t at = 0;
        while (at < count && flights[at].experiment != entry->experiment)
            at++;
        if (at == FLIGHTS_MAX)
            continue;
        if (at == count)
            flights[count++] = (struct flight){.experiment = entry->experiment};
        const struct finding **place = flight_place(&flights[at], &entry->meaning);
        *place = *place ? *place : entry->finding;
    }
    return count;
}

static void add_time(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s ", figure_plain(finding->value, figure));
    line_add_clean(line, finding->unit);
}

/* "in flight  21.0 misses, 6.63 ns each; under load 142 -> 180 ns at 17.7 GB/s" */
static void print_flight(FILE *out, const struct flight *flight, const struct view_style *style)
{
    struct line line = {0};
    char figure[UNIT_TEXT];
    const struct finding *misses = flight->misses, *busy = flight->busy, *rate = flight->rate;
    if (misses)
        line_add(&line, "%s misses of DRAM in flight", figure_plain(misses->value, figure));
    if (misses && flight->each) {
        line_add(&line, ", ");
        add_time(&line, flight->each);
        line_add(&line, " each");
    }
    if (flight->calm && busy) {
        line_add(&line, "%sa load takes ", line.length ? "; " : "");
        add_time(&line, flight->calm);
        line_add(&line, " alone, ");
        add_time(&line, busy);
        line_add(&line, " beside %s of traffic",
                 rate ? figure_valued(rate->value, rate->unit, figure) : "all");
    }
    if (!line.length)
        return;
    line_add_in_brackets(&line, misses ? misses : busy);
    if (doubted(misses) || doubted(flight->calm) || doubted(busy) || doubted(rate))
        line_add(&line, " !");
    fputs("  ", out);
    line_print_wrapped(out, style, 2, &line);
}

void width_print(FILE *out, const struct catalogue *catalogue, const struct view_style *style)
{
    struct kernels kernels = {0};
    struct flight flights[FLIGHTS_MAX];
    collect_kernels(&kernels, catalogue, true);
    collect_kernels(&kernels, catalogue, false);
    size_t flying = collect_flights(catalogue, flights, true, 0);
    flying = collect_flights(catalogue, flights, false, flying);
    bool flight = false;
    for (size_t i = 0; i < flying; i++)
        flight = flight || flights[i].misses || (flights[i].calm && flights[i].busy);
    if (!kernels.count && !flight)
        return;
    fprintf(out, "\n%swidth%s", ink(style, INK_BOLD), ink(style, INK_PLAIN));
    if (kernels.count)
        fprintf(out, "      %12s %12s   (DRAM)", "1 CPU", "all CPUs");
    fputc('\n', out);
    for (size_t i = 0; i < kernels.count; i++)
        print_kernel(out, &kernels.list[i], style);
    if (kernels.left_out)
        fprintf(out, "  and %zu more, all in the document\n", kernels.left_out);
    for (size_t i = 0; i < flying; i++)
        print_flight(out, &flights[i], style);
}
