/*
 * What the script draws, in columns: a point of a curve takes a third of what it takes in the
 * document. A small matrix has all that its points have; a cell of a large one takes a tenth, as
 * whole multiples of a step that keeps four digits of the smallest value, and without its trials.
 * web/page/chart.js reads curves, cellOf() in web/page/matrix.js matrices.
 */
#include "base/clean.h"
#include "findings/clusters.h"
#include "findings/device.h"
#include "quantity/quantity.h"
#include "render/page/page.h"
#include "report/figure.h"
#include "report/levels.h"
#include "report/square.h"

#include <math.h>
#include <string.h>

static bool is_text(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

static void put_axis(FILE *out, const char *key, const struct axis *axis)
{
    fprintf(out, "\"%s\":{\"name\":", key);
    html_json_text(out, axis->name);
    fputs(",\"unit\":", out);
    html_json_text(out, axis->unit);
    fputs("},", out);
}

static void put_label(FILE *out, const struct picture *picture, size_t member,
                      const struct document *const *documents, size_t count)
{
    struct line line = {0};
    line_add_member(&line, picture, member, documents, count);
    fputs("\"label\":", out);
    html_json_text(out, line.text);
    fprintf(out, ",\"document\":%zu,", picture->members[member].document);
}

/* --- curves --- */

/* One column of the points, of the float at `offset`. */
static void put_column(FILE *out, const char *key, const struct series *series, size_t offset)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < series->point_count; i++) {
        fputs(i ? "," : "", out);
        const char *point = (const char *)&series->points[i];
        html_json_float(out, *(const float *)(const void *)(point + offset));
    }
    fputs("]", out);
}

static bool has_cycles(const struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (isfinite(series->points[i].cycles.median))
            return true;
    return false;
}

static void put_curve(FILE *out, const struct series *series)
{
    fputs("\"x\":[", out);
    for (size_t i = 0; i < series->point_count; i++) {
        fputs(i ? "," : "", out);
        html_json_number(out, series->points[i].x);
    }
    fputs("],", out);
    put_column(out, "y", series, offsetof(struct point, y.median));
    fputs(",", out);
    put_column(out, "low", series, offsetof(struct point, y.low));
    fputs(",", out);
    put_column(out, "high", series, offsetof(struct point, y.high));
    if (has_cycles(series)) {
        fputs(",\"cycles\":{", out);
        put_column(out, "y", series, offsetof(struct point, cycles.median));
        fputs(",", out);
        put_column(out, "low", series, offsetof(struct point, cycles.low));
        fputs(",", out);
        put_column(out, "high", series, offsetof(struct point, cycles.high));
        fputs("}", out);
    }
    fputs(",\"n\":[", out);
    for (size_t i = 0; i < series->point_count; i++)
        fprintf(out, "%s%u", i ? "," : "", series->points[i].y.n);
    fputs("]", out);
}

static void put_mark(FILE *out, const char **separator, double x, const char *label, bool found,
                     size_t document)
{
    if (!isfinite(x) || !(x > 0))
        return;
    fprintf(out, "%s{\"x\":%.9g,\"found\":%s,\"document\":%zu,\"label\":", *separator, x,
            found ? "true" : "false", document);
    html_json_text(out, label);
    fputs("}", out);
    *separator = ",";
}

/* Capacities that are declared of a device's caches, where no finding has told them. */
static void put_device_marks(FILE *out, const struct gpu_facts *gpu, size_t index,
                             const char **separator)
{
    put_mark(out, separator, (double)gpu->first_level_bytes, "L1", false, index);
    put_mark(out, separator, (double)gpu->l2_bytes, "L2", false, index);
}

static void put_machine_marks(FILE *out, const struct document *document, size_t index,
                              const char **separator)
{
    for (size_t i = 0; i < document->machine.cache_count; i++) {
        const struct cache_facts *cache = &document->machine.caches[i];
        char name[LEVEL_NAME_BYTES];
        snprintf(name, sizeof name, "L%d", cache->level);
        if (!is_text(cache->type, "instruction"))
            put_mark(out, separator, (double)cache->size_bytes, name, false, index);
    }
}

/* A device's caches belong to its curve by working set, constant memory's to that of constants. */
static bool has_mark(const struct series *series, const char *level)
{
    const char *rest;
    if (device_of_name(series->name, &rest) < 0)
        return true;
    if (!is_text(series->x.name, "working set"))
        return false;
    bool constants = strncmp(rest, "constant", strlen("constant")) == 0;
    return constants == (strncmp(level, "constant", strlen("constant")) == 0);
}

enum { MARKS_MAX = 64 };

/* Capacities that the probe found, and those that are declared: lines across the curve. */
static void put_marks_of(FILE *out, const struct catalogue *catalogue, const struct member *member,
                         const char **separator)
{
    const struct document *document = catalogue->documents[member->document];
    const struct probe_result *probe = member->probe;
    const struct catalogue_entry *list = catalogue_of(catalogue, member->document, probe);
    size_t marks = 0;
    const int device = device_of_name(member->series->name, NULL);
    const struct gpu_facts *gpu = device_facts(&document->machine, device);
    bool told = false;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        char name[LEVEL_NAME_BYTES];
        struct line label = {0};
        if (list[i].meaning.device != device || level_fact(&list[i], name) != FACT_CAPACITY ||
            !has_mark(member->series, name) || marks++ >= MARKS_MAX)
            continue;
        line_add_clean(&label, name);
        line_add_in_brackets(&label, finding);
        put_mark(out, separator, finding->value, label.text, true, member->document);
        put_mark(out, separator, finding->declared, name, false, member->document);
        told = told || isfinite(finding->declared);
    }
    if (told)
        return;
    if (device < 0)
        put_machine_marks(out, document, member->document, separator);
    else if (gpu && has_mark(member->series, "L1"))
        put_device_marks(out, gpu, member->document, separator);
}

static void put_marks(FILE *out, const struct picture *picture, const struct catalogue *catalogue)
{
    const char *separator = "";
    const struct member *before = NULL;
    fputs("\"marks\":[", out);
    if (quantity_is(picture->members[0].series->x.unit, DIMENSION_SIZE))
        for (size_t i = 0; i < picture->member_count; i++) {
            const struct member *member = &picture->members[i];
            if (!before || before->probe != member->probe)
                put_marks_of(out, catalogue, member, &separator);
            before = member;
        }
    fputs("],", out);
}

static void put_chart(FILE *out, const struct picture *picture, const struct catalogue *catalogue,
                      size_t count)
{
    const struct series *first = picture->members[0].series;
    put_axis(out, "x", &first->x);
    put_axis(out, "y", &first->y);
    put_marks(out, picture, catalogue);
    fputs("\"series\":[", out);
    for (size_t i = 0; i < picture->member_count; i++) {
        fputs(i ? ",\n{" : "\n{", out);
        put_label(out, picture, i, catalogue->documents, count);
        put_curve(out, picture->members[i].series);
        fputs("}", out);
    }
    fputs("]", out);
}

/* --- matrices --- */

static void put_ids(FILE *out, const char *key, const int *ids, size_t count)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? "," : "", ids[i]);
    fputs("],", out);
}

static const struct estimate *time_of(const struct point *point, struct estimate *scratch)
{
    *scratch = (struct estimate){point->y.median, point->y.low, point->y.high};
    return scratch;
}

static const struct estimate *cycles_of(const struct point *point, struct estimate *scratch)
{
    *scratch = point->cycles;
    return scratch;
}

typedef const struct estimate *estimate_of(const struct point *, struct estimate *);

/* A power of ten; at most six digits, though, for the largest. */
static double step_of(const struct grid *grid, estimate_of *of)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++) {
        struct estimate scratch;
        double value = grid->cells[i] ? fabs((double)of(grid->cells[i], &scratch)->median) : 0;
        if (value > 0 && isfinite(value)) {
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    if (!(most > 0))
        return 1;
    return pow(10, fmax(floor(log10(least)) - 3, floor(log10(most)) - 5));
}

/* A matrix of no more cells is written with all that its points have. */
enum { EXACT_CELLS_MAX = 32 * 32 };

/* One column of the cells, of the float at `offset` in a point. */
static void put_cell_column(FILE *out, const char *key, const struct grid *grid, size_t offset)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++) {
        const char *point = (const char *)grid->cells[i];
        fputs(i ? "," : "", out);
        html_json_float(out, point ? *(const float *)(const void *)(point + offset) : NAN);
    }
    fputs("],", out);
}

static void put_exact_cells(FILE *out, const struct grid *grid, bool cycles)
{
    put_cell_column(out, "y", grid, offsetof(struct point, y.median));
    put_cell_column(out, "low", grid, offsetof(struct point, y.low));
    put_cell_column(out, "high", grid, offsetof(struct point, y.high));
    if (cycles) {
        fputs("\"cycles\":{", out);
        put_cell_column(out, "y", grid, offsetof(struct point, cycles.median));
        put_cell_column(out, "low", grid, offsetof(struct point, cycles.low));
        put_cell_column(out, "high", grid, offsetof(struct point, cycles.high));
        fputs("\"step\":1},", out);
    }
    fputs("\"n\":[", out);
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++)
        fprintf(out, "%s%u", i ? "," : "", grid->cells[i] ? grid->cells[i]->y.n : 0);
    fputs("],\"step\":1", out);
}

enum part { MEDIAN, BELOW, ABOVE, PARTS };

static double cell_of(const struct estimate *estimate, enum part part)
{
    return part == MEDIAN  ? estimate->median
           : part == BELOW ? estimate->median - estimate->low
                           : estimate->high - estimate->median;
}

/* The first `parts` of them. */
static void put_cells(FILE *out, const struct grid *grid, estimate_of *of, double step,
                      enum part parts)
{
    static const char *const keys[] = {"y", "below", "above"};
    fprintf(out, "\"step\":%.9g", step);
    for (enum part part = MEDIAN; part < parts; part++) {
        fprintf(out, ",\"%s\":[", keys[part]);
        for (size_t i = 0; i < grid->row_count * grid->column_count; i++) {
            struct estimate scratch;
            const struct point *point = grid->cells[i];
            double value = point ? cell_of(of(point, &scratch), part) / step : NAN;
            if (i)
                putc(',', out);
            html_json_whole(out, value);
        }
        fputs("]", out);
    }
}

static void put_rounded_cells(FILE *out, const struct grid *grid, bool cycles)
{
    put_cells(out, grid, time_of, step_of(grid, time_of), PARTS);
    if (cycles) {
        fputs(",\"cycles\":{", out);
        put_cells(out, grid, cycles_of, step_of(grid, cycles_of), BELOW);
        fputs("}", out);
    }
}

/* The groups of CPUs that findings tell of, a group before those within it. */
static void put_clusters(FILE *out, const struct catalogue *catalogue, const struct member *member)
{
    enum { GROUPS_MAX = 2 * CLUSTERS_CPUS_MAX }; /* more a tree of so many CPUs does not have */
    const struct catalogue_entry *list = catalogue_of(catalogue, member->document, member->probe);
    const struct probe_result *probe = member->probe;
    const char *separator = "";
    size_t told = 0;
    fputs(",\"clusters\":[", out);
    for (size_t i = 0; i < probe->finding_count; i++)
        if (list[i].meaning.role == ROLE_CLUSTER && probe->findings[i].cpus &&
            told++ < GROUPS_MAX) {
            fputs(separator, out);
            html_json_text(out, probe->findings[i].cpus);
            separator = ",";
        }
    fputs("]", out);
}

enum { SHADES = 48 };

/* "y":{"least":20,"most":147,"ends":[20.4,...]}: from which value on each shade of a picture's maps
 * but the first is used, so that the script need not know how values become colours. */
static void put_shades(FILE *out, const char *key, const struct picture *picture, estimate_of *of)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < picture->member_count; i++)
        for (size_t p = 0; p < picture->members[i].series->point_count; p++) {
            struct estimate scratch;
            const struct point *point = &picture->members[i].series->points[p];
            const double value = (double)of(point, &scratch)->median;
            least = isfinite(value) ? fmin(least, value) : least;
            most = isfinite(value) ? fmax(most, value) : most;
        }
    fprintf(out, "\"%s\":{\"least\":", key);
    html_json_float(out, (float)(least <= most ? least : 0));
    fputs(",\"most\":", out);
    html_json_float(out, (float)(least <= most ? most : 1));
    fputs(",\"ends\":[", out);
    for (int shade = 1; shade <= SHADES && (most > least || (least > 0 && isfinite(least)));
         shade++) {
        fputs(shade > 1 ? "," : "", out);
        html_json_float(out, (float)square_value((shade - 0.5) / SHADES, least, most));
    }
    fputs("]}", out);
}

static void put_matrix(FILE *out, const struct picture *picture, const struct catalogue *catalogue,
                       size_t count)
{
    const char *separator = "\n{";
    put_axis(out, "x", &picture->members[0].series->x);
    put_axis(out, "y", &picture->members[0].series->y);
    fputs("\"shades\":{", out);
    put_shades(out, "y", picture, time_of);
    fputs(",", out);
    put_shades(out, "cycles", picture, cycles_of);
    fputs("},\"series\":[", out);
    for (size_t i = 0; i < picture->member_count; i++) {
        const struct series *series = picture->members[i].series;
        struct grid grid;
        if (grid_build(&grid, series) && grid.row_count * grid.column_count <= HTML_CELLS_MAX) {
            fputs(separator, out);
            put_label(out, picture, i, catalogue->documents, count);
            put_ids(out, "rows", grid.rows, grid.row_count);
            put_ids(out, "columns", grid.columns, grid.column_count);
            const bool small = grid.row_count * grid.column_count <= EXACT_CELLS_MAX;
            (small ? put_exact_cells : put_rounded_cells)(out, &grid, has_cycles(series));
            put_clusters(out, catalogue, &picture->members[i]);
            fputs("}", out);
            separator = ",\n{";
        }
        grid_free(&grid);
    }
    fputs("]", out);
}

/* The units that are shown otherwise than they stand in the document. */
static void put_units(FILE *out)
{
    const struct quantity *quantity;
    const char *separator = "{";
    for (unsigned i = 0; (quantity = quantity_at(i)); i++) {
        const bool size = quantity->dimension == DIMENSION_SIZE;
        if (!size && !*quantity->shown)
            continue;
        fputs(separator, out);
        html_json_text(out, quantity->unit);
        fprintf(out, ":{\"divisor\":%.9g,\"unit\":", quantity->divisor);
        html_json_text(out, figure_unit(quantity->unit));
        fputs(size ? ",\"size\":true}" : "}", out);
        separator = ",";
    }
    fputs("}", out);
}

void html_data(FILE *out, const struct pictures *pictures, const struct catalogue *catalogue,
               size_t count)
{
    fputs("{\"units\":", out);
    put_units(out);
    fputs(",\"pictures\":[", out);
    for (size_t i = 0; i < pictures->count; i++) {
        const struct picture *picture = &pictures->list[i];
        bool matrix = picture->members[0].series->matrix;
        fprintf(out, "%s{\"matrix\":%s,\"probe\":", i ? ",\n" : "\n", matrix ? "true" : "false");
        html_json_text(out, picture->probe);
        fputs(",", out);
        (matrix ? put_matrix : put_chart)(out, picture, catalogue, count);
        fputs("}", out);
    }
    fputs("]}", out);
}
