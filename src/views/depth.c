#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>
#include <string.h>

enum { LEVELS_MAX = 16 };

/* What the findings say of one level: "L1.latency", "L1.latency_ns", "L1.capacity". */
struct level {
    char name[24];
    const struct finding *latency, *latency_ns, *capacity;
};

/* The level that a finding is about, where its name ends with `ending`. */
static bool level_name(const struct finding *finding, const char *ending, char name[24])
{
    size_t length = strlen(finding->name), end = strlen(ending);
    if (length <= end || length - end >= 24 || strcmp(finding->name + length - end, ending) != 0)
        return false;
    memcpy(name, finding->name, length - end);
    name[length - end] = '\0';
    return true;
}

static struct level *level_of(struct level *levels, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(levels[i].name, name) == 0)
            return &levels[i];
    if (*count == LEVELS_MAX)
        return NULL;
    struct level *level = &levels[(*count)++];
    *level = (struct level){0};
    strcpy(level->name, name);
    return level;
}

static size_t collect(const struct document *document, struct level *levels)
{
    static const char *const endings[] = {".latency", ".latency_ns", ".capacity"};
    size_t count = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            for (int e = 0; e < 3; e++) {
                char name[24];
                struct level *level =
                    level_name(finding, endings[e], name) ? level_of(levels, &count, name) : NULL;
                if (level && e == 0)
                    level->latency = finding;
                if (level && e == 1)
                    level->latency_ns = finding;
                if (level && e == 2)
                    level->capacity = finding;
            }
        }
    return count;
}

/* As the machine says of itself: in the finding, or else among its caches. */
static double declared_bytes(const struct document *document, const struct level *level)
{
    if (level->capacity && isfinite(level->capacity->declared))
        return level->capacity->declared;
    for (size_t i = 0; i < document->machine.cache_count; i++) {
        const struct cache_facts *cache = &document->machine.caches[i];
        char name[24];
        snprintf(name, sizeof name, "L%d", cache->level);
        if (strcmp(name, level->name) == 0 && cache->size_bytes && cache->type &&
            strcmp(cache->type, "instruction") != 0)
            return (double)cache->size_bytes;
    }
    return NAN;
}

static double half_width(const struct finding *finding)
{
    double half = finding ? fabs((finding->high - finding->low) / 2 / finding->value) : NAN;
    return isfinite(half) ? half : -1;
}

/* A figure and its unit, each in its column, or as much blank. */
static void add_latency(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT] = "", unit[CLEAN_TEXT] = "";
    if (finding && isfinite(finding->value)) {
        figure_plain(finding->value, figure);
        clean_text(finding->unit, unit, 7);
    }
    line_add(line, " %8s %-6s", figure, unit);
}

static void print_level(FILE *out, const struct document *document, const struct level *level,
                        bool capacities, const struct view_style *style)
{
    struct line line = {0};
    char text[UNIT_TEXT], name[CLEAN_TEXT];
    const struct finding *findings[] = {level->latency, level->latency_ns, level->capacity};
    unsigned flags = 0;
    for (int i = 0; i < 3; i++)
        flags |= findings[i] ? findings[i]->flags : 0;
    line_add(&line, "  %-8s", clean_text(level->name, name, sizeof name));
    add_latency(&line, level->latency);
    add_latency(&line, level->latency_ns);
    double half = fmax(half_width(level->latency), half_width(level->latency_ns));
    char percent[UNIT_TEXT + 4] = "";
    if (half >= 0)
        snprintf(percent, sizeof percent, "+-%s %%", figure_percent(1, 1 - half, 1 + half, text));
    line_add(&line, "%-8s", percent);
    if (capacities)
        line_add(&line, " %10s",
                 level->capacity ? figure_valued(level->capacity->value, "B", text) : "");
    double declared = declared_bytes(document, level);
    line_add(&line, " %10s", isfinite(declared) ? figure_valued(declared, "B", text) : "");
    line_trim(&line);
    fputs(line.text, out);
    if (flag_doubts(flags))
        fprintf(out, " %s!%s", ink(style, INK_WARN), ink(style, INK_PLAIN));
    fputc('\n', out);
}

void depth_print(FILE *out, const struct document *document, const struct view_style *style)
{
    struct level levels[LEVELS_MAX];
    size_t count = collect(document, levels);
    bool capacities = false, declared = false;
    for (size_t i = 0; i < count; i++) {
        capacities = capacities || levels[i].capacity;
        declared = declared || isfinite(declared_bytes(document, &levels[i]));
    }
    if (count == 0)
        return;
    struct line line = {0};
    double core_hz = document->conditions.core_hz;
    char clock[UNIT_TEXT];
    line_add(&line, "%12s", "latency");
    if (core_hz > 0 && core_hz < 1e12)
        line_add(&line, " (core clock %s)", hertz_format(core_hz, clock));
    line_add(&line, "%*s", 45 - (int)line.length, "");
    line_add(&line, "%*s %10s", capacities ? 11 : 0, capacities ? "capacity" : "",
             declared ? "declared" : "");
    line_trim(&line);
    fprintf(out, "\n%sdepth%s%s\n", ink(style, INK_BOLD), ink(style, INK_PLAIN), line.text);
    for (size_t i = 0; i < count; i++)
        print_level(out, document, &levels[i], capacities, style);
}
