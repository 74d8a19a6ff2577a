#include "cli/progress.h"

#include "base/units.h"

#include <stdio.h>

enum { BAR = 24 };

void progress_show(struct progress_line *line, const char *probe, double done, double left_s)
{
    char left[UNIT_TEXT], bar[BAR + 1];
    for (int i = 0; i < BAR; i++)
        bar[i] = i < done * (double)BAR ? '=' : ' ';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K%-10s [%s] %3.0f %%  %s left", probe, bar, done * 100,
            duration_format(left_s < 1 ? 1 : (double)(long)(left_s + 0.5), left));
    line->shown = true;
}

void progress_end(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
