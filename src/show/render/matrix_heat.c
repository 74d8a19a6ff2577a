/*
 * A matrix as a map of values, with half blocks that show two rows of pairs per line; without
 * colours or block characters, as a map of shades. If the pairs don't fit the width, each cell is a
 * tile of several pairs.
 */
#include "base/clean.h"
#include "show/render/parts.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

/* From the least to the greatest value; a blank means no value. */
static const char shades[] = ".:-=+*#%@";
enum { SHADES = sizeof shades - 1, MARGIN = 2, LEGEND_COLUMNS = 24, LEGEND_MIN = 4 };

struct map {
    const struct square *square;
    const struct values *values;
    size_t tile_rows, tile_columns; /* pairs in a tile */
    size_t rows, columns;           /* tiles */
    int name, repeat;               /* widths of a row's name and of a tile */
    bool halves;
    double *room; /* for the values of a tile */
};

static int id_columns(const int *ids, size_t count)
{
    int widest = 1;
    for (size_t i = 0; i < count; i++) {
        const int columns = snprintf(NULL, 0, "%d", ids[i]);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static size_t tiles(size_t count, size_t each)
{
    return (count + each - 1) / each;
}

static void frame(struct map *map, const struct text_style *style, struct pool *pool)
{
    const struct square *square = map->square;
    map->halves = style->blocks && style->colour;
    map->name = id_columns(square->rows, square->row_count) + MARGIN;
    const size_t room = (size_t)(style->width - map->name - 1);
    map->tile_columns = tiles(square->column_count, room);
    map->tile_rows = tiles(square->row_count, room);
    map->rows = tiles(square->row_count, map->tile_rows);
    map->columns = tiles(square->column_count, map->tile_columns);
    /* A character is twice as high as it is wide. */
    map->repeat = !map->halves && map->columns * 2 <= room ? 2 : 1;
    map->room = pool_alloc(pool, map->tile_rows * map->tile_columns, sizeof *map->room);
}

/* The median of a tile's pairs; NAN: none has a value. *missing: at least one pair could not be
 * measured. */
static double tile_value(const struct map *map, size_t row, size_t column, bool *missing)
{
    const struct square *square = map->square;
    size_t count = 0;
    *missing = false;
    for (size_t r = row * map->tile_rows; r < (row + 1) * map->tile_rows; r++)
        for (size_t c = column * map->tile_columns; c < (column + 1) * map->tile_columns; c++) {
            if (r >= square->row_count || c >= square->column_count)
                continue;
            const struct pair_cell *cell = &square->cells[r * square->column_count + c];
            if (cell->kind == PAIR_VALUE)
                map->room[count++] = (double)cell->value;
            *missing = *missing || cell->kind == PAIR_MISSING;
        }
    if (!count)
        return NAN;
    sort_ascending(map->room, count);
    return median(map->room, count);
}

static double share_of(const struct map *map, double value)
{
    return square_share(value, map->values->least, map->values->most);
}

static double tile_share(const struct map *map, size_t row, size_t column)
{
    bool missing;
    const double value = row < map->rows ? tile_value(map, row, column, &missing) : NAN;
    return isnan(value) ? NAN : share_of(map, value);
}

static char shade(double share)
{
    const int step = !(share > 0) ? 0 : share >= 1 ? SHADES - 1 : (int)(share * (double)SHADES);
    return shades[step];
}

static void print_shades(FILE *out, const struct map *map, size_t row)
{
    int blanks = 0;
    for (size_t c = 0; c < map->columns; c++) {
        bool missing;
        const double value = tile_value(map, row, c, &missing);
        const char mark = isnan(value) ? 'x' : shade(share_of(map, value));
        if (isnan(value) && !missing) {
            blanks += map->repeat;
            continue;
        }
        fprintf(out, "%*s", blanks, "");
        blanks = 0;
        for (int i = 0; i < map->repeat; i++)
            fputc(mark, out);
    }
}

static void print_rows(FILE *out, const struct map *map, const struct text_style *style)
{
    for (size_t row = 0; row < map->rows; row += 1 + map->halves) {
        fprintf(out, "%s%*d%s ", ink(style, INK_DIM), map->name,
                map->square->rows[row * map->tile_rows], ink(style, INK_PLAIN));
        for (size_t c = 0; c < map->columns && map->halves; c++)
            ink_halves(out, style, tile_share(map, row, c), tile_share(map, row + 1, c));
        if (!map->halves)
            print_shades(out, map, row);
        fputc('\n', out);
    }
}

/* "  20.0 .:-=+*#%@ 147 ns": the scale from the least to the greatest value. */
static void print_legend(FILE *out, const struct map *map, const struct text_style *style)
{
    const struct scale scale = map->values->scale;
    char low[UNIT_TEXT], high[UNIT_TEXT];
    const double reach = fmin(1, share_of(map, map->values->most));
    figure_plain(map->values->least / scale.divisor, low);
    figure_plain(map->values->most / scale.divisor, high);
    const size_t used = MARGIN + strlen(low) + strlen(high) + clean_columns(map->values->unit) + 3;
    const size_t room = (size_t)style->width > used ? (size_t)style->width - used : 0;
    const size_t most = map->halves ? LEGEND_COLUMNS : SHADES;
    const size_t columns = room < LEGEND_MIN ? LEGEND_MIN : room < most ? room : most;
    fprintf(out, "%*s%s ", MARGIN, "", low);
    for (size_t i = 0; i < columns; i++) {
        const double share = (double)i / (double)(columns - 1) * reach;
        if (map->halves)
            ink_halves(out, style, share, share);
        else
            fputc(shade(share), out);
    }
    fprintf(out, " %s %s\n", high, map->values->unit);
}

void square_print_heat(FILE *out, const struct square *square, const struct values *values,
                       const struct text_style *style, struct pool *pool)
{
    struct map map = {.square = square, .values = values};
    frame(&map, style, pool);
    /* The ids of columns, as many as fit. */
    const int *ids = map.square->columns;
    const int width = id_columns(ids, map.square->column_count) + 1;
    const int end = map.name + 1 + (int)map.columns * map.repeat;
    int at = map.name + 1;
    fprintf(out, "%s%*s", ink(style, INK_DIM), at, "");
    for (size_t c = 0; c < map.columns; c++) {
        const int begin = map.name + 1 + (int)c * map.repeat;
        /* In steps of a power of two, because the numbers of CPUs usually are. */
        size_t step = 1;
        while (step * (size_t)map.repeat < (size_t)width)
            step *= 2;
        if (c % step != 0 || begin + width - 1 > end)
            continue;
        fprintf(out, "%*s", begin - at, "");
        at = begin + fprintf(out, "%d", ids[c * map.tile_columns]);
    }
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
    print_rows(out, &map, style);
    print_legend(out, &map, style);
    if (map.tile_rows * map.tile_columns > 1) {
        struct line line = {0};
        line_add(&line, "Each place is the median of %zu by %zu pairs.", map.tile_rows,
                 map.tile_columns);
        fputs("  ", out);
        text_print_wrapped(out, style, 2, line.text);
    }
}
