/* Makes one fleet of many nodes' documents, which are read and freed one after another. */
#include "show/render/fleet/fleet.h"
#include "programs/cli/fleet.h"

#include "base/text.h"
#include "compare/fleet/document.h"
#include "conclude/complete.h"
#include "document/json.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { REMARKS_MOST = 10 };

/* What the functions that write get. */
struct fleet_view {
    struct fleet *fleet;
    const struct fleet_pages *pages;
};

static int write_text(const void *content, FILE *out, struct error *error)
{
    const struct text_style style = output_style(out);
    render_fleet_text(out, ((const struct fleet_view *)content)->fleet, &style);
    return 0;
}

static int write_json(const void *content, FILE *out, struct error *error)
{
    return fleet_write(((const struct fleet_view *)content)->fleet, out, error);
}

static int write_html(const void *content, FILE *out, struct error *error)
{
    const struct fleet_view *view = content;
    return render_fleet_page(out, view->fleet, view->pages, error);
}

static int write_metrics(const void *content, FILE *out, struct error *error)
{
    render_fleet_metrics(out, ((const struct fleet_view *)content)->fleet);
    return 0;
}

static const struct formats formats = {{"text", "json", "html", "openmetrics"},
                                       {write_text, write_json, write_html, write_metrics}};

#include "fleet.help.h"

/* --- reading documents --- */

/* A broken document becomes a hole and the rest goes on; only a lack of memory ends the command. */
static int add_file(struct fleet *fleet, const char *path, struct error *error)
{
    struct document document = {0};
    struct error why = {0};
    int code = document_read_next(&document, path, &fleet->steps, &why);
    if (code == 0)
        code = experiments_complete(&document, &why);
    if (code == ERROR_USAGE) {
        /* A hole has the file's name already, which begins the message; the remedy, which ends it,
         * is printed once for all. */
        static const char remedy[] = ": give a document that fathom wrote";
        const size_t length = strlen(path);
        const bool named = strncmp(why.text, path, length) == 0 && why.text[length] == ':';
        if (text_ends_with(why.text, remedy))
            why.text[strlen(why.text) - strlen(remedy)] = '\0';
        code = fleet_add_hole(fleet, path, named ? why.text + length + 2 : why.text, error);
    } else if (code < 0) {
        *error = why;
    } else {
        code = fleet_add(fleet, &document, error);
    }
    document_free(&document);
    return code;
}

static int is_json(const struct dirent *entry)
{
    static const char ending[] = ".json";
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > strlen(ending) &&
           strcmp(entry->d_name + length - strlen(ending), ending) == 0;
}

/* Only regular files of a folder are read: opening a FIFO would wait for ever, and a device may
 * never end. */
static int add_found(struct fleet *fleet, const char *path, int *taken, struct error *error)
{
    struct stat status;
    ++*taken;
    if (stat(path, &status) < 0)
        return fleet_add_hole(fleet, path, strerror(errno), error);
    if (!S_ISREG(status.st_mode))
        return fleet_add_hole(fleet, path, "it is not a regular file", error);
    if (!fleet_is_document(path))
        return add_file(fleet, path, error);
    --*taken;
    return 0;
}

/* The fleet's own document may be in the same folder as the nodes' documents. */
static int add_folder(struct fleet *fleet, const char *folder, struct error *error)
{
    struct dirent **names;
    const int count = scandir(folder, &names, is_json, alphasort);
    if (count < 0)
        return error_set(error, ERROR_USAGE, "%s: %s: give a folder that can be read", folder,
                         strerror(errno));
    int code = 0, taken = 0;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (code == 0 && asprintf(&path, "%s/%s", folder, names[i]->d_name) < 0) {
            path = NULL;
            code = error_out_of_memory(error);
        }
        if (code == 0)
            code = add_found(fleet, path, &taken, error);
        free(path);
        free(names[i]);
    }
    free(names);
    if (code == 0 && !taken)
        return error_set(error, ERROR_USAGE,
                         "%s: no file in it ends in .json: give the folder that holds the nodes' "
                         "documents",
                         folder);
    return code;
}

static int add_operand(struct fleet *fleet, const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return add_folder(fleet, path, error);
    if (fleet_is_document(path) && fleet->of_last_time)
        return error_set(error, ERROR_USAGE,
                         "%s is a fleet's document, which has no document of a node: give the "
                         "folder of the nodes' documents of last time",
                         path);
    if (fleet_is_document(path))
        return fleet_add_hole(fleet, path, "it is a fleet's document", error);
    return add_file(fleet, path, error);
}

/* --- pages of nodes --- */

static int write_node_page(const void *content, FILE *out, struct error *error)
{
    const struct document *document = content;
    return render_page(out, &document, 1, 0, error);
}

static int write_page_of(const struct fleet *fleet, size_t node, const char *folder,
                         struct error *error)
{
    struct document document = {0};
    char name[FLEET_PAGE_NAME];
    int code = experiment_read(&document, fleet->nodes[node].file, error);
    if (code == 0 && !text_same(document.run.started, fleet->nodes[node].started))
        code = error_set(error, ERROR_USAGE, "%s: it was replaced after it was compared: try again",
                         fleet->nodes[node].file);
    if (code == 0) {
        const char *path =
            pool_printf(&document.pool, "%s/%s", folder, fleet_page_name(fleet, node, name));
        code = path ? output_write(path, write_node_page, &document, error)
                    : error_out_of_memory(error);
    }
    document_free(&document);
    return code;
}

/* The path of the folder relative to the fleet's page at `place`. The caller frees it. */
static char *folder_from(const char *place, const char *folder)
{
    const size_t length = (size_t)(path_name(place) - place);
    if (*folder == '/' && (!length || strncmp(place, folder, length) != 0))
        return strdup(folder);
    if (length && strncmp(place, folder, length) != 0)
        return realpath(folder, NULL);
    char *name = NULL;
    return asprintf(&name, "./%s", folder + length) < 0 ? NULL : name;
}

static int write_pages(const struct fleet *fleet, const char *folder, bool *has,
                       struct error *error)
{
    size_t rows[FLEET_ROWS_MOST];
    const size_t count = fleet_page_rows(fleet, rows);
    int code = 0;
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return error_set(error, ERROR_USAGE, "%s: %s: give a folder that can be made, or is there",
                         folder, strerror(errno));
    for (size_t i = 0; i < count && code == 0; i++) {
        struct stat status;
        /* a pipe can't be read twice */
        if (stat(fleet->nodes[rows[i]].file, &status) < 0 || !S_ISREG(status.st_mode))
            continue;
        code = write_page_of(fleet, rows[i], folder, error);
        has[rows[i]] = code == 0;
    }
    return code;
}

/* --- the command --- */

static int write_all(const struct command_options *options, struct fleet *fleet,
                     struct error *error)
{
    const char *path = output_path(options);
    const bool chosen = options->format.has, to_file = !output_is_standard(path);
    save_function *write = chosen    ? formats.write[options->format.choice]
                           : to_file ? write_json
                                     : write_text;
    struct fleet_pages pages = {0};
    bool *has = calloc(fleet->node_count + 1, sizeof *has);
    char *folder = NULL;
    int code = has ? 0 : error_out_of_memory(error);
    const char *typed = options->pages.text;
    if (code == 0 && typed) {
        code = write_pages(fleet, typed, has, error);
        folder = code == 0 ? folder_from(path, typed) : NULL;
        pages = (struct fleet_pages){folder, has};
    }
    const struct fleet_view view = {fleet, &pages};
    if (code == 0)
        code = output_write(path, write, &view, error);
    if (code == 0 && !chosen && to_file)
        code = output_write("-", write_text, &view, error);
    free(folder);
    free(has);
    return code;
}

int fleet_report(const struct command_options *options, struct fleet *fleet, bool few,
                 struct error *error)
{
    const struct fleet_rules rules = {.false_share = options->false_share.number / 100,
                                      .least = options->threshold.number / 100};
    fleet->of_last_time = true;
    int code = options->against.has ? add_operand(fleet, options->against.text, error) : 0;
    if (code < 0)
        return code;
    code = fleet_judge(fleet, &rules, error);
    if (code == ERROR_USAGE && few && fleet->node_count) {
        command_tell("%s", error->text);
        code = 0;
    }
    if (code < 0)
        return code;
    for (size_t i = 0; i < fleet->hole_count && i < REMARKS_MOST; i++)
        command_tell("%s is left out: %s", fleet->holes[i].name, fleet->holes[i].reason);
    if (fleet->hole_count > REMARKS_MOST)
        command_tell("and %zu more documents are left out; -f json names them all",
                     fleet->hole_count - REMARKS_MOST);
    size_t count = 0;
    const char *first = NULL;
    for (size_t i = 0; i < fleet->node_count; i++)
        if (fleet->nodes[i].state == NODE_REPLACED && !count++)
            first = fleet->nodes[i].name;
    if (count)
        command_tell("%zu document%s left out because there is a newer one of the same host (%s%s)",
                     count, count == 1 ? " is" : "s are", first, count > 1 ? " and others" : "");
    code = write_all(options, fleet, error);
    return code < 0            ? code
           : fleet->odd_count  ? EXIT_CHECK_FAILED
           : fleet->hole_count ? EXIT_DOUBTFUL
                               : EXIT_DONE;
}

static int fleet(struct invocation *invocation, struct error *error)
{
    const char *path = output_path(&invocation->options);
    struct fleet all = {.nodes = NULL};
    int code = output_is_standard(path) ? 0 : save_possible(path, error);
    for (int i = 0; i < invocation->operand_count && code == 0; i++)
        code = add_operand(&all, invocation->operands[i], error);
    if (code == 0)
        code = fleet_report(&invocation->options, &all, false, error);
    fleet_free(&all);
    return code;
}

static const struct option_spec *const options[] = {fleet_options, output_options, NULL};

const struct command fleet_command = {
    .name = "fleet",
    .help = &help,
    .options = options,
    .run = fleet,
};
