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

static int add(struct tables *tables, const struct table_kind *like, const char *finding,
               const char *unit, double value)
{
    struct table_kind kind = *like;
    kind.series = NULL;
    kind.finding = finding;
    kind.unit = unit;
    return isnan(value) ? 0 : tables_add_value(tables, &kind, value);
}

int loaded_rows_end(struct loaded_rows *rows, struct tables *tables, const struct table_kind *kind)
{
    int code = 0;
    if (rows->count && rows->full)
        code = add(tables, kind, "loaded.saturated", "ns", rows->ns[0]);
    if (code == 0 && rows->count && rows->full)
        code = add(tables, kind, "loaded.bandwidth", "B/s", rows->rate[0]);
    if (code == 0 && rows->count >= KNEE_LEAST)
        code = add(tables, kind, "loaded.knee", "B/s",
                   knee_of_power(rows->rate, rows->ns, rows->count));
    rows->count = 0;
    rows->full = false;
    return code;
}
