/* Watches the levels for neighbours, and shows what a load takes. */
#include "measure/run/watch.h"

#include "base/line.h"
#include "base/save.h"
#include "base/units.h"
#include "machine/os.h"
#include "measure/run/measure.h"
#include "programs/cli/measure.h"
#include "programs/cli/output.h"
#include "show/render/metric_labels.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double file_every_s = 10;
/* Columns of a level's name and value, and of the cost. */
enum { SPARKS_MOST = 8, LEVEL_COLUMNS = 13, COST_COLUMNS = 16 };

struct shown {
    const struct watch *watch;
    const char *metrics; /* file; NULL: none */
    bool text, terminal, blocks, worse;
    int width;                   /* of the terminal, whose line is drawn anew and must not wrap */
    double began_s, began_cpu_s; /* wall and CPU time at the first trial's end */
    double cost;                 /* share of one CPU since then; NAN: unknown yet */
    double written_s;            /* when the file was written */
    int failed;                  /* code of the last writing of the file */
    struct error *error;         /* then filled */
};

/* --- text --- */

/* Bars of the latest values since the last change. Their scale reaches from the least to the
 * greatest, or to a quarter above the least if all are alike. */
static void line_add_sparks(struct line *line, const struct watch_level *level, size_t sparks_most)
{
    static const char *const sparks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < level->count; i++) {
        least = fmin(least, level->values[i].number);
        most = fmax(most, level->values[i].number);
    }
    const double height = fmax(most - least, least / 4);
    line_add(line, " ");
    for (size_t i = level->count < sparks_most ? 0 : level->count - sparks_most; i < level->count;
         i++)
        line_add(line, "%s", sparks[(int)(7 * (level->values[i].number - least) / height + 0.5)]);
}

static void show_text(const struct shown *shown)
{
    const int levels = (int)shown->watch->level_count;
    const int room = (shown->width - COST_COLUMNS) / levels - LEVEL_COLUMNS - 1;
    struct line line = {0};
    char text[UNIT_TEXT];
    const time_t now = time(NULL);
    struct tm local;
    strftime(text, sizeof text, "%H:%M:%S  ", localtime_r(&now, &local));
    line_add(&line, "%s", shown->terminal ? "" : text);
    for (size_t i = 0; i < shown->watch->level_count; i++) {
        const struct watch_level *level = &shown->watch->levels[i];
        line_add(&line, "%s %s%s", level->name,
                 isnan(level->now) ? "-" : figure_format(level->now, 3, text),
                 isnan(level->now) ? ""
                 : level->private  ? " cyc"
                                   : " ns");
        if (shown->terminal && shown->blocks && room > 0)
            line_add_sparks(&line, level, (size_t)(room < SPARKS_MOST ? room : SPARKS_MOST));
        line_add(&line, "  ");
    }
    if (isfinite(shown->cost))
        line_add(&line, "cost %.3f %%", 100 * shown->cost);
    line_trim(&line);
    printf(shown->terminal ? "\r%s\033[K" : "%s\n", line.text);
}

/* --- metrics --- */

static void put_latency(FILE *out, const struct watch *watch, bool cycles)
{
    const char *unit = cycles ? "cycles" : "seconds",
               *full = cycles ? "fathom_watch_latency_cycles" : "fathom_watch_latency_seconds";
    metric_head_put(out, full, unit, "What a load took in the last trial.");
    for (size_t i = 0; i < watch->level_count; i++) {
        const struct watch_level *level = &watch->levels[i];
        if (level->private == cycles && level->count)
            fprintf(out, "%s{level=\"%s\"} %.6g\n", full, level->name,
                    level->values[level->count - 1].number * (cycles ? 1 : 1e-9));
    }
}

static int write_metrics(const void *content, FILE *out, struct error *error)
{
    const struct shown *shown = content;
    const struct watch *watch = shown->watch;
    put_latency(out, watch, true);
    put_latency(out, watch, false);
    fputs("# TYPE fathom_watch_changes counter\n# HELP fathom_watch_changes Changes that chance "
          "does not explain.\n",
          out);
    for (size_t i = 0; i < watch->level_count; i++)
        fprintf(out, "fathom_watch_changes_total{level=\"%s\"} %u\n", watch->levels[i].name,
                watch->levels[i].changes);
    metric_head_put(out, "fathom_watch_cost_ratio", "ratio",
                    "Share of one CPU that watching takes.");
    if (isfinite(shown->cost))
        fprintf(out, "fathom_watch_cost_ratio %.6g\n", shown->cost);
    fputs("# EOF\n", out);
    return 0;
}

/* --- the command --- */

static void tick(void *argument, const struct watch *watch)
{
    struct shown *shown = argument;
    bool changed = false;
    /* The first trial also makes the memory ready, once. */
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const double now_s = (double)os_raw_ns() * 1e-9;
    const double cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    if (shown->began_s > 0) {
        shown->cost = (cpu_s - shown->began_cpu_s) / (now_s - shown->began_s);
    } else {
        shown->began_s = now_s;
        shown->began_cpu_s = cpu_s;
    }
    for (size_t i = 0; i < watch->level_count; i++) {
        const struct watch_level *level = &watch->levels[i];
        if (!level->changed)
            continue;
        changed = true;
        shown->worse |= level->away > 0 && level->after > level->before;
        const double ratio = level->after / level->before;
        const char *unit = level->private ? "cycles" : "ns";
        char before[UNIT_TEXT], after[UNIT_TEXT];
        fputs(shown->terminal ? "\r\033[K" : "", stdout);
        fflush(stdout);
        command_tell("%s is %s: %s %s, then %s %s (%+.0f %%)", level->name,
                     ratio > 1 ? "slower" : "faster", figure_format(level->before, 3, before), unit,
                     figure_format(level->after, 3, after), unit, 100 * (ratio - 1));
    }
    if (shown->text)
        show_text(shown);
    else
        write_metrics(shown, stdout, shown->error);
    fflush(stdout);
    if (!shown->metrics || (!changed && watch->at_s - shown->written_s < file_every_s))
        return;
    const int failed_before = shown->failed;
    shown->written_s = watch->at_s;
    shown->failed = save_file(shown->metrics, write_metrics, shown, shown->error);
    if (shown->failed && !failed_before)
        command_tell("%s", shown->error->text);
}

static const struct formats formats = {{"text", "metrics"}, {NULL}};

#include "watch.help.h"

static int watch_here(const struct command_options *asked, struct shown *shown, struct error *error)
{
    struct machine machine = {.root = NULL};
    const struct machine_source source = measure_source(NULL);
    measure_catch_signals();
    int code = machine_read(&machine, &source, error);
    struct watch watch = {.machine = &machine,
                          .stop = &measure_signal,
                          .every_s = asked->every.number,
                          .for_s = asked->watch_for.number,
                          .cpu = asked->cpu.has ? (int)asked->cpu.number : -1,
                          .seed = os_raw_ns(),
                          .tick = tick,
                          .argument = shown};
    shown->watch = &watch;
    if (code == 0)
        code = watch_run(&watch, error);
    if (shown->terminal && watch.ticks)
        putchar('\n');
    if (code == 0 && !watch.ticks)
        code = error_set(error, ERROR_IMPOSSIBLE,
                         "every trial was interrupted: watch longer, or another CPU (--cpu)");
    machine_free(&machine);
    return code;
}

static int watch(struct invocation *invocation, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    const struct text_style style = output_style(stdout);
    struct error why = {0};
    struct shown shown = {.metrics = asked->metrics.text,
                          .text = asked->format.choice == 0,
                          .terminal = asked->format.choice == 0 && isatty(STDOUT_FILENO),
                          .blocks = style.blocks,
                          .width = style.width,
                          .cost = NAN,
                          .written_s = -file_every_s,
                          .error = &why};
    struct stat status;
    if (shown.metrics && (strcmp(shown.metrics, "-") == 0 ||
                          (stat(shown.metrics, &status) == 0 && S_ISFIFO(status.st_mode))))
        return error_set(
            error, ERROR_USAGE,
            "--metrics '%s': name a file, or have them on standard output by -f metrics",
            shown.metrics);
    int code = shown.metrics ? save_possible(shown.metrics, error) : 0;
    if (code == 0)
        code = watch_here(asked, &shown, error);
    if (code == ERROR_INTERRUPTED)
        return measure_interrupted(NULL);
    if (code == 0 && shown.failed) /* it was told */
        return shown.failed == ERROR_USAGE ? EXIT_USAGE : EXIT_IMPOSSIBLE;
    return code < 0 ? code : shown.worse ? EXIT_CHECK_FAILED : EXIT_DONE;
}

static const struct option_spec *const options[] = {watch_options, NULL};

const struct command watch_command = {
    .name = "watch",
    .help = &help,
    .options = options,
    .run = watch,
};
