#include "show/render/parts.h"

#include <math.h>

/* Viridis (van der Walt and Smith, 2015) in the 256 colours of terminals: its lightness rises
 * evenly, so that it reads the same without colour vision. */
static const unsigned char ramp[] = {54, 24, 25, 31, 36, 71, 77, 113, 149, 185, 221};
enum { RAMP_STEPS = sizeof ramp, RAMP_DARK_STEPS = 4 };

const char *ink(const struct text_style *style, enum ink colour)
{
    static const char *const sequences[] = {[INK_PLAIN] = "\033[0m",
                                            [INK_BOLD] = "\033[1m",
                                            [INK_DIM] = "\033[2m",
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

void ink_halves(FILE *out, const struct text_style *style, double upper, double lower)
{
    if (isnan(upper) && isnan(lower)) {
        fputc(' ', out);
        return;
    }
    ink_ramp(out, style, isnan(upper) ? lower : upper);
    if (!isnan(upper) && !isnan(lower) && style->colour)
        fprintf(out, "\033[48;5;%dm", ramp[ramp_step(lower)]);
    fprintf(out, "%s%s", isnan(upper) ? "▄" : "▀", ink(style, INK_PLAIN));
}
