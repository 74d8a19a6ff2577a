/*
 * Findings in the OpenMetrics text format (OpenMetrics 1.0, "Text format"), for a node exporter's
 * text-file collector. One family a unit and a bound, in base units, the unit at the name's end as
 * the specification asks; a unit that nobody knows is a label. Points of series are not written: a
 * curve is no metric.
 */
#include "base/clean.h"
#include "base/quantity.h"
#include "conclude/verdict.h"
#include "document/flag.h"
#include "show/render/metric_labels.h"
#include "show/render/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum bound { VALUE, LOW, HIGH, BOUNDS };
static const char *const bound_names[BOUNDS] = {"", "_low", "_high"};
static const char *const bound_help[BOUNDS] = {
    "what fathom found, by the finding's name",
    "lower end of the finding's 95 % interval",
    "upper end of the finding's 95 % interval",
};

static double bound_of(const struct finding *finding, enum bound bound)
{
    const double bounds[BOUNDS] = {finding->value, finding->low, finding->high};
    return bounds[bound];
}

/* A finding in the document's order, and whether an earlier one has its labels: two samples of the
 * same labels would be refused by every reader. */
struct sample {
    struct metric_labels labels;
    const struct quantity *quantity; /* of a unit that nobody knows: that of plain numbers */
    size_t place;
    bool repeated;
};

struct metrics {
    FILE *out;
    struct sample *list;
    size_t count;
    struct pool pool;
};

static int by_labels_and_place(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    int order = metric_labels_order(&left->labels, &right->labels);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int by_place(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

static bool collect_probe(struct metrics *metrics, const struct probe_result *probe)
{
    for (size_t f = 0; f < probe->finding_count; f++) {
        const struct finding *finding = &probe->findings[f];
        const struct quantity *quantity = quantity_of(finding->unit);
        struct sample *sample = &metrics->list[metrics->count];
        sample->quantity = quantity ? quantity : quantity_of("");
        sample->place = metrics->count++;
        if (!metric_labels_make(&sample->labels, probe, finding, &metrics->pool))
            return false;
    }
    return true;
}

static bool collect(struct metrics *metrics, const struct document *document)
{
    size_t all = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        all += document->probes[p].finding_count;
    metrics->list = pool_alloc(&metrics->pool, all + 1, sizeof *metrics->list);
    if (!metrics->list)
        return false;
    for (size_t p = 0; p < document->probe_count; p++)
        if (!collect_probe(metrics, &document->probes[p]))
            return false;
    qsort(metrics->list, metrics->count, sizeof *metrics->list, by_labels_and_place);
    for (size_t i = 1; i < metrics->count; i++)
        metrics->list[i].repeated =
            metric_labels_order(&metrics->list[i - 1].labels, &metrics->list[i].labels) == 0;
    qsort(metrics->list, metrics->count, sizeof *metrics->list, by_place);
    return true;
}

/* Of all units that end a metric's name in the same way. */
static void put_family(const struct metrics *metrics, const char *metric, enum bound bound)
{
    FILE *out = metrics->out;
    char name[64];
    bool begun = false;
    snprintf(name, sizeof name, "fathom_finding%s%s%s", bound_names[bound], *metric ? "_" : "",
             metric);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct sample *sample = &metrics->list[i];
        double value = bound_of(sample->labels.finding, bound);
        if (sample->repeated || strcmp(sample->quantity->metric, metric) != 0 || !isfinite(value))
            continue;
        if (!begun)
            fprintf(out, "# TYPE %s gauge\n", name);
        if (!begun && *metric)
            fprintf(out, "# UNIT %s %s\n", name, metric);
        if (!begun)
            fprintf(out, "# HELP %s %s\n", name, bound_help[bound]);
        begun = true;
        fputs(name, out);
        metric_labels_put(out, &sample->labels);
        fprintf(out, "%.9g\n", value * sample->quantity->metric_factor);
    }
}

/* A family once, however many units it has; those of plain numbers come last. */
static void put_families(const struct metrics *metrics)
{
    const struct quantity *quantity;
    for (unsigned i = 0; (quantity = quantity_at(i)); i++) {
        bool had = !*quantity->metric;
        for (unsigned before = 0; before < i && !had; before++)
            had = strcmp(quantity_at(before)->metric, quantity->metric) == 0;
        for (enum bound bound = VALUE; bound < BOUNDS && !had; bound++)
            put_family(metrics, quantity->metric, bound);
    }
    for (enum bound bound = VALUE; bound < BOUNDS; bound++)
        put_family(metrics, "", bound);
}

static void put_doubts(const struct metrics *metrics)
{
    fputs("# TYPE fathom_finding_doubtful gauge\n"
          "# HELP fathom_finding_doubtful 1 where the finding can't be trusted; the document says "
          "why\n",
          metrics->out);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct sample *sample = &metrics->list[i];
        if (sample->repeated)
            continue;
        fputs("fathom_finding_doubtful", metrics->out);
        metric_labels_put(metrics->out, &sample->labels);
        fprintf(metrics->out, "%d\n", flag_doubts(sample->labels.finding->flags) != 0);
    }
}

/* --- what can be relied on, and probes --- */

/* Every state a line, of which one is 1, as for the probes below. */
static void put_verdict(FILE *out, const struct document *document)
{
    struct document_verdict verdict;
    verdict_of(&verdict, document);
    fputs("# TYPE fathom_verdict gauge\n"
          "# HELP fathom_verdict 1 for what can be relied on in the document, 0 for the others\n",
          out);
    for (int state = 0; state < VERDICT_STATES; state++)
        fprintf(out, "fathom_verdict{state=\"%s\"} %d\n", verdict_state_names[state],
                verdict.state == (enum verdict_state)state);
}

/* By name, as it is shown; of one name the first in the document comes first. */
static int by_probe(const void *a, const void *b)
{
    const struct probe_result *left = *(const struct probe_result *const *)a;
    const struct probe_result *right = *(const struct probe_result *const *)b;
    int order = clean_order(left->name, right->name);
    return order ? order : (left > right) - (left < right);
}

static int by_address(const void *a, const void *b)
{
    const struct probe_result *left = *(const struct probe_result *const *)a;
    const struct probe_result *right = *(const struct probe_result *const *)b;
    return (left > right) - (left < right);
}

/* Every status a line, of which one is 1: so a probe that comes to fail leaves no old line behind
 * that says that it is well. */
static void put_statuses(FILE *out, const struct document *document, struct pool *pool)
{
    const size_t all = document->probe_count;
    const struct probe_result **probes = pool_alloc(pool, all + 1, sizeof *probes);
    size_t count = 0;
    if (!probes || !all)
        return;
    for (size_t i = 0; i < all; i++)
        probes[i] = &document->probes[i];
    qsort(probes, all, sizeof *probes, by_probe);
    for (size_t i = 0; i < all; i++)
        if (!count || clean_order(probes[count - 1]->name, probes[i]->name) != 0)
            probes[count++] = probes[i];
    qsort(probes, count, sizeof *probes, by_address);
    fputs("# TYPE fathom_probe_status gauge\n"
          "# HELP fathom_probe_status 1 for how the probe ended, 0 for how it did not\n",
          out);
    for (size_t i = 0; i < count; i++)
        for (unsigned status = PROBE_OK; status <= PROBE_FAILED; status++) {
            fputs("fathom_probe_status{", out);
            metric_label_put(out, "probe", probes[i]->name, "");
            metric_label_put(out, "status", probe_status_names[status], ",");
            fprintf(out, "} %d\n", probes[i]->status == status);
        }
}

static int by_number(const void *a, const void *b)
{
    const struct gpu_facts *left = *(const struct gpu_facts *const *)a;
    const struct gpu_facts *right = *(const struct gpu_facts *const *)b;
    return left->id != right->id ? (left->id > right->id) - (left->id < right->id)
                                 : (left > right) - (left < right);
}

/* To be joined with the findings by the label "gpu": the first of each number. */
static void put_gpus(FILE *out, const struct machine_facts *machine, struct pool *pool)
{
    const struct gpu_facts **gpus = pool_alloc(pool, machine->gpu_count + 1, sizeof *gpus);
    if (!machine->gpu_count || !gpus)
        return;
    for (size_t i = 0; i < machine->gpu_count; i++)
        gpus[i] = &machine->gpus[i];
    qsort(gpus, machine->gpu_count, sizeof *gpus, by_number);
    fputs("# TYPE fathom_gpu_info gauge\n"
          "# HELP fathom_gpu_info what device it is, and what it was reached through\n",
          out);
    for (size_t i = 0; i < machine->gpu_count; i++) {
        const struct gpu_facts *gpu = gpus[i];
        if (i > 0 && gpus[i - 1]->id == gpu->id)
            continue;
        fprintf(out, "fathom_gpu_info{gpu=\"%d\"", gpu->id);
        metric_label_put(out, "name", gpu->name, ",");
        metric_label_put(out, "backend", gpu->backend, ",");
        metric_label_put(out, "driver", gpu->driver, ",");
        metric_label_put(out, "kind", gpu->kind, ",");
        fprintf(out, ",modelled=\"%s\"} 1\n", gpu->modelled ? "yes" : "no");
    }
}

static void put_run(FILE *out, const struct document *document, struct pool *pool)
{
    const struct machine_facts *machine = &document->machine;
    /* A gauge, for the collector's older parser knows no info. */
    fputs("# TYPE fathom_run_info gauge\n"
          "# HELP fathom_run_info what was measured, and by which fathom\nfathom_run_info{",
          out);
    metric_label_put(out, "version", document->tool.version, "");
    metric_label_put(out, "processor", machine->cpu_model, ",");
    metric_label_put(out, "run", document->run.id, ",");
    fputs("} 1\n", out);
    put_gpus(out, machine, pool);
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

static int write_openmetrics(FILE *out, const struct output_content *content, struct error *error)
{
    (void)error;
    const struct document *document = content->documents[0];
    struct metrics metrics = {.out = out};
    put_run(out, document, &metrics.pool);
    put_verdict(out, document);
    put_statuses(out, document, &metrics.pool);
    const bool collected = collect(&metrics, document);
    if (collected) {
        put_families(&metrics);
        put_doubts(&metrics);
    }
    pool_free(&metrics.pool);
    fputs(collected ? "# EOF\n" : "", out); /* without the last line, readers refuse it */
    return 0;
}

const struct output openmetrics_output = {
    .name = "openmetrics",
    .help = "the findings, for a node exporter's text files",
    .place = 60,
    .write = write_openmetrics,
};
