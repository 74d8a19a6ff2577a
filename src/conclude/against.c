/*
 * What another machine would make of a program, from its answers to pressure on this one and a
 * document of each machine.
 *
 * The program is taken for instructions, which count as loads from the first cache, and for loads
 * from one set of unknown size, as random chases are or memory read in order. Both documents tell
 * how long a loop of such loads takes (predict.h), and so what it would have answered: with a part
 * of the shared cache held it takes the time of a set that is so much larger, and beside traffic
 * its misses take longer as this machine's latency under load does. For each set this leaves some
 * shares of the program's time possible. The band is from the least to the most that one of them
 * makes of the program there, so it is wide where pressure told little.
 */
#include "base/line.h"
#include "base/text.h"
#include "base/units.h"
#include "conclude/need.h"
#include "conclude/predict.h"

#include <math.h>

static const double least_bytes = 16 << 10;
/* A set from which more of the loads go to memory is in memory. */
static const double mostly = 0.8;

struct comparing {
    struct analysis *analysis;
    double held_bytes, memory_ns;
    bool in_memory;               /* the last set was, on both machines */
    struct interval held, beside; /* the program's time, over that alone */
    struct interval longer;       /* a load: beside that traffic at least, beside any at most */
    struct interval instructions; /* their time there over that here */
    struct interval there;        /* the program's */
    double sets[2];               /* of loads, at both ends of it */
};

static struct prediction tell(const struct comparing *c, const struct document *document,
                              double bytes, enum loop_pattern pattern)
{
    const struct loop loop = {
        .bytes = bytes, .pattern = pattern, .chains = 1, .threads = 1, .node = -1};
    struct pool *pool = c->analysis->pool;
    struct prediction made;
    struct error why;
    if (predict(&document, 1, &loop, pool, &made, &why) < 0)
        made.untold = pool_strdup(pool, why.text);
    return made;
}

/* A loop's time there over that here; the documents err each for itself. */
static struct interval ratio(struct interval there, struct interval here)
{
    const double value = there.value / here.value;
    return (struct interval){
        value, value / exp(hypot(log(there.value / there.low), log(here.high / here.value))),
        value * exp(hypot(log(there.high / there.value), log(here.value / here.low)))};
}

/* The program may spend from one share of its time to another in loads from that set. */
static void allow(struct comparing *c, double bytes, struct interval times, const double shares[2])
{
    const struct interval *rest = &c->instructions;
    for (int i = 0; i < 2 && shares[0] <= shares[1] && isfinite(times.value); i++) {
        const double low = rest->low + shares[i] * (times.low - rest->low),
                     high = rest->high + shares[i] * (times.high - rest->high);
        c->sets[0] = low >= c->there.low ? c->sets[0] : bytes;
        c->sets[1] = high <= c->there.high ? c->sets[1] : bytes;
        c->there.low = fmin(c->there.low, low);
        c->there.high = fmax(c->there.high, high);
    }
}

/* False: the documents don't tell loads from such a set. It loses what is not in the core's own
 * caches. The traffic may take the shared cache, too, and meet the program's own. What is read in
 * order waits for as many misses at once as before; it is told well where half of the set is in
 * memory, too. */
static bool consider(struct comparing *c, double bytes)
{
    const struct document *here = c->analysis->here, *there = c->analysis->there;
    const struct prediction loads = tell(c, here, bytes, LOOP_RANDOM),
                            far = tell(c, there, bytes, LOOP_RANDOM),
                            larger = tell(c, here, bytes + c->held_bytes, LOOP_RANDOM);
    const char *untold = loads.untold ? loads.untold : far.untold;
    if (untold && !c->in_memory)
        pool_leave(c->analysis->pool, ERROR_IMPOSSIBLE, "%s: %s",
                   text_or_unknown((loads.untold ? here : there)->file), untold);
    const double outside = fmax(0, 1 - own_cache_bytes(&here->machine) / bytes),
                 misses = fmax(1, c->memory_ns / loads.ns.value),
                 held = outside * fmax(0, larger.ns.value / loads.ns.value - 1),
                 least = loads.memory * misses * (c->longer.low - 1),
                 most = outside > 0 ? c->longer.high * misses - 1 : 0,
                 shares[] = {
                     fmax(0, (c->beside.low - 1) / most),
                     fmin(1, fmin((c->held.high - 1) / held, (c->beside.high - 1) / least))};
    allow(c, bytes, ratio(far.ns, loads.ns), shares);
    if (c->in_memory)
        allow(c, bytes,
              ratio(tell(c, there, bytes, LOOP_SEQUENTIAL).ns,
                    tell(c, here, bytes, LOOP_SEQUENTIAL).ns),
              shares);
    c->in_memory = fmin(loads.memory, far.memory) > mostly;
    return !untold;
}

/* The program's time with that taken away, over that alone; without an answer it may be any. */
static struct interval answered(const struct analysis *analysis, const char *name)
{
    const struct finding *finding = probe_finding(analysis->result, name);
    if (!finding || !isfinite(finding->low))
        return (struct interval){NAN, 0, INFINITY};
    return (struct interval){finding->value, finding->low, fmax(1, finding->high)};
}

void need_against(struct analysis *analysis)
{
    const struct document *here = analysis->here;
    const struct finding *memory = document_finding(here, "DRAM.latency_ns");
    const struct series *loaded =
        probe_series(document_probe(here, "loaded"), "loaded", "shows", "latency by bandwidth");
    if (!memory || !loaded)
        pool_leave(analysis->pool, ERROR_IMPOSSIBLE, "%s: no latency of memory: fathom %s",
                   text_or_unknown(here->file), memory ? "loaded" : "latency");
    const double idle = predict_curve(loaded, 0),
                 traffic = probe_value(analysis->result, "need.traffic.beside"),
                 least = fmax(1, predict_curve(loaded, traffic) / idle);
    struct comparing c = {
        .analysis = analysis,
        .held_bytes = probe_value(analysis->result, "need.L3.held"),
        .memory_ns = memory->value,
        .held = answered(analysis, "need.L3"),
        .beside = answered(analysis, "need.traffic"),
        .longer = {NAN, least, fmax(least, predict_curve(loaded, INFINITY) / idle)},
        .there = {NAN, NAN, NAN}};
    c.instructions = ratio(tell(&c, analysis->there, least_bytes, LOOP_RANDOM).ns,
                           tell(&c, here, least_bytes, LOOP_RANDOM).ns);
    for (double bytes = least_bytes; consider(&c, bytes);)
        bytes *= 2;
    c.there.value = sqrt(c.there.low * c.there.high);
    const bool told = isfinite(c.there.value);
    struct line line = {0};
    line_add_between(&line, "on ", text_or_unknown(analysis->there->machine.cpu_model),
                     told ? ": " : ": can't tell: no set of loads answers so");
    if (told)
        line_add(&line,
                 "%.2g to %.2g times as long: least if its loads are from %s, most if from %s",
                 c.there.low, c.there.high, size_text(analysis->pool, c.sets[0]),
                 size_text(analysis->pool, c.sets[1]));
    analysis_add_value(analysis, "need.against", "", c.there, 0)->text =
        pool_strdup(analysis->pool, line.text);
    analysis_read_off(analysis, NULL);
}
