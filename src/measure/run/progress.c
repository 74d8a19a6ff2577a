#include "measure/run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int progress_open(struct progress *progress, const char *file, const char *command, int nothing,
                  struct error *error)
{
    /* The empty line ends the shell where nobody reads any more. A pipe is opened for writing too,
     * so that it has a reader between two writers. A file's last line may be incomplete, and stands
     * alone where it is written anew each time. */
    char shell[] = "sh", option[] = "-c", loop[] = "while echo; do eval \"$1\"; sleep 0.05; done",
         read_file[] = "if [ -p \"$2\" ]; then cat <>\"$2\"; "
                       "else tail -n 2 \"$2\" | head -n 1; fi";
    char *told = (char *)(file ? file : command);
    char *const arguments[] = {shell, option, loop, shell, file ? read_file : told, told, NULL};
    *progress = (struct progress){.told = told, .value = -1};
    const struct child_plan plan = {
        .arguments = arguments, .says = true, .streams = {nothing, nothing, nothing}};
    return child_start(&progress->shell, &plan, error);
}

void progress_close(struct progress *progress)
{
    if (progress->shell.id)
        close(progress->shell.said);
    child_reap(&progress->shell, &(struct child_end){0});
}

int progress_read(struct progress *progress, struct error *error)
{
    const double before = progress->value;
    char *line = progress->line, *end, next;
    while (read(progress->shell.said, &next, 1) == 1) {
        if (next != '\n') {
            line[progress->length] = next;
            progress->length += progress->length < sizeof progress->line - 1;
            continue;
        }
        line[progress->length] = '\0';
        progress->length = 0;
        const double value = strtod(line, &end);
        end += strspn(end, " \t\r");
        if (!*end && end == line + strspn(line, " \t\r"))
            continue;
        if (*end || !isfinite(value) || value < 0)
            return error_set(error, ERROR_IMPOSSIBLE,
                             "'%s' says '%s' where a number from 0 on has to tell how far it is",
                             progress->told, line);
        if (value < progress->value && progress->begun)
            return error_set(
                error, ERROR_IMPOSSIBLE,
                "'%s' goes back from %.12g to %.12g: it has to count all that was done",
                progress->told, progress->value, value);
        progress->value = value;
    }
    return progress->value != before;
}
