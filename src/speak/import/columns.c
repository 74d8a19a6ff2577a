#include "speak/import/columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_BYTES = 24 };

const char *const statistic_names[] = {
    [STATISTIC_MEDIAN] = "median", [STATISTIC_NONE] = NULL,      [STATISTIC_MEAN] = "mean",
    [STATISTIC_MIN] = "best",      [STATISTIC_MAX] = "greatest",
};

/* Units of time in ns, and of cycles; what is named so is a latency. */
static const struct {
    const char *word;
    enum column_holds holds;
    double unit;
} units[] = {
    {"ns", COLUMN_TIME, 1},
    {"nsec", COLUMN_TIME, 1},
    {"nsecs", COLUMN_TIME, 1},
    {"nanos", COLUMN_TIME, 1},
    {"nanosecond", COLUMN_TIME, 1},
    {"nanoseconds", COLUMN_TIME, 1},
    {"us", COLUMN_TIME, 1e3},
    {"usec", COLUMN_TIME, 1e3},
    {"usecs", COLUMN_TIME, 1e3},
    {"\xc2\xb5s", COLUMN_TIME, 1e3},
    {"\xce\xbcs", COLUMN_TIME, 1e3},
    {"microseconds", COLUMN_TIME, 1e3},
    {"ms", COLUMN_TIME, 1e6},
    {"msec", COLUMN_TIME, 1e6},
    {"milliseconds", COLUMN_TIME, 1e6},
    {"s", COLUMN_TIME, 1e9},
    {"sec", COLUMN_TIME, 1e9},
    {"seconds", COLUMN_TIME, 1e9},
    {"ps", COLUMN_TIME, 1e-3},
    {"psec", COLUMN_TIME, 1e-3},
    {"picoseconds", COLUMN_TIME, 1e-3},
    {"cycle", COLUMN_CYCLES, 1},
    {"cycles", COLUMN_CYCLES, 1},
    {"cyc", COLUMN_CYCLES, 1},
    {"clk", COLUMN_CYCLES, 1},
    {"clks", COLUMN_CYCLES, 1},
    {"clocks", COLUMN_CYCLES, 1},
    {"cpi", COLUMN_CYCLES, 1},
};

/* Other words, of which the first that stands in a name decides. */
static const struct {
    const char *word;
    enum column_holds holds;
} words[] = {
    {"std", COLUMN_OTHER},        {"stddev", COLUMN_OTHER},   {"stdev", COLUMN_OTHER},
    {"sd", COLUMN_OTHER},         {"dev", COLUMN_OTHER},      {"deviation", COLUMN_OTHER},
    {"err", COLUMN_OTHER},        {"error", COLUMN_OTHER},    {"sem", COLUMN_OTHER},
    {"var", COLUMN_OTHER},        {"variance", COLUMN_OTHER}, {"cv", COLUMN_OTHER},
    {"ci", COLUMN_OTHER},         {"iqr", COLUMN_OTHER},      {"jitter", COLUMN_OTHER},
    {"iterations", COLUMN_OTHER}, {"iters", COLUMN_OTHER},    {"iter", COLUMN_OTHER},
    {"loops", COLUMN_OTHER},      {"samples", COLUMN_OTHER},  {"count", COLUMN_OTHER},
    {"label", COLUMN_OTHER},      {"elapsed", COLUMN_OTHER},  {"total", COLUMN_OTHER},
    {"overhead", COLUMN_OTHER},   {"stride", COLUMN_STRIDE},  {"threads", COLUMN_THREADS},
    {"nthreads", COLUMN_THREADS}, {"from", COLUMN_FROM},      {"src", COLUMN_FROM},
    {"source", COLUMN_FROM},      {"writer", COLUMN_FROM},    {"to", COLUMN_TO},
    {"dst", COLUMN_TO},           {"dest", COLUMN_TO},        {"reader", COLUMN_TO},
    {"size", COLUMN_SIZE},        {"sizes", COLUMN_SIZE},     {"wss", COLUMN_SIZE},
    {"workingset", COLUMN_SIZE},  {"working", COLUMN_SIZE},   {"buffer", COLUMN_SIZE},
    {"region", COLUMN_SIZE},      {"footprint", COLUMN_SIZE}, {"array", COLUMN_SIZE},
    {"range", COLUMN_SIZE},       {"memory", COLUMN_SIZE},    {"datasize", COLUMN_SIZE},
    {"bandwidth", COLUMN_RATE},   {"bw", COLUMN_RATE},        {"throughput", COLUMN_RATE},
    {"time", COLUMN_TIME},
};
static const char *const latency_words[] = {"latency", "latencies", "lat",    "latencia",
                                            "latenz",  "load",      "access", "chase"};
static const struct {
    const char *word;
    enum column_statistic statistic;
} statistics[] = {
    {"median", STATISTIC_MEDIAN}, {"med", STATISTIC_MEDIAN},   {"mean", STATISTIC_MEAN},
    {"avg", STATISTIC_MEAN},      {"average", STATISTIC_MEAN}, {"min", STATISTIC_MIN},
    {"minimum", STATISTIC_MIN},   {"best", STATISTIC_MIN},     {"fastest", STATISTIC_MIN},
    {"max", STATISTIC_MAX},       {"maximum", STATISTIC_MAX},  {"worst", STATISTIC_MAX},
};

/* A unit of size in bytes: "kb", "kib", "kbytes", "kilobytes"; 0 for none. */
static double size_unit(const char *word)
{
    static const char *const prefixes[] = {"",     "k",    "ki", "kilo", "kibi", "m",   "mi",
                                           "mega", "mebi", "g",  "gi",   "giga", "gibi"};
    static const char *const ends[] = {"b", "byte", "bytes"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
            const size_t length = strlen(prefixes[i]);
            if (strncasecmp(word, prefixes[i], length) == 0 && !strcasecmp(word + length, ends[e]))
                return exp2(10 * (double)((i + 3) / 4));
        }
    return 0;
}

static void take_word(struct column *column, const char *word, bool rate)
{
    const double size = size_unit(word);
    if (size > 0) {
        /* Before "/s" prefixes are those of 10, unless they are written as "Gi". */
        const double ten[] = {1, 1e3, 1e6, 1e9};
        const bool binary = strlen(word) > 1 && tolower((unsigned char)word[1]) == 'i' &&
                            tolower((unsigned char)word[2]) != 'l';
        column->holds = rate ? COLUMN_RATE : COLUMN_SIZE;
        column->unit = rate && !binary ? ten[(int)(log2(size) / 10)] : size;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(word, units[i].word) == 0 && !rate) {
            column->holds = column->holds == COLUMN_OTHER ? COLUMN_OTHER : units[i].holds;
            column->unit = units[i].unit;
        }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i].word) == 0 &&
            (!column->holds || words[i].holds == COLUMN_OTHER || words[i].holds == COLUMN_RATE))
            column->holds = words[i].holds;
    for (size_t i = 0; i < sizeof latency_words / sizeof *latency_words; i++)
        column->latency = column->latency || strcasecmp(word, latency_words[i]) == 0;
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (strcasecmp(word, statistics[i].word) == 0)
            column->statistic = statistics[i].statistic;
    if (strcasecmp(word, "gbps") == 0 || strcasecmp(word, "mbps") == 0) {
        column->holds = COLUMN_RATE;
        column->unit = tolower((unsigned char)*word) == 'g' ? 1e9 : 1e6;
    }
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Takes all words of a text: runs of letters, which a capital behind a small letter begins anew
 * where what stands before is a word ("SizeKB"). */
static struct column words_of(const char *text, size_t length)
{
    struct column column = {.statistic = STATISTIC_NONE};
    for (size_t at = 0; at < length;) {
        char word[WORD_BYTES];
        size_t n = 0;
        while (at < length && !is_letter(text[at]))
            at++;
        while (
            at < length && is_letter(text[at]) &&
            !(n > 2 && isupper((unsigned char)text[at]) && islower((unsigned char)text[at - 1]))) {
            if (n + 1 < sizeof word)
                word[n++] = text[at];
            at++;
        }
        word[n] = '\0';
        const bool rate = at + 1 < length && text[at] == '/' && text[at + 1] == 's';
        if (n)
            take_word(&column, word, rate);
        if (rate)
            while (at < length && text[at] != ' ' && text[at] != ')')
                at++;
    }
    return column;
}

struct column column_named(const struct field *name)
{
    struct column column = words_of(name->text, name->length);
    if (!column.holds && (column.latency || column.statistic != STATISTIC_NONE))
        column.holds = COLUMN_TIME;
    if (column.holds == COLUMN_SIZE && column.latency && column.unit == 0)
        column.holds = COLUMN_TIME;
    /* What the tool MemoryLatency (Chips and Cheese) calls so is in KiB. */
    if (column.holds == COLUMN_SIZE && column.unit == 0 && name->length == 6 &&
        strncasecmp(name->text, "region", 6) == 0)
        column.unit = 0x1p10;
    return column;
}

struct column column_in_words(const char *text, size_t length)
{
    struct column column = {.statistic = STATISTIC_NONE};
    for (size_t at = 0; at < length; at++) {
        size_t n = 0;
        while (at + n < length && is_letter(text[at + n]))
            n++;
        for (size_t i = 0; i < sizeof units / sizeof *units && n > 1; i++)
            if (strlen(units[i].word) == n && strncasecmp(units[i].word, text + at, n) == 0)
                column = (struct column){units[i].holds, units[i].unit, STATISTIC_NONE, true};
        at += n;
    }
    return column;
}

size_t columns_cut(struct rows *rows)
{
    size_t kept = 0;
    if (rows_split(rows) < 3 || rows_separator(rows))
        return rows->count;
    for (size_t i = 0; i < rows->count; i++) {
        const struct field *field = &rows->fields[i];
        struct field *before = kept ? &rows->fields[kept - 1] : NULL;
        if (before && strchr("([", *field->text))
            *before =
                (struct field){before->text, (size_t)(field->text + field->length - before->text),
                               before->column, field->end};
        else
            rows->fields[kept++] = *field;
    }
    return rows->count = kept;
}

bool columns_are_names(const struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (field_begins_number(&rows->fields[i]))
            return false;
    return rows->count >= 2;
}

void column_unread(struct import_text *text, const struct field *name)
{
    const size_t used = strlen(text->columns);
    if (used + name->length + 3 < sizeof text->columns)
        snprintf(text->columns + used, sizeof text->columns - used, "%s%.*s", used ? ", " : "",
                 (int)name->length, name->text);
}
