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

/* What the words of a column's name say; the unit is in ns, cycles or B/s (0: none). If a name has
 * several words, a later entry of this table overrides an earlier one. */
static const struct {
    const char *words;
    enum column_holds holds;
    double unit;
} known[] = {
#include "columns.texts.h"
};
static const struct {
    const char *words;
    enum column_statistic statistic;
} statistics[] = {
    {"median med", STATISTIC_MEDIAN},
    {"mean avg average", STATISTIC_MEAN},
    {"min minimum best fastest", STATISTIC_MIN},
    {"max maximum worst", STATISTIC_MAX},
};

/* Whether the word, in either case, is in the list. */
static bool is_one_of(const char *word, const char *words)
{
    const size_t length = strlen(word);
    for (; *words; words += strspn(words, " ")) {
        const size_t one = strcspn(words, " ");
        if (one == length && strncasecmp(word, words, length) == 0)
            return true;
        words += one;
    }
    return false;
}

/* The bytes of a unit of size: "kb", "kib", "kbytes", "kilobytes"; 0 if it is none. */
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
    /* A single letter names no unit of its own: "cpu_b" and "core_s". */
    const bool letter = strlen(word) == 1 && column->rank > 0 && !rate &&
                        (column->holds == COLUMN_CPU || column->holds == COLUMN_FROM ||
                         column->holds == COLUMN_TO || column->holds == COLUMN_THREADS);
    const double size = letter ? 0 : size_unit(word);
    size_t rank = column->rank;
    if (size > 0) {
        /* Before "/s" prefixes are decimal, unless written as "Gi". */
        const double ten[] = {1, 1e3, 1e6, 1e9};
        const bool binary =
            tolower((unsigned char)word[1]) == 'i' && tolower((unsigned char)word[2]) != 'l';
        const enum column_holds holds = rate ? COLUMN_RATE : COLUMN_SIZE;
        size_t place = 0;
        while (known[place].holds != holds)
            place++;
        column->unit = rate && !binary ? ten[(int)(log2(size) / 10)] : size;
        if (place + 1 > rank) {
            column->holds = holds;
            column->rank = place + 1;
        }
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known && !letter; i++) {
        if (!is_one_of(word, known[i].words) || (rate && known[i].holds == COLUMN_TIME))
            continue;
        column->latency = column->latency || (known[i].holds == COLUMN_TIME && known[i].unit == 0 &&
                                              strcasecmp(word, "time") != 0);
        column->unit = known[i].unit > 0 ? known[i].unit : column->unit;
        if (i + 1 > rank) {
            column->holds = known[i].holds;
            column->rank = i + 1;
        }
    }
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (is_one_of(word, statistics[i].words))
            column->statistic = statistics[i].statistic;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

struct column column_named(const struct field *name)
{
    /* Reads all words of a text. A word is a run of letters; a capital after a small letter begins
     * a new word if at least three letters precede it ("SizeKB"). */
    struct column column = {.statistic = STATISTIC_NONE};
    for (size_t at = 0; at < name->length;) {
        char word[WORD_BYTES];
        size_t n = 0;
        while (at < name->length && !is_letter(name->text[at]))
            at++;
        while (at < name->length && is_letter(name->text[at]) &&
               !(n > 2 && isupper((unsigned char)name->text[at]) &&
                 islower((unsigned char)name->text[at - 1]))) {
            if (n + 1 < sizeof word)
                word[n++] = name->text[at];
            at++;
        }
        word[n] = '\0';
        const bool rate = at + 1 < name->length && name->text[at] == '/' &&
                          tolower((unsigned char)name->text[at + 1]) == 's';
        if (n)
            take_word(&column, word, rate);
        if (rate)
            while (at < name->length && name->text[at] != ' ' && name->text[at] != ')')
                at++;
    }
    if (!column.holds && (column.latency || column.statistic != STATISTIC_NONE))
        column.holds = COLUMN_TIME;
    /* The tool MemoryLatency (Chips and Cheese) names its sizes "Region", in KiB. */
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
        char word[WORD_BYTES];
        const struct field one = {text + at, n, 0, 0};
        field_copy(&one, word, sizeof word);
        for (size_t i = 0; i < sizeof known / sizeof *known && n > 1; i++)
            if (known[i].unit > 0 && known[i].holds != COLUMN_RATE &&
                is_one_of(word, known[i].words))
                column = (struct column){.holds = known[i].holds,
                                         .unit = known[i].unit,
                                         .statistic = STATISTIC_NONE,
                                         .latency = true};
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
    const bool room = used + name->length + 8 < sizeof text->columns;
    if (room || (used > 3 && strcmp(text->columns + used - 3, "...") != 0))
        snprintf(text->columns + used, sizeof text->columns - used, "%s%.*s", used ? ", " : "",
                 room ? (int)name->length : 3, room ? name->text : "...");
}
