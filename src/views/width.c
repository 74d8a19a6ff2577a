/* The roads' width: bytes a second by kernel, and what is in flight or waits, from the findings. */
#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>
#include <string.h>

enum { KERNELS_MAX = 12, NAME_MAX_BYTES = 24 };

static const struct finding *known(const struct document *document, const char *name)
{
    const struct finding *finding = document_finding(document, name);
    return finding && isfinite(finding->value) ? finding : NULL;
}

static bool doubted(const struct finding *finding)
{
    return finding && flag_doubts(finding->flags);
}

/* The kernels that have a "bandwidth.KERNEL.1", in the order of the findings. */
static size_t kernels_of(const struct document *document, char kernels[][NAME_MAX_BYTES])
{
    static const char prefix[] = "bandwidth.", ending[] = ".1";
    size_t count = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count && count < KERNELS_MAX; f++) {
            const char *name = document->probes[p].findings[f].name;
            if (strncmp(name, prefix, strlen(prefix)) != 0)
                continue;
            const char *kernel = name + strlen(prefix);
            size_t length = strcspn(kernel, ".");
            if (strcmp(kernel + length, ending) != 0 || length >= NAME_MAX_BYTES)
                continue;
            memcpy(kernels[count], kernel, length);
            kernels[count++][length] = '\0';
        }
    return count;
}

static void add_rate(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT] = "";
    if (finding)
        figure_valued(finding->value, finding->unit, figure);
    line_add(line, " %12s", figure);
}

static void print_kernel(FILE *out, const struct document *document, const char *kernel,
                         const struct view_style *style)
{
    char name[64], clean[CLEAN_TEXT];
    snprintf(name, sizeof name, "bandwidth.%.23s.1", kernel);
    const struct finding *one = known(document, name);
    snprintf(name, sizeof name, "bandwidth.%.23s.all", kernel);
    const struct finding *all = known(document, name);
    struct line line = {0};
    line_add(&line, "  %-9s", clean_text(kernel, clean, sizeof clean));
    add_rate(&line, one);
    add_rate(&line, all);
    line_trim(&line);
    fprintf(out, "%s%s%s%s\n", line.text, doubted(one) || doubted(all) ? ink(style, INK_WARN) : "",
            doubted(one) || doubted(all) ? " !" : "",
            doubted(one) || doubted(all) ? ink(style, INK_PLAIN) : "");
}

/* "in flight  21.0 misses, 6.63 ns each; under load 142 -> 180 ns at 17.7 GB/s" */
static void print_flight(FILE *out, const struct document *document, const struct view_style *style)
{
    const struct finding *misses = known(document, "DRAM.parallelism");
    const struct finding *each = known(document, "DRAM.parallelism.ns");
    const struct finding *calm = known(document, "loaded.unloaded");
    const struct finding *busy = known(document, "loaded.saturated");
    const struct finding *rate = known(document, "loaded.bandwidth");
    struct line line = {0};
    char figure[UNIT_TEXT];
    if (misses)
        line_add(&line, "%s misses of DRAM in flight", figure_plain(misses->value, figure));
    if (misses && each)
        line_add(&line, ", %s ns each", figure_plain(each->value, figure));
    if (calm && busy) {
        line_add(&line, "%sa load takes %s ns alone", line.length ? "; " : "",
                 figure_plain(calm->value, figure));
        line_add(&line, ", %s ns", figure_plain(busy->value, figure));
        line_add(&line, " beside %s of traffic",
                 rate ? figure_valued(rate->value, rate->unit, figure) : "all");
    }
    if (!line.length)
        return;
    if (doubted(misses) || doubted(calm) || doubted(busy) || doubted(rate))
        line_add(&line, " !");
    fputs("  ", out);
    line_print_wrapped(out, style, 2, &line);
}

void width_print(FILE *out, const struct document *document, const struct view_style *style)
{
    char kernels[KERNELS_MAX][NAME_MAX_BYTES];
    size_t count = kernels_of(document, kernels);
    bool flight = known(document, "DRAM.parallelism") || known(document, "loaded.saturated");
    if (!count && !flight)
        return;
    fprintf(out, "\n%swidth%s", ink(style, INK_BOLD), ink(style, INK_PLAIN));
    if (count)
        fprintf(out, "      %12s %12s   (DRAM)", "1 CPU", "all CPUs");
    fputc('\n', out);
    for (size_t i = 0; i < count; i++)
        print_kernel(out, document, kernels[i], style);
    print_flight(out, document, style);
}
