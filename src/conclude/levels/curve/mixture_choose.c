#include "conclude/levels/curve/mixture.h"

#include "conclude/levels/curve/plateaus.h"

#include <math.h>
#include <stdbool.h>

/* A level that plateaus show is removed if the loss grows by less than this factor without it. */
static const double needless_below = 1.3;
/* A level that no plateau shows is added only if the curve needs it: without it the loss exceeds
 * that of noise by the first factor, and with it less than the second share of the loss remains. */
static const double unfit_above = 1.5, parted_below = 0.4;
/* Two knees nearer than this factor are one knee of an unknown shape. */
static const double apart = 1.6;

struct choice {
    const struct miss_shares *shares;
    const struct mixture_sample *samples;
    size_t n;
};

static int try_fit(const struct choice *choice, struct mixture *mixture)
{
    return mixture_fit(mixture, choice->shares, choice->samples, choice->n, MIXTURE_ROUGH);
}

/* One knee in place of `knee` and the next. */
static struct mixture joined(const struct mixture *mixture, size_t knee)
{
    struct mixture fewer = *mixture;
    fewer.knees[knee].most = mixture->knees[knee + 1].most;
    for (size_t k = knee + 1; k + 1 < mixture->count; k++)
        fewer.knees[k] = mixture->knees[k + 1];
    fewer.count--;
    return fewer;
}

/* Two knees in place of one, on both sides of a size. */
static struct mixture parted(const struct mixture *mixture, size_t knee, double at)
{
    struct mixture more = *mixture;
    for (size_t k = mixture->count; k > knee; k--)
        more.knees[k] = mixture->knees[k - 1];
    more.knees[knee].most = more.knees[knee + 1].least = at;
    more.count++;
    return more;
}

/* Whether all levels differ in latency, have capacities apart, and serve most of the loads at some
 * measured size. */
static bool sound(const struct choice *choice, const struct mixture *mixture)
{
    if (!isfinite(mixture->cost))
        return false;
    for (size_t k = 0; k <= mixture->count; k++) {
        double most = 0;
        for (size_t i = 0; i < choice->n; i++)
            most = fmax(most, mixture_share(mixture, choice->shares, k, choice->samples[i].bytes));
        bool distinct =
            k == 0 || mixture_level(mixture, k) > plateau_step * mixture_level(mixture, k - 1);
        bool far =
            k + 1 >= mixture->count || mixture->knees[k + 1].best >= apart * mixture->knees[k].best;
        if (most < 0.5 || !distinct || !far)
            return false;
    }
    return true;
}

/* Removes the level that is needed least; returns 1 if there was one to remove. */
static int take_away(const struct choice *choice, struct mixture *mixture)
{
    struct mixture best = {.cost = INFINITY};
    for (size_t k = 0; k + 1 < mixture->count; k++) {
        struct mixture fewer = joined(mixture, k);
        int code = try_fit(choice, &fewer);
        if (code < 0)
            return code;
        if (fewer.cost < best.cost || !isfinite(best.cost))
            best = fewer;
    }
    bool needless = mixture->count > 1 &&
                    (!isfinite(mixture->cost) || best.cost < needless_below * mixture->cost);
    if (needless)
        *mixture = best;
    return needless;
}

/* Splits the knee that gains most by it; returns 1 if there was one to split. */
static int part(const struct choice *choice, struct mixture *mixture)
{
    struct mixture best = *mixture;
    if (mixture->count == KNEES_MOST || mixture->cost < unfit_above * (double)choice->n)
        return 0;
    for (size_t k = 0; k < mixture->count; k++) {
        const double least = mixture->knees[k].least, most = mixture->knees[k].most;
        for (int cut = 1; cut <= 3; cut++) {
            struct mixture more = parted(mixture, k, least * pow(most / least, cut / 4.0));
            int code = try_fit(choice, &more);
            if (code < 0)
                return code;
            if (more.cost < best.cost && sound(choice, &more))
                best = more;
        }
    }
    bool gained = best.cost < parted_below * mixture->cost;
    if (gained)
        *mixture = best;
    return gained;
}

int mixture_choose(struct mixture *mixture, const struct miss_shares *shares,
                   const struct mixture_sample *samples, size_t n)
{
    const struct choice choice = {shares, samples, n};
    int code = try_fit(&choice, mixture);
    for (int more = code == 0; more == 1;)
        code = more = take_away(&choice, mixture);
    struct mixture seen = *mixture;
    for (int more = code == 0; more == 1;)
        code = more = part(&choice, mixture);
    if (code == 0)
        code = mixture_fit(mixture, shares, samples, n, MIXTURE_THOROUGH);
    /* A level that only the rough fit needed is none. */
    if (code == 0 && mixture->count > seen.count && !sound(&choice, mixture)) {
        *mixture = seen;
        code = mixture_fit(mixture, shares, samples, n, MIXTURE_THOROUGH);
    }
    return code;
}
