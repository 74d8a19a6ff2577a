/* Says why a node is odd: the usual cause of such a pattern. Which findings changed and which did
 * not tells more than any single value. Findings are recognised by their roles in the registry. */
#include "base/line.h"
#include "base/units.h"
#include "compare/fleet/fleet.h"

#include <math.h>

/* The aspects of a node. If several findings belong to one aspect, the one that changed most
 * counts. */
enum aspect {
    ASPECT_CLOCK,
    ASPECT_CORE_TIME,   /* L1's latency in ns */
    ASPECT_CORE_CYCLES, /* and in cycles */
    ASPECT_LAST_CACHE,  /* capacity of the last cache */
    ASPECT_CACHE_TIME,  /* latency of another cache */
    ASPECT_MEMORY_TIME, /* of DRAM */
    ASPECT_WIDTH,       /* bytes a second, of all CPUs */
    ASPECT_WIDTH_ONE,   /* of one CPU */
    ASPECT_HANDOFF,
    ASPECT_TAKEN,
    ASPECT_DEVICE,
    ASPECT_OTHER,
    ASPECTS
};

struct seen {
    double ratio; /* to the peers' median, less 1; NAN: not measured */
    bool moved;   /* beyond chance, if this were the only comparison */
    bool odd;
};

/* The error rate of a single comparison: a cause needs a pattern and no proof of each value. */
static const double moved_below = 0.01;

static enum aspect aspect_of(const struct finding_meaning *meaning, int last_cache)
{
    const bool in_time = meaning->fact == FACT_LATENCY_NS;
    if (meaning->device >= 0)
        return ASPECT_DEVICE;
    switch (meaning->role) {
    case ROLE_CONDITION:
        return meaning->quantity->dimension == DIMENSION_FREQUENCY ? ASPECT_CLOCK
               : meaning->fact == FACT_TAKEN                       ? ASPECT_TAKEN
                                                                   : ASPECT_OTHER;
    case ROLE_WIDTH:
        return meaning->fact == FACT_ALL   ? ASPECT_WIDTH
               : meaning->fact == FACT_ONE ? ASPECT_WIDTH_ONE
                                           : ASPECT_OTHER;
    case ROLE_HANDOFF:
        return ASPECT_HANDOFF;
    case ROLE_LEVEL:
        break;
    default:
        return ASPECT_OTHER;
    }
    if (meaning->level == LEVEL_CACHE && meaning->fact == FACT_CAPACITY)
        return meaning->number == last_cache ? ASPECT_LAST_CACHE : ASPECT_OTHER;
    if (meaning->fact != FACT_LATENCY && !in_time)
        return ASPECT_OTHER;
    if (meaning->level == LEVEL_MEMORY)
        return in_time ? ASPECT_MEMORY_TIME : ASPECT_OTHER;
    if (meaning->level == LEVEL_CACHE && meaning->number == 1)
        return in_time ? ASPECT_CORE_TIME : ASPECT_CORE_CYCLES;
    return in_time ? ASPECT_CACHE_TIME : ASPECT_OTHER;
}

struct explaining {
    struct fleet *fleet;
    struct fleet_node *node;
    struct seen seen[ASPECTS];
};

static bool rose(const struct explaining *at, enum aspect aspect)
{
    return at->seen[aspect].moved && at->seen[aspect].ratio > 0;
}

static bool fell(const struct explaining *at, enum aspect aspect)
{
    return at->seen[aspect].moved && at->seen[aspect].ratio < 0;
}

/* --- what is missing --- */

static bool explain_lack(struct explaining *at, struct line *reason)
{
    static const struct {
        const char *cause, *reason;
    } facts[FLEET_FACTS] = {
#include "lacks.texts.h"
    };
    const unsigned memory = 1U << FACT_MEMORY;
    /* Memory first, because a lost module may also remove a node. */
    int fact = at->node->lacks & memory ? FACT_MEMORY : 0;
    while (fact < FLEET_FACTS && !(at->node->lacks >> fact & 1))
        fact++;
    if (fact == FLEET_FACTS)
        return false;
    at->node->cause = facts[fact].cause;
    line_add(reason, "%s", facts[fact].reason);
    if (fact == FACT_MEMORY) {
        const struct fleet_group *group = &at->fleet->groups[at->node->group];
        char own[UNIT_TEXT], peers[UNIT_TEXT];
        line_add(
            reason,
            " (%s, they %s): a module is lost or switched off; look at what the firmware lists "
            "(dmidecode -t memory) and at its log of errors",
            size_format((double)at->node->memory_bytes, own),
            size_format((double)at->fleet->nodes[group->first].memory_bytes, peers));
    }
    line_add(reason, ".");
    return true;
}

/* --- what was measured --- */

/* "about 2/3": the share that is left without one of several channels; NULL: none is near. */
static const char *share_left(double ratio)
{
    static const struct {
        double share;
        const char *text;
    } shares[] = {{1.0 / 2, "1/2"}, {2.0 / 3, "2/3"}, {3.0 / 4, "3/4"},
                  {5.0 / 6, "5/6"}, {7.0 / 8, "7/8"}, {11.0 / 12, "11/12"}};
    const char *nearest = NULL;
    double least = 0.03;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (fabs(1 + ratio - shares[i].share) < least) {
            least = fabs(1 + ratio - shares[i].share);
            nearest = shares[i].text;
        }
    return nearest;
}

static int percent(const struct explaining *at, enum aspect aspect)
{
    return (int)lround(fmin(fabs(at->seen[aspect].ratio) * 100, 1e6));
}

static bool explain_power(struct explaining *at, struct line *reason)
{
    const bool slow_core = rose(at, ASPECT_CORE_TIME) && !rose(at, ASPECT_CORE_CYCLES);
    if (!fell(at, ASPECT_CLOCK) && !slow_core)
        return false;
    at->node->cause = "power or cooling";
    const enum aspect most = fell(at, ASPECT_CLOCK) ? ASPECT_CLOCK : ASPECT_CORE_TIME;
    line_add(reason,
             "Its cores run slower (%s by %d %%), and all latencies in ns with them, while those "
             "in cycles are unchanged: look at its temperatures and fans, its power limit (RAPL, "
             "the BMC) and its governor.",
             most == ASPECT_CLOCK ? "the clock is lower" : "L1 takes longer", percent(at, most));
    return true;
}

static bool explain_width(struct explaining *at, struct line *reason)
{
    enum { FAR_PERCENT = 30 }; /* remote memory takes at least that much longer on servers */
    const enum aspect width = fell(at, ASPECT_WIDTH) ? ASPECT_WIDTH : ASPECT_WIDTH_ONE;
    if (!fell(at, width))
        return false;
    if (rose(at, ASPECT_MEMORY_TIME) && percent(at, ASPECT_MEMORY_TIME) >= FAR_PERCENT) {
        at->node->cause = "memory of another NUMA node";
        line_add(
            reason,
            "DRAM takes %d %% longer and gives %d %% less: its memory is far from the CPUs that "
            "use it; compare what the nodes declare (numactl -H) and where its modules sit.",
            percent(at, ASPECT_MEMORY_TIME), percent(at, width));
        return true;
    }
    /* Slower modules also lower the bandwidth, but raise the latency; a lost channel does not. */
    if (rose(at, ASPECT_MEMORY_TIME) && 2 * percent(at, ASPECT_MEMORY_TIME) > percent(at, width))
        return false;
    const char *left = share_left(at->seen[width].ratio);
    at->node->cause = "a memory channel";
    line_add(reason, "Bandwidth is lower by %d %%", percent(at, width));
    if (left)
        line_add(reason, ", about %s is left", left);
    line_add(reason,
             ", and latency %s: a channel or a module is lost, or the modules sit in fewer "
             "channels; look at dmidecode -t memory and at the log of memory errors.",
             isnan(at->seen[ASPECT_MEMORY_TIME].ratio) ? "was not measured" : "is its peers'");
    return true;
}

/* A cause that a single aspect shows: it moved to that side and, where `odd` is set, is odd itself.
 */
static const struct pattern {
    enum aspect aspect;
    enum side side; /* SIDE_NEITHER: either */
    bool odd;
    const char *cause, *before, *after; /* the reason, around by how many percent */
} single_patterns[] = {
#include "causes.texts.h"
};

static bool explain_single(struct explaining *at, struct line *reason)
{
    for (size_t i = 0; i < sizeof single_patterns / sizeof *single_patterns; i++) {
        const struct pattern *pattern = &single_patterns[i];
        if ((pattern->side == SIDE_MORE && !rose(at, pattern->aspect)) ||
            (pattern->side == SIDE_LESS && !fell(at, pattern->aspect)) ||
            (pattern->odd && !at->seen[pattern->aspect].odd))
            continue;
        at->node->cause = pattern->cause;
        line_add(reason, "%s", pattern->before);
        if (pattern->after)
            line_add(reason, " %d %% %s", percent(at, pattern->aspect), pattern->after);
        return true;
    }
    return false;
}

static void explain(struct explaining *at)
{
    static bool (*const patterns[])(struct explaining *, struct line *) = {
        explain_lack, explain_power, explain_width, explain_single};
    enum { PATTERNS = sizeof patterns / sizeof *patterns };
    struct line reason = {0};
    size_t i = 0;
    while (i < PATTERNS && !patterns[i](at, &reason))
        i++;
    const struct fleet_node *node = at->node;
    if (i == PATTERNS && !node->leads && node->facts.count)
        at->node->cause = "another setup";
    else if (i == PATTERNS && !node->leads)
        at->node->cause = "slower than before";
    else if (i == PATTERNS) {
        at->node->cause = "no known pattern";
        line_add(&reason, "The differences fit no known pattern: compare it with one of its peers "
                          "('fathom diff').");
    }
    for (size_t f = 0; f < at->node->facts.count; f++) {
        const struct changed_fact *fact = &at->node->facts.list[f];
        line_add(&reason, "%sIts ", reason.length ? " " : "");
        line_add_clean(&reason, fact->what);
        line_add(&reason, " is ");
        line_add_clean(&reason, fact->after);
        line_add(&reason, ", most of its peers' is ");
        line_add_clean(&reason, fact->before);
        line_add(&reason, ".");
    }
    if (node->worse) {
        line_add(&reason, "%sSince ", reason.length ? " " : "");
        line_add_clean(&reason, node->before->started ? node->before->started : "last time");
        line_add(&reason, " its ");
        line_add_clean(&reason, node->worse->like.name);
        line_add(&reason, " changed by %+.3g %%.", 100 * node->since);
    }
    at->node->reason = pool_strdup(&at->fleet->pool, reason.text);
}

static void see(struct seen *seen, const struct fleet_value *value)
{
    const bool moved = value->p < moved_below || value->odd;
    if (isnan(seen->ratio) || (moved && !seen->moved) ||
        (moved == seen->moved && fabs(value->ratio) > fabs(seen->ratio)))
        *seen = (struct seen){value->ratio, moved, seen->odd};
    seen->odd = seen->odd || value->odd;
}

void fleet_explain(struct fleet *fleet, struct pool *scratch)
{
    /* The highest level of cache whose capacity is known. */
    int last_cache = 0;
    for (size_t f = 0; f < fleet->finding_count; f++) {
        const struct finding_meaning *meaning = &fleet->findings[f].meaning;
        if (meaning->device < 0 && meaning->level == LEVEL_CACHE &&
            meaning->fact == FACT_CAPACITY && meaning->number > last_cache)
            last_cache = meaning->number;
    }
    struct explaining *all = pool_alloc(scratch, fleet->odd_count, sizeof *all);
    size_t *places = pool_alloc(scratch, fleet->node_count, sizeof *places);
    for (size_t i = 0; i < fleet->odd_count; i++) {
        places[fleet->odd[i]] = i + 1;
        all[i] = (struct explaining){.fleet = fleet, .node = &fleet->nodes[fleet->odd[i]]};
        for (int aspect = 0; aspect < ASPECTS; aspect++)
            all[i].seen[aspect].ratio = NAN;
    }
    for (size_t f = 0; f < fleet->finding_count; f++) {
        const struct fleet_finding *finding = &fleet->findings[f];
        if (!finding->judged)
            continue;
        const enum aspect aspect = aspect_of(&finding->meaning, last_cache);
        for (size_t v = 0; v < finding->count; v++) {
            const size_t place = places[finding->values[v].node];
            if (place && isfinite(finding->values[v].ratio))
                see(&all[place - 1].seen[aspect], &finding->values[v]);
        }
    }
    for (size_t i = 0; i < fleet->odd_count; i++)
        explain(&all[i]);
}
