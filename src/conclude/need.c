#include "conclude/need.h"

#include "base/line.h"
#include "base/units.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

const char need_name[] = "need", need_every[] = "every", need_loads[] = "loads",
           need_room[] = "room", need_moves[] = "moves";
const char *const need_taken_names[NEED_TAKEN] = {
    "nothing", "L3", "traffic", "huge pages", "own cores", "near memory", "one node"};

/* A difference below the first is no reason to change anything; an interval with an end beyond the
 * second is too wide to help. */
static const double told_least = 0.01, told_widest = 0.1;
static const struct interval no_value = {NAN, NAN, NAN};

#include "need.findings.h"

/* Without an interval of 95 % there are too few runs; where there is one and it is too wide, runs
 * differ too much. */
static bool has_too_few(const struct summary *ratio)
{
    return !ratio->n || !(ratio->coverage >= 0.95f);
}

/* What a ratio of times says. Differences below a percent are not told. */
enum answer { INDIFFERENT, SLOWER, FASTER, UNTOLD };

static enum answer answer_of(const struct summary *ratio)
{
    const double low = (double)ratio->low - 1, high = (double)ratio->high - 1;
    if (has_too_few(ratio))
        return UNTOLD;
    if (low > told_least)
        return SLOWER;
    if (high < -told_least)
        return FASTER;
    return low < -told_widest || high > told_widest ? UNTOLD : INDIFFERENT;
}

static const struct series *series_of(const struct probe_result *result, const char *name,
                                      int taken)
{
    return probe_series(result, name, "taken", need_taken_names[taken]);
}

/* The point at which the most was taken; NULL: none has a value. */
static const struct point *most_taken(const struct series *series)
{
    for (size_t i = series ? series->point_count : 0; i > 0; i--)
        if (series->points[i - 1].y.n)
            return &series->points[i - 1];
    return NULL;
}

bool need_untold(const struct probe_result *result)
{
    const struct finding *against = probe_finding(result, "need.against");
    bool untold = against && isnan(against->value);
    for (int taken = NEED_L3; taken < NEED_TAKEN; taken++) {
        const struct point *most = most_taken(series_of(result, need_name, taken));
        untold = untold || (most && answer_of(&most->y) == UNTOLD);
    }
    return untold;
}

/* A share in percent, to two digits: "%.4g" then shows no exponent below ten thousand. */
static double percent(double share)
{
    const double unit = pow(10, floor(log10(fabs(100 * share))) - 1);
    return isnormal(share) ? round(100 * share / unit) * unit : share;
}

/* "31 % slower (28 to 34)", "indifferent, within 2 %". */
static void add_answer(struct line *line, const struct summary *ratio)
{
    const double low = percent((double)ratio->low - 1), high = percent((double)ratio->high - 1),
                 reach = fmax(fabs(low), fabs(high)), value = percent((double)ratio->median - 1);
    const enum answer answer = answer_of(ratio);
    if (answer == SLOWER)
        line_add(line, "%.4g %% slower (%.4g to %.4g)", value, low, high);
    else if (answer == FASTER)
        line_add(line, "%.4g %% faster (%.4g to %.4g)", -value, -high, -low);
    else if (answer == INDIFFERENT)
        line_add(line, "indifferent, within %.2g %%", fmax(reach, 1));
    else
        line_add(line, "can't tell");
    if (answer == UNTOLD && isfinite(reach))
        line_add(line, " to better than %.4g %%", reach);
    if (answer == UNTOLD)
        line_add(line, ": too few runs%s", has_too_few(ratio) ? "" : ", or too much else at work");
}

static void add_alone(struct analysis *analysis)
{
    const struct point *alone = most_taken(analysis_series(analysis, "alone", NULL, NULL)),
                       *own = most_taken(series_of(analysis->result, need_name, NEED_NOTHING));
    const double used = analysis_number(analysis, "used_cpus"),
                 given = analysis_number(analysis, "given_cpus");
    const double scatter = own ? 50 * (double)(own->y.p90 - own->y.p10) : NAN;
    if (!alone)
        return;
    struct line line = {0};
    line_add(&line, "of CPU time %salone",
             isfinite(analysis_number(analysis, need_every)) ? "for a unit of its progress " : "");
    if (isfinite(scatter))
        line_add(&line, "; eight of ten runs differ by less than %.2g %% from those beside them",
                 scatter);
    if (used > given + 0.25) /* a program that is not parallel uses one CPU */
        line_add(&line, "; it uses %.1f CPUs where it may, and has %.0f beside pressure", used,
                 given);
    analysis_add_point(analysis, "need.time", "s", alone, 0)->text =
        pool_strdup(analysis->pool, line.text);
    if (isfinite(scatter))
        analysis_add_value(analysis, "need.noise", "%", (struct interval){scatter, NAN, NAN}, 0);
    analysis_read_off(analysis, NULL);
}

/* What was taken: the finding, the series of amounts ("none": there is none), and words. */
static const struct taking {
    const char *finding, *amounts, *amount, *beside;
} takings[NEED_TAKEN] = {
#include "need.texts.h"
};

static void add_taken(struct analysis *analysis, int taken)
{
    const struct taking *taking = &takings[taken];
    const struct series *series = series_of(analysis->result, need_name, taken),
                        *amounts = series_of(analysis->result, taking->amounts, taken);
    const struct point *most = most_taken(series), *amount = most_taken(amounts);
    char text[UNIT_TEXT + sizeof " GB/s"] = "some";
    struct line line = {0};
    if (!most)
        return;
    if (amount && taken == NEED_L3)
        size_format((double)amount->y.median, text);
    else if (amount)
        strcat(figure_format((double)amount->y.median / 1e9, 3, text), " GB/s");
    line_add(&line, taking->beside, text);
    line_add(&line, ": ");
    add_answer(&line, &most->y);
    const unsigned why = FLAG_BIT(has_too_few(&most->y) ? FLAG_TOO_FEW : FLAG_UNSTABLE);
    analysis_add_point(analysis, taking->finding, "", most, answer_of(&most->y) == UNTOLD ? why : 0)
        ->text = pool_strdup(analysis->pool, line.text);
    analysis_read_off(analysis, series);
    if (amount) {
        analysis_add_point(analysis, taking->amount, amounts->y.unit, amount, 0);
        analysis_read_off(analysis, amounts);
    }
}

/* The value is the middle. */
static void add_said(struct analysis *analysis, const char *name, const char *unit, bool told,
                     double low, double high, const struct line *line, const struct series *from)
{
    const struct interval value = {(low + high) / 2, low, high};
    analysis_add_value(analysis, name, unit, told ? value : no_value, 0)->text =
        pool_strdup(analysis->pool, line->text);
    analysis_read_off(analysis, from);
}

/* Where the interval begins at nothing its other end is told, if it is below what others move. */
static void add_moves(struct analysis *analysis)
{
    const struct series *series = series_of(analysis->result, need_moves, NEED_TRAFFIC);
    const struct point *moves = most_taken(series),
                       *others = most_taken(series_of(analysis->result, "traffic", NEED_TRAFFIC));
    if (!moves || !others)
        return;
    const double low = (double)moves->y.low / 1e9, high = (double)moves->y.high / 1e9;
    const bool few = has_too_few(&moves->y), told = !few && low > 0;
    char from[UNIT_TEXT], to[UNIT_TEXT];
    struct line line = {0};
    figure_format(low, 2, from);
    figure_format(high, 2, to);
    if (told)
        line_add(&line, "to and from memory, alone (%s to %s)", from, to);
    else if (!few && high > 0 && moves->y.high < others->y.median)
        line_add(&line, "it moves no more than %s GB/s to and from memory", to);
    else
        line_add(&line, "what it moves itself: can't tell: %s",
                 few ? "too few runs" : "others' traffic hardly shows it");
    struct finding *finding =
        told ? analysis_add_point(analysis, "need.moves", series->y.unit, moves, 0)
             : analysis_add_value(analysis, "need.moves", series->y.unit, no_value, 0);
    finding->text = pool_strdup(analysis->pool, line.text);
    analysis_read_off(analysis, series);
}

/* The program's time grows by w (l - 1) where loads of memory take l times as long and it waits for
 * them w of it. Traffic takes of the shared cache, too, and what that costs is no waiting. Of the
 * ways to slow loads the one that tells most counts. */
static void add_waits(struct analysis *analysis)
{
    static const int ways[] = {NEED_TRAFFIC, NEED_NEAR};
    const struct point *held = most_taken(series_of(analysis->result, need_name, NEED_L3));
    struct interval told = {NAN, 0, 1};
    double most = NAN;
    for (int i = 0; i < 2; i++) {
        const struct point *loads = most_taken(series_of(analysis->result, need_loads, ways[i])),
                           *time = most_taken(series_of(analysis->result, need_name, ways[i]));
        if (!loads || !time || has_too_few(&loads->y) || has_too_few(&time->y))
            continue;
        const bool mixed = ways[i] == NEED_TRAFFIC && (!held || answer_of(&held->y) != INDIFFERENT);
        const double least = (double)loads->y.low - 1, longest = (double)loads->y.high - 1,
                     low = mixed ? 0 : fmin(1, fmax(0, ((double)time->y.low - 1) / longest)),
                     high = fmin(1, fmax(low, ((double)time->y.high - 1) / least));
        most = fmax(most, longest);
        if (least > told_least && high - low < told.high - told.low)
            told = (struct interval){NAN, low, high};
    }
    const double reach = (told.high - told.low) / 2;
    struct line line = {0};
    if (isnan(most))
        return;
    if (reach > told_widest)
        line_add(&line,
                 "how much of its time it waits for memory: can't tell to better than %.2g %%: "
                 "loads take %.4g %% longer at most",
                 100 * reach, percent(fmax(0, most)));
    else
        line_add(&line, "it waits for memory %.4g %% of its time (%.4g to %.4g)",
                 percent((told.low + told.high) / 2), percent(told.low), percent(told.high));
    add_said(analysis, "need.waits", "", reach <= told_widest, told.low, told.high, &line, NULL);
}

/* A program that is slower than with less held needs more than what the holders lost to it. One
 * that is slower at the first level shows nothing, because the holders' loads slow it, too. A
 * program that is indifferent needs no more than the rest of the cache, of which other guests may
 * have had a part. A level's place on the axis is what was held, in percent of the cache. */
static void add_room(struct analysis *analysis)
{
    const struct series *times = series_of(analysis->result, need_name, NEED_L3),
                        *amounts = series_of(analysis->result, "held", NEED_L3),
                        *rooms = series_of(analysis->result, need_room, NEED_L3);
    const struct point *room = most_taken(rooms);
    struct interval told = {NAN, 0, INFINITY};
    if (!room || !times || !amounts || has_too_few(&room->y) ||
        times->point_count != amounts->point_count)
        return;
    for (size_t i = 0; i < times->point_count; i++) {
        const enum answer answer = answer_of(&times->points[i].y);
        const struct summary *held = &amounts->points[i].y;
        const double cache = 100 * (double)held->median / amounts->points[i].x;
        if (answer == SLOWER && i && times->points[i].y.low > times->points[i - 1].y.high)
            told.low = fmax(told.low, (double)(room->y.low - held->high));
        if (answer == INDIFFERENT)
            told.high = fmin(told.high, cache - (double)held->low);
    }
    const bool above = told.low > 0, below = isfinite(told.high),
               untold = told.low > told.high || (!above && !below);
    struct line line = {0};
    line_add(&line, "of the L3 it needs");
    if (untold)
        line_add_between(&line, ": can't tell to better than ",
                         size_text(analysis->pool, (double)room->y.high), "");
    if (!untold && above)
        line_add_between(&line, " more than ", size_text(analysis->pool, told.low),
                         below ? "," : "");
    if (!untold && below)
        line_add_between(&line, " no more than ", size_text(analysis->pool, told.high), "");
    add_said(analysis, "need.L3.bytes", "B", !untold && below, told.low, told.high, &line, rooms);
}

void need_analyse(struct analysis *analysis)
{
    add_alone(analysis);
    for (int taken = NEED_L3; taken < NEED_TAKEN; taken++)
        add_taken(analysis, taken);
    add_moves(analysis);
    add_room(analysis);
    add_waits(analysis);
    if (analysis->there)
        need_against(analysis);
    else
        analysis_keep(analysis, "need.against", "that takes documents of both machines");
}

const struct finding_table need_findings = {.lines = finding_lines, .experiment = experiment};
