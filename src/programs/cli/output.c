#include "programs/cli/output.h"

#include "base/line.h"
#include "base/target.h"
#include "base/text.h"
#include "base/units.h"
#include "conclude/verdict.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80 };

#include "output.help.h"

/* NO_COLOR (no-color.org) counts when it is set and not empty. A file or a pipe gets the characters
 * of the locale too. */
struct text_style output_style(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    struct text_style style = {.width = WIDTH_DEFAULT};
    struct winsize size;
    setlocale(LC_CTYPE, "");
    style.blocks = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!isatty(fileno(out)))
        return style;
    style.colour = !(no_colour && *no_colour) && kind && strcmp(kind, "dumb") != 0;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
        style.width = size.ws_col;
    return style;
}

/* "csv: a row a point; ...": each output's own words, then what the option adds. */
bool output_option_help(const struct option_spec *spec, char *text, size_t size)
{
    if (spec->choices != output_names)
        return false;
    text[0] = '\0';
    for (size_t i = 0; outputs[i]; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s", i ? "; " : "",
                 outputs[i]->name, outputs[i]->help ? ": " : "",
                 outputs[i]->help ? outputs[i]->help : "");
    snprintf(text + strlen(text), size - strlen(text), "%s%s", *spec->help ? " " : "", spec->help);
    return true;
}

const struct option_spec format_options[] = {
    {"format", 'f', OPTION_CHOICE, "FORMAT", "text", 0, 0, output_names, COMMAND_OPTION(format),
     ""},
    {.name = NULL},
};

const struct option_spec joined_format_options[] = {
    {"format", 'f', OPTION_CHOICE, "FORMAT", "json", 0, 0, output_names, COMMAND_OPTION(format),
     ""},
    {.name = NULL},
};

bool output_is_standard(const char *path)
{
    return strcmp(path, "-") == 0 || target_channel(path) == STDOUT_FILENO;
}

const char *output_path(const struct command_options *options)
{
    return options->output.has ? options->output.text : "-";
}

struct outlet output_choose(const struct command_options *options)
{
    const bool chosen = options->format.has;
    const char *format = chosen ? options->format.text : options->output.has ? "json" : "text";
    /* not NULL: the option takes only names of outputs */
    return (struct outlet){.output = output_by_name(format),
                           .path = output_path(options),
                           .chart = options->chart.has ? options->chart.text : NULL,
                           .chosen = chosen,
                           .points = options->points.has,
                           .onto_screen = !options->output.has && isatty(STDOUT_FILENO)};
}

/* Whether the program has the output, and the place suits it. */
static int outlet_able(const struct outlet *outlet, struct error *error)
{
    const struct output *output = outlet->output;
    if (output->is_file && outlet->onto_screen)
        return error_set(error, ERROR_USAGE,
                         "--format %s is a file for other programs to open, and this is a "
                         "terminal: add -o fathom.%s (-o - writes it here all the same)",
                         output->name, output->name);
    if (outlet->chart && strcmp(output->name, "svg") != 0)
        return error_set(error, ERROR_USAGE,
                         "--chart chooses the picture of --format svg, and the format is %s: add "
                         "--format svg",
                         output->name);
    return 0;
}

/* --- writing --- */

static int write_to_standard(save_function *write, const void *content, struct error *error)
{
    struct error why = {0};
    const int code = write(content, stdout, &why);
    if (code == ERROR_SYSTEM && !ferror(stdout)) /* else main() reports it */
        return error_set(error, ERROR_SYSTEM, "standard output: %s: the output there is incomplete",
                         why.text);
    return code < 0 && code != ERROR_SYSTEM ? error_set(error, code, "%s", why.text) : 0;
}

int output_write(const char *path, save_function *write, const void *content, struct error *error)
{
    return output_is_standard(path) ? write_to_standard(write, content, error)
                                    : save_file(path, write, content, error);
}

struct view {
    const struct output *output;
    struct output_content content;
};

static struct view view_of(const struct outlet *outlet, const struct document *const *document,
                           const struct probe_result *probe)
{
    return (struct view){outlet->output,
                         {.documents = document,
                          .count = 1,
                          .tolerance = NAN,
                          .probe = probe,
                          .points = outlet->points,
                          .chart = outlet->chart}};
}

static int write_view(const void *of, FILE *out, struct error *error)
{
    const struct view *view = of;
    struct output_content content = view->content;
    content.style = output_style(out);
    return output_render(view->output, out, &content, error);
}

static int write_to(const struct outlet *outlet, const struct view *view, struct error *error)
{
    int code = outlet_able(outlet, error);
    if (code == 0)
        code = output_possible(view->output, &view->content, error);
    return code < 0 ? code : output_write(outlet->path, write_view, view, error);
}

int outlet_possible(const struct outlet *outlet, struct error *error)
{
    const int code = outlet_able(outlet, error);
    return code < 0 || output_is_standard(outlet->path) ? code : save_possible(outlet->path, error);
}

int outlet_write(const struct outlet *outlet, const struct document *document,
                 const struct probe_result *probe, struct error *error)
{
    const struct view view = view_of(outlet, &document, probe);
    return write_to(outlet, &view, error);
}

int outlet_write_to_stream(const struct outlet *outlet, const struct document *document,
                           const struct probe_result *probe, struct error *error)
{
    const struct view view = view_of(outlet, &document, probe);
    int code = output_possible(view.output, &view.content, error);
    if (code < 0)
        return code;
    if (!output_is_standard(outlet->path))
        return save_to_stream(outlet->path, write_view, &view, error);
    code = write_to_standard(write_view, &view, error);
    return code == 0 ? 1 : code;
}

int output_document(const struct command_options *options, const struct document *document,
                    const struct probe_result *probe, struct error *error)
{
    const struct outlet outlet = output_choose(options);
    return outlet_write(&outlet, document, probe, error);
}

int outlet_write_several(const struct outlet *outlet, const struct document *const *list,
                         size_t count, double tolerance, struct error *error)
{
    const struct view view = {
        outlet->output,
        {.documents = list, .count = count, .tolerance = tolerance, .chart = outlet->chart}};
    return write_to(outlet, &view, error);
}

/* --- files that are kept up to date during a run --- */

int outlet_begin(struct outlet *outlet, bool made_up, struct error *error)
{
    return !outlet->path || output_is_standard(outlet->path)
               ? 0
               : saving_begin(&outlet->saving, outlet->path, made_up, error);
}

int outlet_update(struct outlet *outlet, const struct document *document, struct error *error)
{
    const struct view view = view_of(outlet, &document, NULL);
    return saving_update(&outlet->saving, write_view, &view, error);
}

int outlet_finish(struct outlet *outlet, const struct document *document, struct error *error)
{
    const struct view view = view_of(outlet, &document, NULL);
    if (!outlet->path)
        return 0;
    return output_is_standard(outlet->path)
               ? write_to_standard(write_view, &view, error)
               : saving_finish(&outlet->saving, write_view, &view, error);
}

const char *outlet_place(const struct outlet *outlet)
{
    const struct saving *saving = &outlet->saving;
    const char *place = saving_beside(saving) ? saving_beside(saving) : saving->name;
    return saving->holder && access(place, F_OK) == 0 ? place : NULL;
}

/* Whether both paths name one file. Two outputs may share a device. A link to a missing file is
 * refused when it is opened. */
static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    const bool there = stat(one, &a) == 0, also = stat(other, &b) == 0;
    if (there || also)
        return there && also && S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return strcmp(path_name(one), path_name(other)) == 0 && save_in_one_folder(one, other);
}

int output_files_differ(const struct invocation *invocation, struct error *error)
{
    const struct command_options *options = &invocation->options;
    const struct setting *files[] = {&options->html, &options->document, &options->output};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t j = 0; j < i; j++)
            if (files[j]->has && files[i]->has && is_same_file(files[j]->text, files[i]->text))
                return error_set(error, ERROR_USAGE, "--%s and %s%s both name %s: choose two files",
                                 files[j]->spec->name, files[i] == &options->output ? "-" : "--",
                                 files[i] == &options->output ? "o" : files[i]->spec->name,
                                 files[j]->text);
    return 0;
}

int output_status(const struct document *document)
{
    static const int statuses[] = {[TRUST_USABLE] = EXIT_DONE,
                                   [TRUST_LACKING] = EXIT_DOUBTFUL,
                                   [TRUST_NOTHING] = EXIT_IMPOSSIBLE};
    return statuses[document_trust(document)];
}

/* --- progress line --- */

enum { BAR = 20 };

void progress_show(struct progress_line *line, const char *probe, double done, double left_s,
                   const char *so_far)
{
    const struct text_style style = output_style(stderr);
    const double whole_s = (double)(long)(left_s + 0.5);
    char left[UNIT_TEXT], bar[BAR + 1];
    struct line text = {0};
    for (int i = 0; i < BAR; i++)
        bar[i] = i < done * BAR ? '=' : ' ';
    bar[BAR] = '\0';
    line_add(&text, "[%s] %3.0f %%  ", bar, fmin(1, done) * 100);
    if (whole_s >= 1)
        line_add(&text, "%s left  ", duration_format(whole_s, left));
    else
        line_add(&text, "ending  ");
    line_add(&text, "%s  %s", probe, so_far);
    fprintf(stderr, "\r\033[K%.*s", style.width - 1, text.text);
    line->shown = true;
}

void progress_end(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
