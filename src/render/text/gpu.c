/*
 * Devices on the one screen of a run: what each is, its levels and memories, its roads, what the
 * host and other devices are away. Only what was measured has a line.
 */
#include "base/clean.h"
#include "findings/device.h"
#include "quantity/quantity.h"
#include "render/parts.h"
#include "report/figure.h"
#include "report/levels.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

enum { DEVICES_MAX = 16, NAME_COLUMNS = 13, LABEL_COLUMNS = 13, EXPERIMENTS_MAX = 4 };

/* A device, and all findings by name. */
struct sheet {
    FILE *out;
    const struct document *document;
    const struct catalogue *catalogue;
    const struct view_style *style;
    int device;
};

/* What the device has by one name: the standard one first, then other experiments. */
struct known {
    const struct catalogue_entry *list[EXPERIMENTS_MAX];
    size_t count;
};

/* "gpuN.NAME" and an ending: those that have a value, and are what the registry says of that name.
 */
static struct known find(const struct sheet *sheet, const char *name, const char *ending)
{
    char whole[96];
    struct catalogue_entry *const *first;
    struct known known = {.count = 0};
    snprintf(whole, sizeof whole, "gpu%d.%s%s", sheet->device, name, ending);
    const size_t count = catalogue_named(sheet->catalogue, whole, &first);
    for (size_t i = 0; i < count && known.count < EXPERIMENTS_MAX; i++) {
        const struct catalogue_entry *last = known.count ? known.list[known.count - 1] : NULL;
        if (isfinite(first[i]->finding->value) && first[i]->meaning.role != ROLE_PLAIN &&
            (!last || last->experiment != first[i]->experiment))
            known.list[known.count++] = first[i];
    }
    return known;
}

/* Cycles, or ns where the device has no clock to count them by. */
static struct known find_latency(const struct sheet *sheet, const char *name)
{
    const struct known cycles = find(sheet, name, "");
    return cycles.count ? cycles : find(sheet, name, "_ns");
}

static void add_figure(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s", figure_valued(finding->value, finding->unit, figure));
    if (!figure_has_unit(finding->unit)) {
        line_add(line, " ");
        line_add_clean(line, finding->unit);
    }
    line_add_in_brackets(line, finding);
    line_add(line, "%s", flag_doubts(finding->flags) ? " !" : "");
}

/* "  host         " and then the sentence, wrapped; nothing where it is empty. */
static void print_sentence(const struct sheet *sheet, const char *label, const struct line *line)
{
    if (!line->length)
        return;
    fprintf(sheet->out, "  %-*s", LABEL_COLUMNS, label);
    line_print_wrapped(sheet->out, sheet->style, 2 + LABEL_COLUMNS, line);
}

/* One of several things to be told in a sentence: what it is called, and the finding. */
struct part {
    const char *words, *name;
    bool latency;
};

static void add_parts(struct line *line, const struct sheet *sheet, const struct part *parts,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct known known =
            parts[i].latency ? find_latency(sheet, parts[i].name) : find(sheet, parts[i].name, "");
        for (size_t k = 0; k < known.count; k++) {
            line_add(line, "%s%s ", line->length ? ", " : "", parts[i].words);
            add_figure(line, known.list[k]->finding);
        }
    }
}

#define PARTS(parts) parts, sizeof(parts) / sizeof *(parts)

void view_text_sentence(FILE *out, const char *sentence, size_t indent,
                        const struct view_style *wanted)
{
    const struct view_style style = view_style_sane(wanted);
    struct line line = {0};
    line_add_clean(&line, sentence);
    line_print_wrapped(out, &style, indent, &line);
}

void view_text_gpu(FILE *out, const struct gpu_facts *gpu, size_t indent,
                   const struct view_style *wanted)
{
    const struct view_style style = view_style_sane(wanted);
    const char *warning = gpu ? gpu_warning(gpu) : NULL;
    struct line line = {0}, words = {0};
    line_add_gpu(&line, gpu);
    line_print_wrapped(out, &style, indent, &line);
    if (!warning)
        return;
    line_add(&words, "%s", warning);
    fprintf(out, "%*s%s! ", (int)indent - 2, "", ink(&style, INK_WARN));
    line_print_wrapped(out, &style, indent, &words);
    fputs(ink(&style, INK_PLAIN), out);
}

static void print_device(const struct sheet *sheet)
{
    const struct view_style *style = sheet->style;
    char name[16];
    snprintf(name, sizeof name, "gpu%d", sheet->device);
    fprintf(sheet->out, "\n%s%s%s  ", ink(style, INK_BOLD), name, ink(style, INK_PLAIN));
    view_text_gpu(sheet->out, device_facts(&sheet->document->machine, sheet->device),
                  strlen(name) + 2, style);
}

static double clock_of(const struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->catalogue->count; i++) {
        const struct catalogue_entry *entry = &sheet->catalogue->list[i];
        if (entry->meaning.device == sheet->device && entry->meaning.role == ROLE_CONDITION &&
            quantity_is(entry->finding->unit, DIMENSION_FREQUENCY) &&
            isfinite(entry->finding->value))
            return entry->finding->value;
    }
    return NAN;
}

static void print_depth(const struct sheet *sheet)
{
    struct levels levels;
    struct depth_table table = {.document = sheet->document,
                                .device = sheet->device,
                                .levels = &levels,
                                .title = "  depth",
                                .clock = "clock",
                                .clock_hz = clock_of(sheet),
                                .name_columns = NAME_COLUMNS};
    levels_collect(&levels, sheet->catalogue, 0, sheet->device);
    if (levels.count)
        depth_table_print(sheet->out, &table, sheet->style);
    static const struct part widths[] = {{"32 bits", "L1.load32.latency", true},
                                         {"64 bits", "L1.load64.latency", true},
                                         {"128 bits", "L1.load128.latency", true}};
    static const struct part sides[] = {{"near lines", "L2.near", true},
                                        {"far lines", "L2.far", true}};
    struct line width = {0}, side = {0};
    add_parts(&width, sheet, PARTS(widths));
    print_sentence(sheet, "L1 by width", &width);
    add_parts(&side, sheet, PARTS(sides));
    print_sentence(sheet, "L2", &side);
}

enum { WAYS_THROUGH = 3 };
static const char *const ways[WAYS_THROUGH] = {"read", "write", "copy"};

/* A road as one experiment saw it: any way through it may be NULL. */
struct road {
    size_t experiment;
    const struct finding *rates[WAYS_THROUGH];
    const struct finding *example;
};

static size_t find_roads(const struct sheet *sheet, const char *prefix, struct road *roads)
{
    size_t count = 0;
    for (int way = 0; way < WAYS_THROUGH; way++) {
        char name[64];
        snprintf(name, sizeof name, "%sbandwidth.%s", prefix, ways[way]);
        const struct known known = find(sheet, name, "");
        for (size_t k = 0; k < known.count; k++) {
            size_t at = 0;
            while (at < count && roads[at].experiment != known.list[k]->experiment)
                at++;
            if (at == count)
                roads[count++] = (struct road){.experiment = known.list[k]->experiment,
                                               .example = known.list[k]->finding};
            roads[at].rates[way] = known.list[k]->finding;
        }
    }
    return count;
}

/* "    L2     9700 GB/s ...": read, write and copy. */
static void print_road(const struct sheet *sheet, const char *label, const struct road *road)
{
    struct line line = {0}, words = {0};
    char figure[UNIT_TEXT];
    unsigned flags = 0;
    line_add(&line, "  %-*s", NAME_COLUMNS, label);
    for (int way = 0; way < WAYS_THROUGH; way++) {
        const struct finding *rate = road->rates[way];
        flags |= rate ? rate->flags : 0;
        line_add(&line, " %12s", rate ? figure_valued(rate->value, rate->unit, figure) : "");
    }
    line_trim(&line);
    fputs(line.text, sheet->out);
    if (flag_doubts(flags))
        fprintf(sheet->out, " %s!%s", ink(sheet->style, INK_WARN), ink(sheet->style, INK_PLAIN));
    line_add_experiment(&words, road->example);
    if (!words.length) {
        fputc('\n', sheet->out);
        return;
    }
    fputs("  ", sheet->out);
    line_print_wrapped(sheet->out, sheet->style,
                       clean_columns(line.text) + (flag_doubts(flags) ? 4 : 2), &words);
}

/* Whether the heading is still to come. */
static bool print_roads(const struct sheet *sheet, const char *label, const char *prefix,
                        bool first)
{
    struct road roads[WAYS_THROUGH * EXPERIMENTS_MAX];
    const size_t count = find_roads(sheet, prefix, roads);
    if (count && first)
        fprintf(sheet->out, "  %swidth%s  %*s %12s %12s\n", ink(sheet->style, INK_BOLD),
                ink(sheet->style, INK_PLAIN), NAME_COLUMNS - 7 + 13, ways[0], ways[1], ways[2]);
    for (size_t i = 0; i < count; i++)
        print_road(sheet, label, &roads[i]);
    return first && !count;
}

static void print_width(const struct sheet *sheet)
{
    bool first = print_roads(sheet, "DRAM", "", true);
    first = print_roads(sheet, "L2", "L2.", first);
    print_roads(sheet, "shared", "shared.", first);
}

static void print_ways_out(const struct sheet *sheet)
{
    static const struct part tlb[] = {{"reaches", "tlb1.reach", false},
                                      {"a miss +", "tlb1.miss", false},
                                      {"the second reaches", "tlb2.reach", false},
                                      {"a miss +", "tlb2.miss", false}};
    static const struct part host[] = {
        {"to the device", "host.to_device.pinned", false},
        {"to the host", "host.to_host.pinned", false},
        {"both at once", "host.both_ways.pinned", false},
        {"pageable to the device", "host.to_device.pageable", false},
        {"pageable to the host", "host.to_host.pageable", false},
        {"a load of its memory", "host.read_ns", false},
        {"a launch", "host.launch_ns", false},
    };
    static const struct part cluster[] = {
        {"a load of another multiprocessor's scratchpad", "cluster.latency", true}};
    const struct {
        const char *label;
        const struct part *parts;
        size_t count;
    } lines[] = {{"translation", PARTS(tlb)}, {"host", PARTS(host)}, {"cluster", PARTS(cluster)}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct line line = {0};
        add_parts(&line, sheet, lines[i].parts, lines[i].count);
        print_sentence(sheet, lines[i].label, &line);
    }
}

/* "  peers        gpu1 850 ns, 240 GB/s; gpu2 ..." */
static void print_peers(const struct sheet *sheet, const int *devices, size_t count)
{
    struct line line = {0};
    for (size_t i = 0; i < count; i++) {
        char latency[64], copy[64];
        struct line peer = {0};
        snprintf(latency, sizeof latency, "peer%d.latency_ns", devices[i]);
        snprintf(copy, sizeof copy, "peer%d.copy", devices[i]);
        const struct part parts[] = {{"a load", latency, false}, {"a copy", copy, false}};
        add_parts(&peer, sheet, PARTS(parts));
        if (peer.length)
            line_add(&line, "%sgpu%d: %s", line.length ? "; " : "", devices[i], peer.text);
    }
    print_sentence(sheet, "peers", &line);
}

void gpu_print(FILE *out, const struct catalogue *catalogue, const struct view_style *style)
{
    int devices[DEVICES_MAX];
    const struct document *document = catalogue->documents[0];
    const size_t count = device_list(document, devices, DEVICES_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct sheet sheet = {out, document, catalogue, style, devices[i]};
        print_device(&sheet);
        print_depth(&sheet);
        print_width(&sheet);
        print_ways_out(&sheet);
        print_peers(&sheet, devices, count);
    }
}
