#include "compare/figure.h"

#include "conclude/registry/finding.h"
#include "conclude/verdict.h"
#include "document/flag.h"

#include <math.h>

const struct sort_text sorts[SORTS] = {
#include "figure.texts.h"
};

struct figure_source figure_source_of(const struct document *document)
{
    struct document_verdict verdict;
    verdict_of(&verdict, document);
    return (struct figure_source){.machine = &document->machine,
                                  .guest = document->machine.hypervisor != NULL,
                                  .busy = verdict.busy.length > 0};
}

static bool is_whole(const struct finding *finding)
{
    return finding->value == rint(finding->value) && finding->low == rint(finding->low) &&
           finding->high == rint(finding->high);
}

static enum figure_sort sort_of(const struct figure_source *source, const struct finding *finding,
                                const struct finding_meaning *meaning)
{
    const enum dimension dimension =
        meaning->quantity ? meaning->quantity->dimension : DIMENSION_NUMBER;
    if (meaning->fact == FACT_WAYS || meaning->fact == FACT_LINE || meaning->fact == FACT_ENTRIES ||
        (dimension == DIMENSION_NUMBER && is_whole(finding)) ||
        (dimension == DIMENSION_SIZE && finding->low == finding->high && is_whole(finding)))
        return SORT_COUNT;
    if (dimension == DIMENSION_FREQUENCY)
        return SORT_CLOCK;
    if (dimension == DIMENSION_BANDWIDTH || dimension == DIMENSION_RATE ||
        dimension == DIMENSION_MISSES)
        return meaning->role == ROLE_WIDTH && meaning->device < 0 ? SORT_STREAM
               : finding_is_of_all_cpus(meaning)                  ? SORT_RATE_ALL
                                                                  : SORT_RATE;
    if (meaning->role == ROLE_LEVEL) {
        const bool capacity = meaning->fact == FACT_CAPACITY;
        const bool shared = meaning->device >= 0
                                ? meaning->number > 1
                                : level_is_shared(source->machine, meaning->number);
        if (meaning->fact != FACT_LATENCY && meaning->fact != FACT_LATENCY_NS && !capacity)
            return SORT_OTHER;
        /* Where misses begin depends on what others left of the level. */
        const bool first = meaning->level == LEVEL_CACHE && meaning->number == 1;
        if (capacity)
            return first && !finding_is_bound(finding) ? SORT_ROOM : SORT_FAR_ROOM;
        if (meaning->level == LEVEL_CACHE && !shared && meaning->fact == FACT_LATENCY)
            return SORT_PRIVATE;
        /* Further ones have their home in ns unless they follow the core's clock. */
        if (meaning->level == LEVEL_CACHE && !shared && meaning->number <= PRIVATE_LEVELS)
            return SORT_CLOCK;
        return meaning->level == LEVEL_CACHE ? SORT_CACHE : SORT_MEMORY;
    }
    const bool handoff = meaning->role == ROLE_HANDOFF || meaning->role == ROLE_CLUSTER;
    return handoff && dimension == DIMENSION_TIME                          ? SORT_HANDOFF
           : meaning->role == ROLE_FLIGHT                                  ? SORT_MEMORY
           : finding_is_of_all_cpus(meaning)                               ? SORT_RATE_ALL
           : meaning->role == ROLE_PROPERTY && dimension == DIMENSION_TIME ? SORT_SYSTEM
                                                                           : SORT_OTHER;
}

/* A foreign document's runs may be anything. */
static size_t usable_runs(const struct finding *finding)
{
    for (size_t i = 0; i < finding->run_count; i++)
        if (!(finding->runs[i].number > 0) || !isfinite(finding->runs[i].number))
            return 0;
    return finding->run_count > 1 ? finding->run_count : 0;
}

static enum side worse_side(enum figure_sort sort, const struct finding_meaning *meaning)
{
    const bool room = sort == SORT_ROOM || sort == SORT_FAR_ROOM || sort == SORT_CLOCK ||
                      meaning->fact == FACT_WAYS || meaning->fact == FACT_ENTRIES;
    return room && meaning->side == SIDE_NEITHER ? SIDE_LESS : meaning->side;
}

/* `beside` holds for a core's own caches, too: its other thread may be a neighbour's. A modelled
 * guest's CPUs stay where they are. Few trials have an interval, but not one of 95 %. */
static struct figure complete(const struct figure_source *source, struct figure figure, bool device,
                              unsigned flags)
{
    figure.guest = source->guest && !device;
    figure.beside = (figure.beside || source->busy) && !device;
    if (figure.sort == SORT_HANDOFF && figure.guest && !(flags & FLAG_BIT(FLAG_MODELLED)))
        figure.sort = SORT_UNPLACED;
    if (flags & FLAG_BIT(FLAG_TOO_FEW) && !figure.run_count)
        figure.low = figure.high = NAN;
    return figure;
}

struct figure figure_of(const struct figure_source *source, const struct finding *finding,
                        const struct finding_meaning *meaning)
{
    struct figure figure = {.value = finding->value, .sort = sort_of(source, finding, meaning)};
    figure.low = finding->low;
    figure.high = finding->high;
    figure.runs = finding->runs;
    figure.run_count = usable_runs(finding);
    figure.worse = worse_side(figure.sort, meaning);
    figure.beside = finding_is_beside(finding);
    return complete(source, figure, meaning->device >= 0, finding->flags);
}

struct figure figure_of_point(const struct figure_source *source, const struct point *point,
                              enum figure_sort sort, enum side worse)
{
    const struct estimate time = finding_time_of(point);
    struct figure figure = {.sort = sort, .worse = worse, .beside = point_is_disturbed(point)};
    figure.value = (double)time.median;
    figure.low = (double)time.low;
    figure.high = (double)time.high;
    return complete(source, figure, false, point->flags);
}

enum figure_weight figure_weight(const struct finding *finding,
                                 const struct finding_meaning *meaning)
{
    const bool main =
        (meaning->role == ROLE_LEVEL &&
         (meaning->fact == FACT_LATENCY || meaning->fact == FACT_LATENCY_NS)) ||
        (meaning->role == ROLE_WIDTH && (meaning->fact == FACT_ONE || meaning->fact == FACT_ALL)) ||
        meaning->fact == FACT_NEAREST || meaning->fact == FACT_FARTHEST;
    return !main ? WEIGHT_OTHER : finding->deviations ? WEIGHT_DEVIANT : WEIGHT_HEADLINE;
}
