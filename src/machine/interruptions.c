#include "machine/interruptions.h"

#include "machine/files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 40 };

struct columns {
    size_t *of; /* each column's index in the list of CPUs; the list's count: not in the list */
    size_t count;
};

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* "           CPU0       CPU1" */
static int read_header(const char *line, const char *end, const struct cpulist *cpus,
                       struct columns *columns, struct pool *pool)
{
    *columns = (struct columns){0};
    for (const char *at = skip_blanks(line); at < end && strncmp(at, "CPU", 3) == 0;
         at = skip_blanks(at)) {
        size_t *column = pool_append(pool, (void **)&columns->of, &columns->count, sizeof *column);
        char *after;
        const long id = strtol(at + 3, &after, 10);
        if (!column)
            return ERROR_SYSTEM;
        for (*column = 0; *column < cpus->count && cpus->ids[*column] != id; (*column)++)
            ;
        if (after == at + 3)
            break;
        at = after;
    }
    return 0;
}

static char *copy_text(struct pool *pool, const char *at, const char *end)
{
    char text[NAME_MOST + 1];
    size_t length = 0;
    for (; at < end && length < NAME_MOST; at++)
        text[length++] = (char)(isprint((unsigned char)*at) ? *at : '?');
    while (length && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return pool_strdup(pool, text);
}

static int read_line(struct interruption_sources *sources, const char *line, const char *end,
                     const struct columns *columns, const struct cpulist *cpus, struct pool *pool)
{
    const char *name = skip_blanks(line), *colon = memchr(line, ':', (size_t)(end - line));
    if (!colon)
        return 0;
    struct interruption_source *source =
        pool_append(pool, (void **)&sources->list, &sources->count, sizeof *source);
    uint64_t *counts = pool_alloc(pool, cpus->count + 1, sizeof *counts);
    if (!source || !counts)
        return ERROR_SYSTEM;
    source->counts = counts;
    const char *at = skip_blanks(colon + 1);
    for (size_t i = 0; i < columns->count && at < end && isdigit((unsigned char)*at); i++) {
        char *after;
        counts[columns->of[i]] = strtoull(at, &after, 10);
        at = skip_blanks(after);
    }
    /* A device's line begins with the interrupt's number, and the device's name is the last word:
     * " 36: 0 3617537 PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0". */
    const char *rest = at < end ? at : end;
    while (end > rest && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (name + strspn(name, "0123456789") == colon && rest < end) {
        const char *word = end;
        while (word > rest && word[-1] != ' ' && word[-1] != '\t')
            word--;
        source->name = copy_text(pool, word, end);
        return source->name ? 0 : ERROR_SYSTEM;
    }
    source->name = copy_text(pool, name, colon);
    source->says = rest < end ? copy_text(pool, rest, end) : NULL;
    return source->name ? 0 : ERROR_SYSTEM;
}

static int read_table(struct interruption_sources *sources, const char *root, const char *path,
                      const struct cpulist *cpus, struct pool *pool)
{
    char *text = files_text(root, "%s", path);
    struct columns columns = {0};
    int code = 0;
    *sources = (struct interruption_sources){0};
    /* A text of the largest length that files_text() reads was cut: sums would be too small. */
    const bool whole = text && strlen(text) + 1 < FILES_TEXT_MAX;
    for (const char *line = whole ? text : NULL; line && *line && code == 0;) {
        const char *newline = strchr(line, '\n'), *end = newline ? newline : line + strlen(line);
        code = columns.count ? read_line(sources, line, end, &columns, cpus, pool)
                             : read_header(line, end, cpus, &columns, pool);
        if (!columns.count)
            break;
        line = newline ? newline + 1 : NULL;
    }
    free(text);
    return code;
}

int interruptions_read(struct interruptions *read, const char *root, const struct cpulist *cpus,
                       struct pool *pool, struct error *error)
{
    int code = read_table(&read->interrupts, root, "/proc/interrupts", cpus, pool);
    if (code == 0)
        code = read_table(&read->softirqs, root, "/proc/softirqs", cpus, pool);
    return code < 0 ? error_out_of_memory(error) : 0;
}
