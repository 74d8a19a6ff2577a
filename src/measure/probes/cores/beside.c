/*
 * Which pairs being measured side by side changed. Those that share a busy path queue, all others
 * do not: so pairs are judged by classes of distance, and in a class by the tails. The two tenths
 * at the ends cancel where both measurements only scatter, and do not where a part of the class
 * takes longer.
 */
#include "measure/probes/cores/cores.h"

#include "base/sort.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

/* Two classes of distance are apart where the next larger latency is more than this factor larger.
 */
static const double class_gap = 1.1;
static const double low_tail = 0.1, high_tail = 0.9;

static int by_beside(const void *a, const void *b)
{
    const struct cores_beside *x = a, *y = b;
    return (x->beside_ns > y->beside_ns) - (x->beside_ns < y->beside_ns);
}

struct cores_worst cores_beside_judge(struct cores_beside *pairs, size_t count, double limit,
                                      struct pool *pool)
{
    struct cores_worst worst = {.change = 0};
    double *changes = pool_alloc(pool, count + 1, sizeof *changes);
    if (count > 1)
        qsort(pairs, count, sizeof *pairs, by_number);
    for (size_t first = 0, end; first < count; first = end) {
        size_t n = 0;
        for (end = first; end < count; end++) {
            if (end > first && pairs[end].alone_ns > class_gap * pairs[end - 1].alone_ns)
                break;
            changes[n++] = 100 * (pairs[end].beside_ns / pairs[end].alone_ns - 1);
        }
        sort_ascending(changes, n);
        /* The change in percent by which a class is judged: its middle's or its tails', whichever
         * is larger. `changes` are ascending. */
        const double middle = median(changes, n);
        const double tails = (quantile(changes, n, low_tail) + quantile(changes, n, high_tail)) / 2;
        const double change = fabs(tails) > fabs(middle) ? tails : middle;
        const bool moved = fabs(change) > limit;
        for (size_t i = first; i < end; i++)
            pairs[i].moved = moved;
        worst.moved_classes += moved;
        worst.classes++;
        if (fabs(change) >= fabs(worst.change))
            worst = (struct cores_worst){change, pairs[first].alone_ns, pairs[end - 1].alone_ns,
                                         worst.classes, worst.moved_classes};
    }
    if (count > 1)
        qsort(pairs, count, sizeof *pairs, by_beside);
    return worst;
}

bool cores_beside_moved(const struct cores_beside *pairs, size_t count, double beside_ns)
{
    size_t low = 0, high = count; /* the first pair that is not below */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pairs[middle].beside_ns < beside_ns)
            low = middle + 1;
        else
            high = middle;
    }
    bool same = false, moved = false;
    for (; low < count && pairs[low].beside_ns <= beside_ns; low++) {
        same = true;
        moved = moved || pairs[low].moved;
    }
    return same ? moved : (low < count && pairs[low].moved) || (low > 0 && pairs[low - 1].moved);
}
