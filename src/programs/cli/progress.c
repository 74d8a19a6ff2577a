#include "programs/cli/progress.h"

#include "base/units.h"

#include <stdio.h>

enum { BAR = 24, BAR_BESIDE = 10 }; /* so that nothing wraps in 80 columns */

void progress_show(struct progress_line *line, const char *probe, double done, double left_s,
                   const char *so_far)
{
    char left[UNIT_TEXT], bar[BAR + 1];
    const int length = *so_far ? BAR_BESIDE : BAR;
    for (int i = 0; i < length; i++)
        bar[i] = i < done * (double)length ? '=' : ' ';
    bar[length] = '\0';
    fprintf(stderr, "\r\033[K%-10s [%s] %3.0f %%  %s left%s%s", probe, bar, done * 100,
            duration_format(left_s < 1 ? 1 : (double)(long)(left_s + 0.5), left),
            *so_far ? "  " : "", so_far);
    line->shown = true;
}

void progress_end(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
