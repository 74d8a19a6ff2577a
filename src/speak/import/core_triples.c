/* Latencies one by one: "from,to,ns". */
#include "speak/import/core_table.h"

#include <math.h>

static int largest_id(const struct core_rows *rows)
{
    int largest = 0;
    for (size_t r = 0; r < rows->count; r++)
        for (int which = 0; which < 2; which++) {
            const int id = field_id(&rows->list[r].cells[which]);
            largest = id > largest ? id : largest;
        }
    return largest;
}

/* Numbers the ids that stand there, ascending, from 0 on; index[] has room for the largest. */
static size_t number_ids(const struct core_rows *rows, int *index, int largest)
{
    size_t count = 0;
    for (size_t r = 0; r < rows->count; r++)
        for (int which = 0; which < 2; which++)
            index[field_id(&rows->list[r].cells[which])] = 1;
    for (int id = 0; id <= largest; id++)
        if (index[id])
            index[id] = (int)count++;
    return count;
}

int core_triples_read(struct core_table *table, struct pool *pool, const struct core_rows *rows,
                      const char *file, struct error *error)
{
    const int largest = largest_id(rows);
    int *index = pool_alloc(pool, (size_t)largest + 1, sizeof *index);
    if (!index)
        return error_set(error, ERROR_SYSTEM, "%s: out of memory", file);
    size_t n = number_ids(rows, index, largest);
    int code = core_table_begin(table, pool, n, rows->list[rows->count - 1].line, file, error);
    for (size_t r = 0; r < rows->count && code == 0; r++) {
        const struct core_row *row = &rows->list[r];
        int from = field_id(&row->cells[0]), to = field_id(&row->cells[1]);
        double *cell = &table->latency[(size_t)index[from] * n + (size_t)index[to]], value;
        table->ids[index[from]] = from;
        table->ids[index[to]] = to;
        code = core_cell_latency(&row->cells[2], row, file, &value, error);
        if (code < 0 || from == to || isnan(value))
            continue;
        if (!isnan(*cell))
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu: from %d to %d has had its latency: give each pair one",
                             file, row->line, from, to);
        *cell = value;
    }
    return code;
}
