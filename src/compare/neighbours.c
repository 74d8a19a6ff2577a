#include "compare/neighbours.h"

#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "conclude/verdict.h"

#include <math.h>

/* Memory's latency in ns and its rate to one CPU, both found and quiet, and its rate to all CPUs.
 * NAN: unknown. */
struct memory {
    struct estimate found, quiet;
    double rate, quiet_rate, rate_of_all;
};

static struct memory memory_of(const struct document *document)
{
    struct memory memory = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, NAN, NAN, NAN};
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct finding_meaning meaning = finding_meaning(finding);
            const double quiet = quiet_or(&finding->quiet, finding->value);
            if (meaning.device >= 0 || finding->deviations || !(finding->value > 0))
                continue;
            if (meaning.role == ROLE_LEVEL && meaning.level == LEVEL_MEMORY &&
                meaning.fact == FACT_LATENCY_NS && isnan((double)memory.found.median)) {
                memory.found = (struct estimate){(float)finding->value, (float)finding->low,
                                                 (float)finding->high};
                memory.quiet = (struct estimate){finding->quiet.value, finding->quiet.low,
                                                 finding->quiet.high};
            }
            if (meaning.role == ROLE_WIDTH && meaning.fact == FACT_ONE && isnan(memory.rate)) {
                memory.rate = finding->value;
                memory.quiet_rate = quiet;
            }
            if (meaning.role == ROLE_WIDTH && meaning.fact == FACT_ALL && isnan(memory.rate_of_all))
                memory.rate_of_all = quiet;
        }
    return memory;
}

/* The ratio of the latencies; 0: it may be chance, or is below the threshold of differences. A
 * value without an interval counts as exact. */
static double later_by(const struct estimate *a, const struct estimate *b)
{
    const double ratio = (double)a->median / (double)b->median;
    return ratio >= 1 + differences_threshold && !(a->low <= b->high) ? ratio : 0;
}

/* The rate to one CPU over that in the other run, the lower of found and quiet: programs that come
 * and go lower only found values, programs that stay lower both. */
static double given(const struct memory *memory, const struct memory *than)
{
    return fmin(memory->rate / than->rate, memory->quiet_rate / than->quiet_rate);
}

/* Whether other programs may have used that memory: the memory's rate to one CPU fell by at least
 * the factor by which its latency rose. A program that streams through memory halves another CPU's
 * rate and raises its latency by a tenth; one that streams through the last cache leaves three
 * quarters or more of the rate and raises latency by a few percent. A slower memory changes both by
 * the same factor (a core has a fixed number of loads in flight, Little's law), so while other
 * programs run that proves nothing. Unknown values give true, because they can't show that other
 * programs left the memory alone. */
static bool is_narrow(const struct memory *memory, const struct memory *than)
{
    const double found = (double)memory->found.median / (double)than->found.median,
                 quiet = (double)memory->quiet.median / (double)than->quiet.median;
    return !(given(memory, than) * fmax(fmax(found, quiet), 1) >= 1 + differences_threshold);
}

/* Whether they did use it: it is narrow, and its found or quiet latency rose beyond chance. */
static bool is_crowded(const struct memory *memory, const struct memory *than)
{
    if (!(memory->found.median > 0 && than->found.median > 0))
        return !(given(memory, than) > 1 / (1 + differences_threshold));
    const double later =
        fmax(later_by(&memory->found, &than->found), later_by(&memory->quiet, &than->quiet));
    return later > 0 && !(given(memory, than) * later >= 1 + differences_threshold);
}

/* A streaming program takes half of one CPU's rate, but hardly any of the rate of all CPUs, whose
 * threads get that program's share as well. If memory itself gives less, the rate of all CPUs
 * changes by at least this share of the change of one CPU's rate. */
static const double least_of_all = 0.5;

/* A program that streams through the last cache takes a quarter of the rate of one CPU, and of all
 * CPUs. */
static const double taken_at_most = 0.25;

/* Whether the rate of one CPU (found and quiet) and that of all CPUs changed in the same direction,
 * by more than other programs can take that were running in the run with less. With a single CPU
 * there is no rate of all. */
static bool rates_agree(const struct memory *a, const struct memory *b, const bool busy[2])
{
    const double one = log(b->quiet_rate / a->quiet_rate), found = log(b->rate / a->rate),
                 all = log(b->rate_of_all / a->rate_of_all), least = log1p(differences_threshold);
    const bool alone = isnan(a->rate_of_all) && isnan(b->rate_of_all),
               taken = busy[one < 0] || alone;
    return fabs(one) > (taken ? -log1p(-taken_at_most) : least) && fabs(found) > least &&
           found / one > least_of_all && (alone || (fabs(all) > least && all / one > least_of_all));
}

/* A program that holds this much of a first level (three of twelve ways) all the time is on the
 * core's other hardware thread. */
static const double held_by_thread = 0.25;

/* The first level's measured capacity over the declared one; NAN: unknown. */
static double first_level(const struct document *document)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct finding_meaning meaning = finding_meaning(finding);
            if (meaning.role == ROLE_LEVEL && meaning.fact == FACT_CAPACITY &&
                meaning.level == LEVEL_CACHE && meaning.number == 1 && meaning.device < 0 &&
                !finding->deviations && finding->declared > 0)
                return quiet_or(&finding->quiet, finding->value) / finding->declared;
        }
    return NAN;
}

/* Whether this run found less than declared and less than the other run. The second condition is
 * needed because a hypervisor may declare another machine's capacity, so that every run finds less.
 */
static bool is_squeezed(double found, double in_other)
{
    const double left = 1 - held_by_thread;
    return found < left && !(found >= left * in_other);
}

/* Whether other programs were running. If the verdict says so from disturbed values alone while the
 * system counted no other program, it may be chance; but a guest's system can't count the host's
 * other guests. */
static bool is_busy(const struct document *document)
{
    struct document_verdict verdict;
    verdict_of(&verdict, document);
    return verdict.busy.length > 0 && (document->machine.hypervisor || !verdict.uncounted);
}

struct neighbours neighbours_of(const struct document *a, const struct document *b)
{
    const struct memory in_a = memory_of(a), in_b = memory_of(b);
    const double first_a = first_level(a), first_b = first_level(b);
    const bool busy[] = {is_busy(a), is_busy(b)};
    const bool crowded[] = {busy[0] && is_crowded(&in_a, &in_b),
                            busy[1] && is_crowded(&in_b, &in_a)};
    return (struct neighbours){
        .busy = {busy[0], busy[1]},
        .narrow = {crowded[0] || (busy[0] && is_narrow(&in_a, &in_b)),
                   crowded[1] || (busy[1] && is_narrow(&in_b, &in_a))},
        .crowded = {crowded[0], crowded[1]},
        .squeezed = {is_squeezed(first_a, first_b), is_squeezed(first_b, first_a)},
        .rates_agree = rates_agree(&in_a, &in_b, busy)};
}
