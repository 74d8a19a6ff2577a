#include "compare/neighbours.h"

#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "conclude/verdict.h"

#include <math.h>

/* What the memory does: how late it answers, in ns, and what it gives one CPU, both as found and
 * without neighbours, and what it gives all. NAN: unknown. */
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

/* How many times as late; 0 where that may be chance, or is less than differences are looked for. A
 * value without an interval counts as it is. */
static double later_by(const struct estimate *a, const struct estimate *b)
{
    const double ratio = (double)a->median / (double)b->median;
    return ratio >= 1 + differences_threshold && !(a->low <= b->high) ? ratio : 0;
}

/* What memory gave one CPU, of what it gave in the other run: who came and went spoiled some of
 * what was read, who stayed all of it. */
static double given(const struct memory *memory, const struct memory *than)
{
    return fmin(memory->rate / than->rate, memory->quiet_rate / than->quiet_rate);
}

/* Whether others may have taken that memory's time: it gave one CPU less by as much at least as it
 * answered later. Who streams through the memory leaves another CPU a half of it, and answers come
 * a tenth later; who does so through the last cache leaves three quarters and more, and answers
 * come some percent later. A slower memory does as much to both (a core has so many loads under
 * way, Little's law), so beside others that proves nothing. What is not known of both counts,
 * because it can't show that others left the memory alone. */
static bool is_narrow(const struct memory *memory, const struct memory *than)
{
    const double found = (double)memory->found.median / (double)than->found.median,
                 quiet = (double)memory->quiet.median / (double)than->quiet.median;
    return !(given(memory, than) * fmax(fmax(found, quiet), 1) >= 1 + differences_threshold);
}

/* Whether they did: it is narrow and answered later beyond chance, as found or without neighbours.
 */
static bool is_crowded(const struct memory *memory, const struct memory *than)
{
    if (!(memory->found.median > 0 && than->found.median > 0))
        return !(given(memory, than) > 1 / (1 + differences_threshold));
    const double later =
        fmax(later_by(&memory->found, &than->found), later_by(&memory->quiet, &than->quiet));
    return later > 0 && !(given(memory, than) * later >= 1 + differences_threshold);
}

/* Whoever streams beside one CPU takes half of what that gets and next to nothing of what all CPUs
 * get, whose threads have his share as well: what all get moves by as much as what one gets, or at
 * least by half of it, where it is the memory that gives less. */
static const double least_of_all = 0.5;

/* Who streams through the last cache takes a quarter of what one CPU gets, and of what all get. */
static const double taken_at_most = 0.25;

/* Whether what one CPU gets, as found and without neighbours, and what all get moved the same way,
 * and by more than those take who were at work in the run that got less. Of one CPU alone there is
 * nothing that all get. */
static bool rates_agree(const struct memory *a, const struct memory *b, const bool busy[2])
{
    const double one = log(b->quiet_rate / a->quiet_rate), found = log(b->rate / a->rate),
                 all = log(b->rate_of_all / a->rate_of_all), least = log1p(differences_threshold);
    const bool alone = isnan(a->rate_of_all) && isnan(b->rate_of_all),
               taken = busy[one < 0] || alone;
    return fabs(one) > (taken ? -log1p(-taken_at_most) : least) && fabs(found) > least &&
           found / one > least_of_all && (alone || (fabs(all) > least && all / one > least_of_all));
}

/* Who holds this much of a first level all the time is on the same core, on its other hardware
 * thread: three of twelve ways. */
static const double held_by_thread = 0.25;

/* What was found of the first level, over what is declared; NAN unknown. */
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

/* Less than is declared, and less than the other run found: that much of it is missing in every
 * run where a hypervisor declares another machine's. */
static bool is_squeezed(double found, double in_other)
{
    const double left = 1 - held_by_thread;
    return found < left && !(found >= left * in_other);
}

/* Whether others were at work. What the verdict read off disturbed values alone may be this
 * program's own bad luck where the system counted nobody; who shares a guest's host it can't see.
 */
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
