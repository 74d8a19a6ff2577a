#include "base/guess.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LETTERS_MAX = 64, PREFIX_MIN = 3 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

unsigned guess_edits(const char *a, const char *b, unsigned most)
{
    /* Edits from the first i letters of a to the first j of b; three rows are enough. */
    unsigned rows[3][LETTERS_MAX + 1];
    const size_t rows_count = strlen(a), columns = strlen(b);
    if (rows_count > LETTERS_MAX || columns > LETTERS_MAX)
        return most + 1;
    for (unsigned i = 0; i <= rows_count; i++)
        for (unsigned j = 0; j <= columns; j++) {
            unsigned *now = &rows[i % 3][j], *above = rows[(i + 2) % 3],
                     *before = rows[(i + 1) % 3];
            if (i == 0 || j == 0) {
                *now = i + j;
                continue;
            }
            *now = least(above[j - 1] + !same(a[i - 1], b[j - 1]), least(above[j], now[-1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                *now = least(*now, before[j - 2] + 1);
        }
    return least(rows[rows_count % 3][columns], most + 1);
}

static const char digits[] = "0123456789";

/* Whether two texts name one number: "2M" and "huge2m", but not "2M" and "1M", which is no typing
 * error. True also where the first has none. */
static bool same_number(const char *typed, const char *word)
{
    typed += strcspn(typed, digits);
    word += strcspn(word, digits);
    const size_t length = strspn(typed, digits);
    return !length || (strspn(word, digits) == length && memcmp(typed, word, length) == 0);
}

void guess_offer(struct guess *guess, const char *word)
{
    const size_t length = strlen(guess->typed);
    const unsigned most = length >= 6 ? (unsigned)length / 3 : length >= 2;
    unsigned edits = guess_edits(guess->typed, word, most);
    if (edits > most && length >= PREFIX_MIN && strncasecmp(guess->typed, word, length) == 0)
        edits = most;
    if (strpbrk(guess->typed, digits) && strlen(word) > length &&
        strcasecmp(word + strlen(word) - length, guess->typed) == 0)
        edits = most;
    if (edits <= most && same_number(guess->typed, word) &&
        (!guess->word || edits < guess->edits)) {
        guess->word = word;
        guess->edits = edits;
    }
}

int guess_refuse(const struct guess *guess, const char *kind, const char *otherwise,
                 struct error *error)
{
    if (guess->word)
        return error_set(error, ERROR_USAGE, "no %s is called '%s'; did you mean '%s'?", kind,
                         guess->typed, guess->word);
    return error_set(error, ERROR_USAGE, "no %s is called '%s'; %s", kind, guess->typed, otherwise);
}
