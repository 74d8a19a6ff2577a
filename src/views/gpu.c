/*
 * Devices on the one screen of a run: what each is, its levels and memories, its roads, what the
 * host and other devices are away. Only what was measured has a line.
 */
#include "findings/device.h"
#include "findings/lookup.h"
#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/levels.h"
#include "views/parts.h"

#include <math.h>
#include <string.h>

enum { DEVICES_MAX = 16, NAME_COLUMNS = 13, LABEL_COLUMNS = 13 };

/* A device, and all findings by name. */
struct sheet {
    FILE *out;
    const struct document *document;
    const struct finding_lookup *lookup;
    const struct view_style *style;
    int device;
};

/* "gpuN.NAME" and an ending, where it has a value. */
static const struct finding *find(const struct sheet *sheet, const char *name, const char *ending)
{
    char whole[96];
    snprintf(whole, sizeof whole, "gpu%d.%s%s", sheet->device, name, ending);
    const struct finding *finding = finding_lookup_name(sheet->lookup, whole);
    return finding && isfinite(finding->value) ? finding : NULL;
}

static const struct finding *known(const struct sheet *sheet, const char *name)
{
    return find(sheet, name, "");
}

/* Cycles, or ns where the device has no clock to count them by. */
static const struct finding *known_latency(const struct sheet *sheet, const char *name)
{
    const struct finding *cycles = known(sheet, name);
    return cycles ? cycles : find(sheet, name, "_ns");
}

static void add_figure(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT];
    line_add(line, "%s", figure_valued(finding->value, finding->unit, figure));
    if (strcmp(finding->unit ? finding->unit : "", "B") != 0 &&
        !*figure_scale(finding->unit).unit) {
        line_add(line, " ");
        line_add_clean(line, finding->unit);
    }
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
        const struct finding *finding =
            parts[i].latency ? known_latency(sheet, parts[i].name) : known(sheet, parts[i].name);
        if (!finding)
            continue;
        line_add(line, "%s%s ", line->length ? ", " : "", parts[i].words);
        add_figure(line, finding);
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

static void print_depth(const struct sheet *sheet)
{
    struct level levels[LEVELS_MAX];
    const struct finding *clock = known(sheet, "clock");
    struct depth_table table = {.document = sheet->document,
                                .device = sheet->device,
                                .levels = levels,
                                .count = levels_collect(sheet->document, sheet->device, levels),
                                .title = "  depth",
                                .clock = "clock",
                                .clock_hz = clock ? clock->value : NAN,
                                .name_columns = NAME_COLUMNS};
    if (table.count)
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

/* "    L2     9700 GB/s ...": read, write and copy; nothing where there is none of them. */
static bool print_road(const struct sheet *sheet, const char *label, const char *prefix, bool first)
{
    static const char *const ways[] = {"read", "write", "copy"};
    const struct finding *rates[3];
    struct line line = {0};
    char name[64], figure[UNIT_TEXT];
    unsigned flags = 0;
    bool any = false;
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%sbandwidth.%s", prefix, ways[i]);
        rates[i] = known(sheet, name);
        any = any || rates[i];
    }
    if (!any)
        return first;
    if (first)
        fprintf(sheet->out, "  %swidth%s  %*s %12s %12s\n", ink(sheet->style, INK_BOLD),
                ink(sheet->style, INK_PLAIN), NAME_COLUMNS - 7 + 13, ways[0], ways[1], ways[2]);
    line_add(&line, "  %-*s", NAME_COLUMNS, label);
    for (int i = 0; i < 3; i++) {
        flags |= rates[i] ? rates[i]->flags : 0;
        line_add(&line, " %12s",
                 rates[i] ? figure_valued(rates[i]->value, rates[i]->unit, figure) : "");
    }
    line_trim(&line);
    fputs(line.text, sheet->out);
    if (flag_doubts(flags))
        fprintf(sheet->out, " %s!%s", ink(sheet->style, INK_WARN), ink(sheet->style, INK_PLAIN));
    fputc('\n', sheet->out);
    return false;
}

static void print_width(const struct sheet *sheet)
{
    bool first = print_road(sheet, "DRAM", "", true);
    first = print_road(sheet, "L2", "L2.", first);
    print_road(sheet, "shared", "shared.", first);
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

void gpu_print(FILE *out, const struct document *document, const struct view_style *style)
{
    int devices[DEVICES_MAX];
    const size_t count = device_list(document, devices, DEVICES_MAX);
    struct pool pool = {0};
    struct finding_lookup lookup;
    if (count && finding_lookup_build(&lookup, &pool, document, NULL) == 0)
        for (size_t i = 0; i < count; i++) {
            const struct sheet sheet = {out, document, &lookup, style, devices[i]};
            print_device(&sheet);
            print_depth(&sheet);
            print_width(&sheet);
            print_ways_out(&sheet);
            print_peers(&sheet, devices, count);
        }
    pool_free(&pool);
}
