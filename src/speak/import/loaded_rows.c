#include "speak/import/loaded_rows.h"

#include "stats/knee.h"

#include <math.h>

/* Half of the steps that fathom itself takes: with fewer it finds no knee of its own either. */
enum { KNEE_LEAST = 8 };

void loaded_rows_add(struct loaded_rows *rows, double rate, double ns, bool no_pause)
{
    if (rows->count == LOADED_ROWS_MOST)
        return;
    rows->full = rows->full || (rows->count == 0 && no_pause);
    rows->rate[rows->count] = rate;
    rows->ns[rows->count++] = ns;
}

void loaded_rows_end(struct loaded_rows *rows, struct tables *tables, const struct table_kind *like)
{
    const bool full = rows->count && rows->full;
    const struct {
        const char *finding, *unit;
        double value;
    } findings[] = {
        {"loaded.saturated", "ns", full ? rows->ns[0] : NAN},
        {"loaded.bandwidth", "B/s", full ? rows->rate[0] : NAN},
        {"loaded.knee", "B/s",
         rows->count >= KNEE_LEAST ? knee_of_power(rows->rate, rows->ns, rows->count) : NAN}};
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        struct table_kind kind = *like;
        kind.series = NULL;
        kind.finding = findings[i].finding;
        kind.unit = findings[i].unit;
        if (!isnan(findings[i].value))
            tables_add_value(tables, &kind, findings[i].value);
    }
    rows->count = 0;
    rows->full = false;
}
