#include "cli/progress.h"

#include "base/units.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 24 };

void progress_begin(struct progress_line *line)
{
    line->terminal = isatty(STDERR_FILENO);
}

static void show(void *argument, double done, double left_s)
{
    struct progress_line *line = argument;
    char left[UNIT_TEXT], bar[BAR + 1];
    for (int i = 0; i < BAR; i++)
        bar[i] = i < done * (double)BAR ? '=' : ' ';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K%-10s [%s] %3.0f %%  %s left", line->what, bar, done * 100,
            duration_format(left_s < 1 ? 1 : (double)(long)(left_s + 0.5), left));
    line->shown = true;
}

struct progress progress_for(struct progress_line *line)
{
    return (struct progress){line->terminal ? show : NULL, line};
}

void progress_end(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
