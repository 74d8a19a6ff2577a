#include "findings/comparison/neighbours.h"

#include "findings/finding.h"
#include "findings/registry.h"
#include "findings/verdict.h"

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

/* How many times as late; 0 where that may be chance, or is less than differences are looked for.
 */
static double later_by(const struct estimate *a, const struct estimate *b)
{
    const double ratio = (double)a->median / (double)b->median;
    return ratio >= 1 + differences_threshold && a->low > b->high ? ratio : 0;
}

/* Whether others took a part of that memory's time while it was measured: it answered later than
 * the other, as found or without neighbours, and gave one CPU less by as much at least. Who streams
 * through the memory leaves another CPU a half of it, and answers come a tenth later; who does so
 * through the last cache leaves three quarters and more, and answers come some percent later. A
 * slower memory does as much to both (a core has so many loads under way, Little's law), so beside
 * others that proves nothing. What is not known of both counts as worse, because it can't show that
 * others left the memory alone. */
static bool is_worse(const struct memory *memory, const struct memory *than)
{
    const double later =
        fmax(later_by(&memory->found, &than->found), later_by(&memory->quiet, &than->quiet));
    const double less = memory->quiet_rate / than->quiet_rate;
    if (!(memory->found.median > 0 && than->found.median > 0))
        return !(less > 1 / (1 + differences_threshold));
    return later > 0 && !(less * later >= 1 + differences_threshold);
}

/* Whoever streams beside one CPU takes half of what that gets and next to nothing of what all CPUs
 * get, whose threads have his share as well: what all get moves by as much as what one gets, or at
 * least by half of it, where it is the memory that gives less. */
static const double least_of_all = 0.5;

/* Who streams through the last cache takes a quarter of what one CPU gets, and of what all get. */
static const double taken_at_most = 0.25;

/* Whether what one CPU gets, as found and without neighbours, and what all get moved the same way,
 * and beside others by more than these take. */
static bool rates_agree(const struct memory *a, const struct memory *b, bool busy)
{
    const double one = log(b->quiet_rate / a->quiet_rate),
                 others[] = {log(b->rate / a->rate), log(b->rate_of_all / a->rate_of_all)};
    bool agree = fabs(one) > (busy ? -log1p(-taken_at_most) : log1p(differences_threshold));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        agree = agree && fabs(others[i]) > log1p(differences_threshold) &&
                others[i] / one > least_of_all;
    return agree;
}

/* Who holds this much of a first level all the time is on the same core, on its other hardware
 * thread: three of twelve ways. */
static const double held_by_thread = 0.25;

/* Whether the first level was found that much smaller than it is declared. */
static bool is_squeezed(const struct document *document)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct finding_meaning meaning = finding_meaning(finding);
            if (meaning.role == ROLE_LEVEL && meaning.fact == FACT_CAPACITY &&
                meaning.level == LEVEL_CACHE && meaning.number == 1 && meaning.device < 0 &&
                !finding->deviations && finding->declared > 0)
                return quiet_or(&finding->quiet, finding->value) <
                       (1 - held_by_thread) * finding->declared;
        }
    return false;
}

struct neighbours neighbours_of(const struct document *a, const struct document *b)
{
    const struct memory in_a = memory_of(a), in_b = memory_of(b);
    struct document_verdict of_a, of_b;
    verdict_of(&of_a, a);
    verdict_of(&of_b, b);
    const bool busy[] = {of_a.busy.length > 0, of_b.busy.length > 0};
    return (struct neighbours){
        .busy = {busy[0], busy[1]},
        .crowded = {busy[0] && is_worse(&in_a, &in_b), busy[1] && is_worse(&in_b, &in_a)},
        .squeezed = {is_squeezed(a), is_squeezed(b)},
        .rates_agree = rates_agree(&in_a, &in_b, busy[0] || busy[1])};
}
