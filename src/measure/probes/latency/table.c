#include "measure/probes/latency/table.h"

enum { WORD = 8, TRIALS_MIN = 3 };

/* Packed elements share lines, padded ones do not. */
static const struct row {
    const char *name;
    enum address address;
    bool packed, modify;
    size_t offset;
} rows[] = {
    {"index-checked packed", ADDRESS_INDEX_CHECKED, true, false, 0},
    {"index-checked padded", ADDRESS_INDEX_CHECKED, false, false, 0},
    {"index packed", ADDRESS_INDEX, true, false, 0},
    {"index padded", ADDRESS_INDEX, false, false, 0},
    {"pointer packed", ADDRESS_POINTER, true, false, 0},
    {"pointer padded", ADDRESS_POINTER, false, false, 0},
    /* Every line's last element lies across its end. */
    {"pointer packed align 4", ADDRESS_POINTER, true, false, 4},
    {"spilled packed", ADDRESS_SPILLED, true, false, 0},
    {"spilled padded", ADDRESS_SPILLED, false, false, 0},
    {"modify padded", ADDRESS_POINTER, false, true, 0},
};

int latency_table_check(const struct probe_task *task, struct error *error)
{
    static const char *const own[] = {"address", "element", "stride", "align",  "access",
                                      "order",   "size",    "count",  "threads"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (settings_given(task->settings, own[i]))
            return error_set(
                error, ERROR_USAGE,
                "--table goes through all variants at sizes of its own: leave out --%s", own[i]);
    return 0;
}

static const char *name_of(const struct row *row, const char *pages, struct pool *pool)
{
    return pool_printf(pool, "%s, pages %s", row->name, pages);
}

int latency_table_plan(struct probe_task *task, struct chases *chases, const struct seat *seat,
                       const struct chase_level *levels, size_t level_count, const char *pages,
                       struct error *error)
{
    task->plan.trials_min = TRIALS_MIN;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct chase_kind kind = {.address = row->address,
                                  .modify = row->modify,
                                  .stride = row->packed ? WORD : chases->line_bytes,
                                  .order = RING_RANDOM,
                                  .offset = row->offset};
        if (chase_kind_check(&kind, NULL) < 0)
            continue; /* no such loop here */
        const char *name = name_of(row, pages, task->pool);
        int series = chases_add_series(chases, task, name, &kind, pages, error);
        for (size_t n = 0; n < level_count && series >= 0; n++) {
            int code = chases_add_point(chases, task, series, (double)levels[n].bytes,
                                        levels[n].bytes, seat, error);
            series = code < 0 ? code : series;
        }
        if (series < 0)
            return series;
    }
    return 0;
}
