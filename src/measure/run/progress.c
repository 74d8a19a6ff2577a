#include "measure/run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int progress_open(struct progress *progress, const char *file, const char *command, int nothing,
                  struct error *error)
{
    /* The empty line ends the shell where nobody reads any more. A file's last line may be
     * incomplete, and stands alone where it is written anew each time. */
    char shell[] = "sh", option[] = "-c", loop[] = "while echo; do eval \"$1\"; sleep 0.05; done",
         read_file[] = "if [ -p \"$2\" ]; then cat \"$2\"; "
                       "else tail -n 2 \"$2\" | head -n 1; fi";
    char *told = (char *)(file ? file : command);
    char *const arguments[] = {shell, option, loop, shell, file ? read_file : told, told, NULL};
    int ends[2];
    *progress = (struct progress){.told = told, .pipe = -1, .value = -1};
    if (child_pipe(ends) < 0)
        return error_set(error, ERROR_SYSTEM, "no pipe can be made");
    const struct child_plan plan = {.arguments = arguments, .streams = {nothing, ends[1], nothing}};
    const int code = child_start(&progress->shell, &plan, error);
    progress->pipe = ends[0];
    close(ends[1]);
    return code;
}

void progress_close(struct progress *progress)
{
    child_reap(&progress->shell, &(struct child_end){0});
    if (progress->pipe >= 0)
        close(progress->pipe);
}

int progress_read(struct progress *progress, struct error *error)
{
    static const char blanks[] = " \t\r";
    const double before = progress->value;
    char text[PROGRESS_TAIL], *end;
    ssize_t got;
    /* Of all that can be read only the end is kept. */
    while ((got = read(progress->pipe, text, sizeof text / 2)) > 0) {
        const size_t had = strlen(progress->text), room = sizeof text - 1 - (size_t)got,
                     kept = had < room ? had : room;
        memmove(progress->text, progress->text + had - kept, kept);
        memcpy(progress->text + kept, text, (size_t)got);
        progress->text[kept + (size_t)got] = '\0';
    }
    /* The last line that has its end, behind which the shell's empty one may stand. */
    strcpy(text, progress->text);
    for (end = strrchr(text, '\n'); end && end > text && end[-1] == '\n';)
        end--;
    if (!end)
        return 0;
    *end = '\0';
    const char *line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
    const double value = strtod(line, &end);
    if (!line[strspn(line, blanks)])
        return 0;
    if (end[strspn(end, blanks)] || !isfinite(value) || value < 0)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "'%s' says '%.40s': how far the program is has to be a number, from 0 on",
                         progress->told, line);
    if (value < before && progress->begun)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "'%s' goes back from %.12g to %.12g: it has to count all that was done",
                         progress->told, before, value);
    progress->value = value;
    return value != before;
}
