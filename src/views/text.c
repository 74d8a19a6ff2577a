#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>
#include <string.h>

/* The name of a processor without what its maker adds for lawyers, and without its nominal clock.
 */
static void add_model(struct line *line, const char *model)
{
    static const char *const noise[] = {"(R)", "(r)", "(TM)", "(tm)", " CPU", " Processor"};
    char text[CLEAN_TEXT];
    clean_text(model, text, sizeof text);
    char *clock = strstr(text, " @ ");
    if (clock)
        *clock = '\0';
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        for (char *at; (at = strstr(text, noise[i])) != NULL;)
            memmove(at, at + strlen(noise[i]), strlen(at + strlen(noise[i])) + 1);
    line_add(line, "%s", text);
}

/* "Intel Xeon (SapphireRapids), 2 cores, 24 GiB, Linux 6.18.5, kvm guest" */
static void add_machine(struct line *line, const struct machine_facts *machine)
{
    char text[CLEAN_TEXT], size[UNIT_TEXT];
    const char *model = machine->cpu_model ? machine->cpu_model : machine->cpu_arch;
    add_model(line, model ? model : "unknown processor");
    if (machine->cores)
        line_add(line, ", %u core%s", machine->cores, machine->cores == 1 ? "" : "s");
    if (machine->threads != machine->cores)
        line_add(line, ", %u threads", machine->threads);
    if (machine->memory_bytes)
        line_add(line, ", %s", size_format((double)machine->memory_bytes, size));
    if (machine->os || machine->kernel)
        line_add(line, ", ");
    line_add_clean(line, machine->os);
    clean_text(machine->kernel, text, sizeof text);
    text[strspn(text, "0123456789.")] = '\0'; /* without what a distribution appends */
    line_add(line, "%s%s", *text && machine->os ? " " : "", text);
    if (machine->hypervisor) {
        line_add(line, ", ");
        line_add_clean(line, machine->hypervisor);
        line_add(line, " guest");
    }
}

static void print_title(FILE *out, const struct document *document, const struct view_style *style)
{
    struct line name = {0}, line = {0};
    char elapsed[UNIT_TEXT] = "", version[CLEAN_TEXT];
    line_add(&name, "fathom %s", clean_text(document->tool.version, version, 16));
    line_trim(&name);
    size_t indent = clean_columns(name.text) + 2;
    fprintf(out, "%s%s%s  ", ink(style, INK_BOLD), name.text, ink(style, INK_PLAIN));
    add_machine(&line, &document->machine);
    if (document->run.elapsed_s >= 0 && document->run.elapsed_s < 1e9)
        duration_format(document->run.elapsed_s, elapsed);
    int gap = style->width - (int)(indent + clean_columns(line.text) + strlen(elapsed));
    if (*elapsed && gap >= 2)
        line_add(&line, "%*s%s", gap, "", elapsed);
    else if (*elapsed)
        line_add(&line, ", %s", elapsed);
    if (gap >= 2)
        fprintf(out, "%s\n", line.text);
    else
        line_print_wrapped(out, style, indent, &line);
    if (!document->run.complete)
        fprintf(out, "%s! not complete: the run was stopped, and this is what it had measured%s\n",
                ink(style, INK_WARN), ink(style, INK_PLAIN));
}

/* "latency  Load latency by working-set size (pages huge2m, order random)"; where `brief`, with
 * only as many factors as the line has room for. */
static void print_heading(FILE *out, const struct probe_result *probe, const struct series *series,
                          const struct view_style *style, bool brief)
{
    struct line line = {0};
    char name[CLEAN_TEXT];
    struct scale scale = figure_scale(series->y.unit);
    clean_text(probe->name, name, 24);
    size_t indent = clean_columns(name) + 2;
    fprintf(out, "\n%s%s%s  ", ink(style, INK_BOLD), name, ink(style, INK_PLAIN));
    line_add_clean(&line, probe->title ? probe->title : series->name);
    if (series->matrix && series->y.unit && *series->y.unit) {
        line_add(&line, ", ");
        line_add_clean(&line, *scale.unit ? scale.unit : series->y.unit);
        line_add(&line, " from row to column");
    }
    for (size_t count = series->factor_count; count > 0; count--) {
        struct line factors = {0};
        line_add_factors(&factors, series->factors, count);
        size_t columns = indent + clean_columns(line.text) + clean_columns(factors.text) + 3;
        if (!brief || columns <= (size_t)style->width) {
            line_add(&line, " (%s)", factors.text);
            break;
        }
    }
    line_print_wrapped(out, style, indent, &line);
}

/* The settings of a probe that its series do not name already, and what repeats its orders. */
static void print_parameters(FILE *out, const struct document *document,
                             const struct probe_result *probe, const struct series *series,
                             const struct view_style *style)
{
    struct line line = {0};
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (!series_factor(series, probe->parameters[i].name))
            line_add_factors(&line, &probe->parameters[i], 1);
    line_add(&line, "%sseed %llu", line.length ? ", " : "", (unsigned long long)document->run.seed);
    fputs("  ", out);
    line_print_wrapped(out, style, 2, &line);
}

/* What one trial of a point of this probe is: a cache line where it says how many of them. */
static const char *trials_of(const struct probe_result *probe)
{
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (strcmp(probe->parameters[i].name, "lines") == 0)
            return "lines";
    return "trials";
}

void view_text_summary(FILE *out, const struct document *document, const struct view_style *wanted)
{
    enum { CURVE_ROWS = 8 };
    struct view_style style = view_style_sane(wanted);
    print_title(out, document, &style);
    depth_print(out, document, &style);
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        if (probe->series_count == 0)
            continue;
        /* The first series is the headline; the others have a place in the probe's own view. */
        const struct series *series = &probe->series[0];
        print_heading(out, probe, series, &style, true);
        if (series->matrix)
            matrix_print(out, series, &style, false, trials_of(probe));
        else if (style.blocks && curve_is_worth_drawing(series))
            curve_print(out, document, series, &style, CURVE_ROWS);
        else
            table_print(out, series, &style, true);
    }
    notes_print(out, document, NULL, &style);
}

static void print_findings(FILE *out, const struct probe_result *probe,
                           const struct view_style *style)
{
    if (probe->finding_count)
        fprintf(out, "\n%sfindings%s\n", ink(style, INK_BOLD), ink(style, INK_PLAIN));
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        struct line line = {0};
        char text[CLEAN_TEXT], figure[UNIT_TEXT];
        clean_text(finding->name, text, sizeof text);
        line_add(&line, "  %s%*s", text, 24 - (int)clean_columns(text), "");
        line_add(&line, " %10s ", figure_valued(finding->value, finding->unit, figure));
        bool sized =
            finding->unit && (strcmp(finding->unit, "B") == 0 || *figure_scale(finding->unit).unit);
        if (!sized)
            line_add_clean(&line, finding->unit);
        if (isfinite(finding->high - finding->low))
            line_add(&line, "  +-%s %%",
                     figure_percent(finding->value, finding->low, finding->high, figure));
        if (isfinite(finding->declared))
            line_add(&line, "  (declared %s)",
                     figure_valued(finding->declared, finding->unit, figure));
        if (finding->cpus) {
            line_add(&line, "  CPUs ");
            line_add_clean(&line, finding->cpus);
        }
        line_trim(&line);
        fprintf(out, "%s%s\n", line.text, flag_doubts(finding->flags) ? " !" : "");
        if (finding->text) {
            struct line sentence = {0};
            line_add_clean(&sentence, finding->text);
            fputs("      ", out);
            line_print_wrapped(out, style, 6, &sentence);
        }
    }
}

void view_text_probe(FILE *out, const struct document *document, const struct probe_result *probe,
                     const struct view_style *wanted)
{
    enum { CURVE_ROWS = 12 };
    struct view_style style = view_style_sane(wanted);
    print_title(out, document, &style);
    for (size_t s = 0; s < probe->series_count; s++) {
        const struct series *series = &probe->series[s];
        print_heading(out, probe, series, &style, false);
        if (s == 0)
            print_parameters(out, document, probe, series, &style);
        if (series->matrix) {
            matrix_print(out, series, &style, true, trials_of(probe));
            continue;
        }
        table_print(out, series, &style, false);
        if (style.blocks && curve_is_worth_drawing(series)) {
            fputc('\n', out);
            curve_print(out, document, series, &style, CURVE_ROWS);
        }
    }
    print_findings(out, probe, &style);
    notes_print(out, document, probe, &style);
}
