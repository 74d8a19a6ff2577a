#include "conclude/need.h"

#include "base/line.h"
#include "base/units.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

const char need_name[] = "need", need_every[] = "every";
const char *const need_taken_names[NEED_TAKEN] = {"nothing", "L3", "traffic", "huge pages"};

/* A difference below the first is no reason to change anything; an interval with an end beyond the
 * second is too wide to help. */
static const double told_least = 0.01, told_widest = 0.1;

#include "need.findings.h"

/* Without an interval of 95 % there are too few runs; where there is one and it is too wide, runs
 * differ too much. */
static bool has_too_few(const struct summary *ratio)
{
    return !ratio->n || !(ratio->coverage >= 0.95f);
}

enum need_answer need_answer(const struct summary *ratio)
{
    const double low = (double)ratio->low - 1, high = (double)ratio->high - 1;
    if (has_too_few(ratio))
        return NEED_UNTOLD;
    if (low > told_least)
        return NEED_SLOWER;
    if (high < -told_least)
        return NEED_FASTER;
    return low < -told_widest || high > told_widest ? NEED_UNTOLD : NEED_INDIFFERENT;
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
    for (int taken = NEED_L3; taken < NEED_TAKEN; taken++) {
        const struct point *most =
            most_taken(probe_series(result, need_name, "taken", need_taken_names[taken]));
        if (most && need_answer(&most->y) == NEED_UNTOLD)
            return true;
    }
    return false;
}

/* "31 % slower (28 to 34)", "indifferent, within 2 %". */
static void add_answer(struct line *line, const struct summary *ratio)
{
    const double low = 100 * ((double)ratio->low - 1), high = 100 * ((double)ratio->high - 1),
                 reach = fmax(fabs(low), fabs(high)), value = 100 * ((double)ratio->median - 1);
    switch (need_answer(ratio)) {
    case NEED_SLOWER:
        line_add(line, "%.2g %% slower (%.2g to %.2g)", value, low, high);
        break;
    case NEED_FASTER:
        line_add(line, "%.2g %% faster (%.2g to %.2g)", -value, -high, -low);
        break;
    case NEED_INDIFFERENT:
        line_add(line, "indifferent, within %.2g %%", fmax(reach, 1));
        break;
    case NEED_UNTOLD:
        line_add(line, "can't tell");
        if (isfinite(reach))
            line_add(line, " to better than %.2g %%", reach);
        line_add(line, ": %s",
                 has_too_few(ratio) ? "too few runs" : "too few runs, or too much else at work");
        break;
    }
}

/* Adds how much the strongest pressure really took. */
static double add_amount(struct analysis *analysis, const char *name, const char *finding,
                         enum need_taken taken)
{
    const struct series *series =
        probe_series(analysis->result, name, "taken", need_taken_names[taken]);
    const struct point *most = most_taken(series);
    if (!most)
        return NAN;
    analysis_add_point(analysis, finding, series->y.unit, most, 0);
    analysis_read_off(analysis, series);
    return (double)most->y.median;
}

static void add_alone(struct analysis *analysis)
{
    const struct series *alone = analysis_series(analysis, "alone", NULL, NULL),
                        *noise = probe_series(analysis->result, need_name, "taken",
                                              need_taken_names[NEED_NOTHING]);
    const double used = analysis_number(analysis, "used_cpus"),
                 given = analysis_number(analysis, "given_cpus");
    const struct point *own = most_taken(noise);
    const double scatter = own ? 50 * (double)(own->y.p90 - own->y.p10) : NAN;
    if (!alone || !most_taken(alone))
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
    analysis_add_point(analysis, "need.time", "s", most_taken(alone), 0)->text =
        pool_strdup(analysis->pool, line.text);
    if (isfinite(scatter))
        analysis_add_value(analysis, "need.noise", "%", (struct interval){scatter, NAN, NAN}, 0);
    analysis_read_off(analysis, NULL);
}

static void add_taken(struct analysis *analysis)
{
    static const char *const beside[NEED_TAKEN] = {[NEED_L3] = "with %s of the L3 held by others: ",
                                                   [NEED_TRAFFIC] = "beside %s of others: ",
                                                   [NEED_PAGES] = "on small pages alone%s: "};
    for (int i = NEED_L3; i < NEED_TAKEN; i++) {
        const enum need_taken taken = (enum need_taken)i;
        const struct series *series =
            probe_series(analysis->result, need_name, "taken", need_taken_names[taken]);
        const struct point *most = most_taken(series);
        char amount[UNIT_TEXT] = "";
        struct line line = {0};
        if (!most)
            continue;
        const char *name = taken == NEED_L3        ? "need.L3"
                           : taken == NEED_TRAFFIC ? "need.traffic"
                                                   : "need.pages";
        /* Findings move in memory while others are added. */
        const size_t at = analysis->result->finding_count;
        const unsigned why = FLAG_BIT(has_too_few(&most->y) ? FLAG_TOO_FEW : FLAG_UNSTABLE);
        analysis_add_point(analysis, name, "", most,
                           need_answer(&most->y) == NEED_UNTOLD ? why : 0);
        analysis_read_off(analysis, series);
        if (taken == NEED_L3) {
            const double held = add_amount(analysis, "held", "need.L3.held", taken);
            if (isfinite(held))
                size_format(held, amount);
            else
                strcpy(amount, "some");
        } else if (taken == NEED_TRAFFIC) {
            figure_format(add_amount(analysis, "traffic", "need.traffic.beside", taken) / 1e9, 3,
                          amount);
            strcat(amount, " GB/s");
        }
        line_add(&line, beside[taken], amount);
        add_answer(&line, &most->y);
        if (taken == NEED_TRAFFIC)
            line_add(&line, "; what it moves itself is not known from so little traffic");
        analysis->result->findings[at].text = pool_strdup(analysis->pool, line.text);
    }
}

void need_analyse(struct analysis *analysis)
{
    add_alone(analysis);
    add_taken(analysis);
}

const struct finding_table need_findings = {.lines = finding_lines, .experiment = experiment};
