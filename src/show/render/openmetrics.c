/*
 * Findings in the OpenMetrics text format (OpenMetrics 1.0, "Text format"), for a node exporter's
 * text-file collector. There is a family for each unit and bound, in base units, and its name ends
 * with the unit, as the specification demands; a unit that fathom does not know is a label. Points
 * of series are not written: a curve is no metric.
 */
#include "base/clean.h"
#include "base/quantity.h"
#include "base/units.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "conclude/verdict.h"
#include "document/flag.h"
#include "show/render/metric_labels.h"
#include "show/render/output.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- labels, which distinguish samples --- */

enum { LABEL_BYTES = 96 };

/* A factor of a finding's experiment as a label: order="forward". */
struct metric_label {
    char name[LABEL_BYTES]; /* valid, and unique within the finding */
    const struct factor *factor;
};

struct metric_labels {
    const struct probe_result *probe;
    const struct finding *finding;
    struct metric_label *deviations; /* sorted by name; none for a standard finding */
    size_t count;
};

void metric_head_put(FILE *out, const char *name, const char *unit, const char *help)
{
    fprintf(out, "# TYPE %s gauge\n", name);
    if (*unit)
        fprintf(out, "# UNIT %s %s\n", name, unit);
    fprintf(out, "# HELP %s %s\n", name, help);
}

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

/* Names that a finding's other labels have; names that begin with two underscores are reserved for
 * readers. */
static bool is_reserved(const char *name)
{
    static const char *const own[] = {"finding", "probe", "cpus", "gpu", "unit", "kind"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return !*name || isdigit((unsigned char)*name) || strncmp(name, "__", 2) == 0;
}

static int by_label_name(const void *a, const void *b)
{
    const struct metric_label *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static bool has_label(const struct metric_labels *labels, const char *name)
{
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->deviations[i].name, name) == 0)
            return true;
    return false;
}

/* A label whose name another has already is numbered. */
static void make_labels(struct metric_labels *labels, const struct probe_result *probe,
                        const struct finding *finding, struct pool *pool)
{
    const size_t all = finding->deviations;
    *labels = (struct metric_labels){.probe = probe, .finding = finding};
    if (!all)
        return;
    labels->deviations = pool_alloc(pool, all, sizeof *labels->deviations);
    for (; labels->count < all; labels->count++) {
        struct metric_label *label = &labels->deviations[labels->count];
        label->factor = &finding->factors[labels->count];
        const char *name = label->factor->name;
        char plain[LABEL_BYTES - 32] = ""; /* leaves room for a prefix and a number */
        for (size_t c = 0; name[c] && c + 1 < sizeof plain; c++)
            plain[c] =
                (unsigned char)name[c] < 0x80 && isalnum((unsigned char)name[c]) ? name[c] : '_';
        const char *prefix = is_reserved(plain) ? "factor_" : "";
        snprintf(label->name, LABEL_BYTES, "%s%s", prefix, plain);
        for (size_t n = labels->count + 1; has_label(labels, label->name); n++)
            snprintf(label->name, LABEL_BYTES, "%s%s_%zu", prefix, plain, n);
    }
    qsort(labels->deviations, all, sizeof *labels->deviations, by_label_name);
}

/* --- values and order of labels --- */

static const char *value_of(const struct metric_label *label, char number[UNIT_TEXT])
{
    return label->factor->text ? label->factor->text : factor_format(label->factor->number, number);
}

static int order_of(const struct metric_labels *a, const struct metric_labels *b)
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

/* `kind`: the value's, where the sample is one; NULL. */
static void put_labels(FILE *out, const struct metric_labels *labels, const char *kind)
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
    if (kind)
        metric_label_put(out, "kind", kind, ",");
    for (size_t i = 0; i < labels->count; i++) {
        char number[UNIT_TEXT];
        metric_label_put(out, labels->deviations[i].name, value_of(&labels->deviations[i], number),
                         ",");
    }
    fputs("} ", out);
}

/* --- samples --- */

/* A finding in the document's order, and whether an earlier one has the same labels: readers refuse
 * two samples with the same labels. */
struct sample {
    struct metric_labels labels;
    const struct quantity *quantity; /* for an unknown unit that of plain numbers */
    size_t place;
    bool repeated;
};

struct metrics {
    FILE *out;
    struct sample *list;
    size_t count;
};

static int by_labels_and_place(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    int order = order_of(&left->labels, &right->labels);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int by_place(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

/* What findings say of themselves, a family or more each. */
enum bound { VALUE, LOW, HIGH, BOUNDS, DISTURBANCE = BOUNDS, DOUBTFUL };
static const struct {
    const char *name, *help;
} told[] = {
    [VALUE] = {"", "the finding's value"},
    [LOW] = {"_low", "lower end of the finding's 95 % interval"},
    [HIGH] = {"_high", "upper end of the finding's 95 % interval"},
    [DISTURBANCE] = {"_disturbance",
                     "by how much the median batch took longer than the undisturbed ones"},
    [DOUBTFUL] = {"_doubtful", "1 if the finding is doubtful; the document says why"},
};

/* A family: of values and their bounds all units with the same suffix of the metric's name. */
static void put_family(const struct metrics *metrics, const char *metric, enum bound what)
{
    FILE *out = metrics->out;
    const bool measured = what < BOUNDS;
    char name[64];
    bool begun = false;
    snprintf(name, sizeof name, "fathom_finding%s%s%s", told[what].name, *metric ? "_" : "",
             metric);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct sample *sample = &metrics->list[i];
        const struct finding *finding = sample->labels.finding;
        const double value = what == VALUE         ? finding->value
                             : what == LOW         ? finding->low
                             : what == HIGH        ? finding->high
                             : what == DISTURBANCE ? (double)finding->disturbance.longer
                                                   : flag_doubts(finding->flags) != 0;
        if (sample->repeated || !isfinite(value) ||
            (measured && strcmp(sample->quantity->metric, metric) != 0))
            continue;
        if (!begun)
            metric_head_put(out, name, metric, told[what].help);
        begun = true;
        fputs(name, out);
        put_labels(out, &sample->labels, measured ? finding->kind : NULL);
        fprintf(out, "%.9g\n", measured ? value * sample->quantity->metric_factor : value);
    }
}

/* --- verdict and probes --- */

/* By shown name; equal names in the order of the document. */
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

/* A sample for each status: 1 for the one that applies, 0 for the others, so that a probe that
 * begins to fail leaves no old sample that says it is well. */
static void put_statuses(FILE *out, const struct document *document, struct pool *pool)
{
    const size_t all = document->probe_count;
    const struct probe_result **probes = pool_alloc(pool, all + 1, sizeof *probes);
    size_t count = 0;
    if (!all)
        return;
    for (size_t i = 0; i < all; i++)
        probes[i] = &document->probes[i];
    qsort(probes, all, sizeof *probes, by_probe);
    for (size_t i = 0; i < all; i++)
        if (!count || clean_order(probes[count - 1]->name, probes[i]->name) != 0)
            probes[count++] = probes[i];
    qsort(probes, count, sizeof *probes, by_address);
    metric_head_put(out, "fathom_probe_status", "",
                    "1 for the probe's status, 0 for every other status");
    for (size_t i = 0; i < count; i++)
        for (unsigned status = PROBE_OK; status <= PROBE_FAILED; status++) {
            fputs("fathom_probe_status{", out);
            metric_label_put(out, "probe", probes[i]->name, "");
            metric_label_put(out, "status", probe_status_names[status], ",");
            fprintf(out, "} %d\n", probes[i]->status == status);
        }
}

static void put_grades(FILE *out, const struct document *document)
{
    struct document_verdict verdict;
    verdict_of(&verdict, document);
    if (!verdict.family_count)
        return;
    metric_head_put(out, "fathom_grade", "", "1 for the family's grade, 0 for every other grade");
    for (size_t i = 0; i < verdict.family_count; i++)
        for (int grade = 0; grade < GRADES; grade++) {
            fputs("fathom_grade{", out);
            metric_label_put(out, "family", verdict.families[i].name, "");
            metric_label_put(out, "grade", grade_names[grade], ",");
            fprintf(out, "} %d\n", verdict.families[i].grade == (enum grade)grade);
        }
}

static int by_number(const void *a, const void *b)
{
    const struct gpu_facts *left = *(const struct gpu_facts *const *)a;
    const struct gpu_facts *right = *(const struct gpu_facts *const *)b;
    return left->id != right->id ? (left->id > right->id) - (left->id < right->id)
                                 : (left > right) - (left < right);
}

/* The facts of GPUs, joined with findings by the label "gpu": the first GPU of each number. */
static void put_gpus(FILE *out, const struct machine_facts *machine, struct pool *pool)
{
    const struct gpu_facts **gpus = pool_alloc(pool, machine->gpu_count + 1, sizeof *gpus);
    if (!machine->gpu_count)
        return;
    for (size_t i = 0; i < machine->gpu_count; i++)
        gpus[i] = &machine->gpus[i];
    qsort(gpus, machine->gpu_count, sizeof *gpus, by_number);
    metric_head_put(out, "fathom_gpu_info", "", "the device and the backend that measured it");
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
    /* A gauge, because the collector's older parser does not know the type info. */
    metric_head_put(out, "fathom_run_info", "", "the machine and the version of fathom");
    fputs("fathom_run_info{", out);
    metric_label_put(out, "version", document->tool.version, "");
    metric_label_put(out, "processor", machine->cpu_model, ",");
    metric_label_put(out, "run", document->run.id, ",");
    fputs("} 1\n", out);
    put_gpus(out, machine, pool);
    struct tm when = {0};
    if (document->run.started &&
        sscanf(document->run.started, "%4d-%2d-%2dT%2d:%2d:%2d", &when.tm_year, &when.tm_mon,
               &when.tm_mday, &when.tm_hour, &when.tm_min, &when.tm_sec) == 6) {
        when.tm_year -= 1900;
        when.tm_mon--;
        metric_head_put(out, "fathom_run_started_seconds", "seconds",
                        "when the run began, since 1970");
        fprintf(out, "fathom_run_started_seconds %lld\n", (long long)timegm(&when));
    }
    if (isfinite(document->run.elapsed_s)) {
        metric_head_put(out, "fathom_run_elapsed_seconds", "seconds", "how long the run took");
        fprintf(out, "fathom_run_elapsed_seconds %.9g\n", document->run.elapsed_s);
    }
    metric_head_put(out, "fathom_run_complete", "", "1 if the run was not interrupted");
    fprintf(out, "fathom_run_complete %d\n", document->run.complete);
}

static void write_openmetrics(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    struct metrics metrics = {.out = out};
    put_run(out, document, pool);
    put_grades(out, document);
    put_statuses(out, document, pool);
    size_t all = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        all += document->probes[p].finding_count;
    metrics.list = pool_alloc(pool, all + 1, sizeof *metrics.list);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct quantity *quantity = quantity_of(finding->unit);
            struct sample *sample = &metrics.list[metrics.count];
            sample->quantity = quantity ? quantity : quantity_of("");
            sample->place = metrics.count++;
            make_labels(&sample->labels, &document->probes[p], finding, pool);
        }
    qsort(metrics.list, metrics.count, sizeof *metrics.list, by_labels_and_place);
    for (size_t i = 1; i < metrics.count; i++)
        metrics.list[i].repeated =
            order_of(&metrics.list[i - 1].labels, &metrics.list[i].labels) == 0;
    qsort(metrics.list, metrics.count, sizeof *metrics.list, by_place);
    /* Each family once, however many units it has; that of plain numbers comes last. */
    const struct quantity *quantity;
    for (unsigned i = 0; (quantity = quantity_at(i)); i++) {
        bool had = !*quantity->metric;
        for (unsigned before = 0; before < i && !had; before++)
            had = strcmp(quantity_at(before)->metric, quantity->metric) == 0;
        for (enum bound bound = VALUE; bound < BOUNDS && !had; bound++)
            put_family(&metrics, quantity->metric, bound);
    }
    for (enum bound bound = VALUE; bound < BOUNDS; bound++)
        put_family(&metrics, "", bound);
    put_family(&metrics, "ratio", DISTURBANCE);
    put_family(&metrics, "", DOUBTFUL);
    fputs("# EOF\n", out); /* readers refuse a file without this line as incomplete */
}

const struct output openmetrics_output = {
    .name = "openmetrics",
    .help = "the findings, for a node exporter's text files",
    .place = 60,
    .write = write_openmetrics,
};
