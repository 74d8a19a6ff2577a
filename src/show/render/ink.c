/* Lines of text: colours, and words that are wrapped. */
#include "show/render/parts.h"

#include "base/utf8.h"

#include <string.h>

/* Viridis (van der Walt and Smith, 2015) in the 256 colours of terminals: its lightness rises
 * evenly, so it is readable without colour vision. */
static const unsigned char ramp[] = {54, 24, 25, 31, 36, 71, 77, 113, 149, 185, 221};
enum { RAMP_STEPS = sizeof ramp, RAMP_DARK_STEPS = 4 };

const char *ink(const struct text_style *style, enum ink colour)
{
    static const char *const sequences[] = {[INK_PLAIN] = "\033[0m",
                                            [INK_BOLD] = "\033[1m",
                                            [INK_DIM] = "\033[2m",
                                            [INK_GOOD] = "\033[1;32m",
                                            [INK_WARN] = "\033[1;33m"};
    return style->colour ? sequences[colour] : "";
}

static int ramp_step(double share)
{
    if (!(share > 0))
        return 0;
    return share >= 1 ? RAMP_STEPS - 1 : (int)(share * (double)RAMP_STEPS);
}

void ink_ramp(FILE *out, const struct text_style *style, double share)
{
    if (style->colour)
        fprintf(out, "\033[38;5;%dm", ramp[ramp_step(share)]);
}

void ink_ramp_behind(FILE *out, const struct text_style *style, double share)
{
    int step = ramp_step(share);
    if (style->colour)
        fprintf(out, "\033[48;5;%d;38;5;%dm", ramp[step], step < RAMP_DARK_STEPS ? 231 : 16);
}

/* The bytes of a word that fit `columns` columns, up to the last comma among them if there is
 * one. */
static size_t bytes_that_fit(const char *word, size_t bytes, size_t columns)
{
    size_t at = 0, comma = 0, used = 0;
    while (at < bytes) {
        size_t next = at + 1;
        while (next < bytes && ((unsigned char)word[next] & 0xc0) == 0x80)
            next++;
        if (used++ == columns)
            return comma ? comma : at;
        comma = word[at] == ',' ? next : comma;
        at = next;
    }
    return bytes;
}

char *text_in_style(const struct text_style *style, char *text)
{
    static const char *const signs[][2] = {{"±", "+-"}, {"×", "x"}, {"−", "-"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs && !style->blocks; i++)
        for (char *at = text; (at = strstr(at, signs[i][0])); at++) {
            const size_t length = strlen(signs[i][1]), bytes = strlen(signs[i][0]);
            memcpy(at, signs[i][1], length);
            memmove(at + length, at + bytes, strlen(at + bytes) + 1);
        }
    return text;
}

void text_print_wrapped(FILE *out, const struct text_style *style, size_t indent, const char *said)
{
    struct line copy = {0};
    line_add(&copy, "%s", said);
    const char *text = text_in_style(style, copy.text);
    const size_t width = (size_t)style->width;
    size_t column = indent, begin = indent < width ? indent : 0;
    const char *word = text;
    while (*word) {
        size_t bytes = strcspn(word, " ");
        const bool fits = column + (column > begin) + utf8_count(word, bytes) <= width;
        if (!fits && column > begin) {
            fprintf(out, "\n%*s", (int)begin, "");
            column = begin;
        }
        bytes = bytes_that_fit(word, bytes, width - begin);
        if (column > begin)
            fputc(' ', out);
        column += (column > begin) + utf8_count(word, bytes);
        fwrite(word, 1, bytes, out);
        word += bytes + strspn(word + bytes, " ");
    }
    fputc('\n', out);
}

struct text_style text_style_sane(const struct text_style *style)
{
    struct text_style sane = *style;
    if (sane.width < 40 || sane.width > 10000)
        sane.width = 80;
    return sane;
}
