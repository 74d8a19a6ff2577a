/*
 * Findings in the OpenMetrics text format (OpenMetrics 1.0, "Text format"), for a node exporter's
 * text-file collector. One family a unit and a bound, in base units, the unit at the name's end as
 * the specification asks. Points of series are not written: a curve is no metric.
 */
#include "findings/device.h"
#include "result/flag.h"
#include "views/clean.h"
#include "views/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct unit {
    const char *document, *name; /* as the document says, as a metric's name ends; "" for none */
    double factor;
};
static const struct unit units[] = {
    {"ns", "seconds", 1e-9},        {"us", "seconds", 1e-6}, {"s", "seconds", 1},
    {"cycles", "cycles", 1},        {"B", "bytes", 1},       {"Hz", "hertz", 1},
    {"B/s", "bytes_per_second", 1}, {"%", "ratio", 0.01},    {"", "", 1},
};
enum { UNITS = sizeof units / sizeof *units };

enum bound { VALUE, LOW, HIGH, BOUNDS };
static const char *const bound_names[BOUNDS] = {"", "_low", "_high"};
static const char *const bound_help[BOUNDS] = {
    "what fathom found, by the finding's name",
    "lower end of the finding's 95 % interval",
    "upper end of the finding's 95 % interval",
};

/* Units that the table lacks are shown as they are, in the label that tells the finding. */
static const struct unit *unit_of(const struct finding *finding)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strcmp(finding->unit ? finding->unit : "", units[i].document) == 0)
            return &units[i];
    return &units[UNITS - 1];
}

static double bound_of(const struct finding *finding, enum bound bound)
{
    const double bounds[BOUNDS] = {finding->value, finding->low, finding->high};
    return bounds[bound];
}

/* A label's value: backslash, quote and line feed are escaped, and the rest is made inert. */
static void put_label(FILE *out, const char *name, const char *text, const char *separator)
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

static void put_labels(FILE *out, const struct probe_result *probe, const struct finding *finding)
{
    fputc('{', out);
    put_label(out, "finding", finding->name, "");
    put_label(out, "probe", probe->name, ",");
    if (finding->cpus)
        put_label(out, "cpus", finding->cpus, ",");
    const int device = device_of_name(finding->name, NULL);
    if (device >= 0)
        fprintf(out, ",gpu=\"%d\"", device);
    fputs("} ", out);
}

/* A finding in the document's order, and whether an earlier one has its labels: two samples of the
 * same labels would be refused by every reader. */
struct told {
    const struct probe_result *probe;
    const struct finding *finding;
    size_t place;
    bool repeated;
};

struct metrics {
    FILE *out;
    struct told *list;
    size_t count;
};

/* As the labels show them: texts that differ may look the same once they are inert. */
static int compare_clean(const char *a, const char *b)
{
    char left[4], right[4];
    a = a ? a : "";
    b = b ? b : "";
    for (;;) {
        size_t left_bytes = clean_next(&a, left), right_bytes = clean_next(&b, right);
        size_t bytes = left_bytes < right_bytes ? left_bytes : right_bytes;
        int order = memcmp(left, right, bytes);
        if (order || left_bytes != right_bytes || !bytes)
            return order ? order : (left_bytes > right_bytes) - (left_bytes < right_bytes);
    }
}

static int by_labels(const void *a, const void *b)
{
    const struct told *left = a, *right = b;
    int order = compare_clean(left->finding->name, right->finding->name);
    order = order ? order : compare_clean(left->probe->name, right->probe->name);
    return order ? order : compare_clean(left->finding->cpus, right->finding->cpus);
}

static int by_labels_and_place(const void *a, const void *b)
{
    const struct told *left = a, *right = b;
    int order = by_labels(left, right);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int by_place(const void *a, const void *b)
{
    const struct told *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

static bool collect(struct metrics *metrics, const struct document *document)
{
    size_t all = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        all += document->probes[p].finding_count;
    metrics->list = calloc(all + 1, sizeof *metrics->list);
    if (!metrics->list)
        return false;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++, metrics->count++)
            metrics->list[metrics->count] = (struct told){
                &document->probes[p], &document->probes[p].findings[f], metrics->count, false};
    qsort(metrics->list, metrics->count, sizeof *metrics->list, by_labels_and_place);
    for (size_t i = 1; i < metrics->count; i++)
        metrics->list[i].repeated = by_labels(&metrics->list[i - 1], &metrics->list[i]) == 0;
    qsort(metrics->list, metrics->count, sizeof *metrics->list, by_place);
    return true;
}

static void put_family(const struct metrics *metrics, const char *unit, enum bound bound)
{
    FILE *out = metrics->out;
    char name[64];
    bool begun = false;
    snprintf(name, sizeof name, "fathom_finding%s%s%s", bound_names[bound], *unit ? "_" : "", unit);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct told *told = &metrics->list[i];
        const struct unit *is = unit_of(told->finding);
        double value = bound_of(told->finding, bound);
        if (told->repeated || strcmp(is->name, unit) != 0 || !isfinite(value))
            continue;
        if (!begun)
            fprintf(out, "# TYPE %s gauge\n", name);
        if (!begun && *unit)
            fprintf(out, "# UNIT %s %s\n", name, unit);
        if (!begun)
            fprintf(out, "# HELP %s %s\n", name, bound_help[bound]);
        begun = true;
        fputs(name, out);
        put_labels(out, told->probe, told->finding);
        fprintf(out, "%.9g\n", value * is->factor);
    }
}

static void put_doubts(const struct metrics *metrics)
{
    fputs("# TYPE fathom_finding_doubtful gauge\n"
          "# HELP fathom_finding_doubtful 1 where the finding can't be trusted; the document says "
          "why\n",
          metrics->out);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct told *told = &metrics->list[i];
        if (told->repeated)
            continue;
        fputs("fathom_finding_doubtful", metrics->out);
        put_labels(metrics->out, told->probe, told->finding);
        fprintf(metrics->out, "%d\n", flag_doubts(told->finding->flags) != 0);
    }
}

/* To be joined with the findings by the label "gpu". */
static void put_gpus(FILE *out, const struct machine_facts *machine)
{
    if (!machine->gpu_count)
        return;
    fputs("# TYPE fathom_gpu_info gauge\n"
          "# HELP fathom_gpu_info what device it is, and what it was reached through\n",
          out);
    for (size_t i = 0; i < machine->gpu_count; i++) {
        const struct gpu_facts *gpu = &machine->gpus[i];
        if (device_facts(machine, gpu->id) != gpu)
            continue; /* another of that number came first */
        fprintf(out, "fathom_gpu_info{gpu=\"%d\"", gpu->id);
        put_label(out, "name", gpu->name, ",");
        put_label(out, "backend", gpu->backend, ",");
        put_label(out, "driver", gpu->driver, ",");
        put_label(out, "kind", gpu->kind, ",");
        fprintf(out, ",modelled=\"%s\"} 1\n", gpu->modelled ? "yes" : "no");
    }
}

static void put_run(FILE *out, const struct document *document)
{
    const struct machine_facts *machine = &document->machine;
    /* A gauge, for the collector's older parser knows no info. */
    fputs("# TYPE fathom_run_info gauge\n"
          "# HELP fathom_run_info what was measured, and by which fathom\nfathom_run_info{",
          out);
    put_label(out, "version", document->tool.version, "");
    put_label(out, "processor", machine->cpu_model, ",");
    put_label(out, "run", document->run.id, ",");
    fputs("} 1\n", out);
    put_gpus(out, machine);
    struct tm when = {0};
    const char *rest =
        document->run.started ? strptime(document->run.started, "%Y-%m-%dT%H:%M:%S", &when) : NULL;
    if (rest)
        fprintf(out,
                "# TYPE fathom_run_started_seconds gauge\n"
                "# UNIT fathom_run_started_seconds seconds\n"
                "# HELP fathom_run_started_seconds when the run began, since 1970\n"
                "fathom_run_started_seconds %lld\n",
                (long long)timegm(&when));
    if (isfinite(document->run.elapsed_s))
        fprintf(out,
                "# TYPE fathom_run_elapsed_seconds gauge\n"
                "# UNIT fathom_run_elapsed_seconds seconds\n"
                "# HELP fathom_run_elapsed_seconds how long the run took\n"
                "fathom_run_elapsed_seconds %.9g\n",
                document->run.elapsed_s);
    fprintf(out,
            "# TYPE fathom_run_complete gauge\n"
            "# HELP fathom_run_complete 1 where the run was not stopped\n"
            "fathom_run_complete %d\n",
            document->run.complete);
}

void view_openmetrics(FILE *out, const struct document *document)
{
    static const char *const names[] = {"seconds",          "cycles", "bytes", "hertz",
                                        "bytes_per_second", "ratio",  ""};
    struct metrics metrics = {.out = out};
    put_run(out, document);
    if (!collect(&metrics, document))
        return; /* without the last line, readers refuse it */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (enum bound bound = VALUE; bound < BOUNDS; bound++)
            put_family(&metrics, names[i], bound);
    put_doubts(&metrics);
    free(metrics.list);
    fputs("# EOF\n", out);
}
