#include "show/report/names.h"

#include "base/clean.h"

#include <stdio.h>
#include <string.h>

/* As much of the end of a path as tells it from the other documents'; NULL where nothing does. */
static const char *file_of(const struct document *const *documents, size_t count, size_t index)
{
    const char *path = documents[index]->file;
    const char *name = path ? strrchr(path, '/') : NULL;
    name = name ? name + 1 : path;
    for (size_t i = 0; i < count && name; i++) {
        const char *other = i == index ? NULL : documents[i]->file;
        const size_t length = strlen(name), others = other ? strlen(other) : 0;
        if (others < length || strcmp(other + others - length, name) != 0 ||
            (others > length && other[others - length - 1] != '/'))
            continue;
        if (name == path)
            return NULL;
        for (name--; name > path && name[-1] != '/';) /* a folder more */
            name--;
        i = (size_t)-1;
    }
    return name;
}

void line_add_document(struct line *line, const struct document *const *documents, size_t count,
                       size_t index)
{
    const struct machine_facts *machine = &documents[index]->machine;
    const char *file = file_of(documents, count, index);
    const char *host = machine->hostname && *machine->hostname ? machine->hostname
                       : machine->cpu_model                    ? machine->cpu_model
                       : count == 1 && file                    ? file
                                                               : "unknown machine";
    char name[CLEAN_TEXT];
    if (count > 1 && !file && index < 26)
        line_add(line, "%c ", (int)('A' + index));
    else if (count > 1 && !file)
        line_add(line, "%zu ", index + 1);
    line_add(line, "%s", clean_text(count > 1 && file ? file : host, name, sizeof name));
}

const char *document_time(const char *started, char text[DOCUMENT_TIME])
{
    int end = 0;
    if (started)
        sscanf(started, "%*4d-%*2d-%*2dT%*2d:%*2d:%*2dZ%n", &end);
    if (end != 20 || started[end] != '\0')
        return clean_text(started, text, DOCUMENT_TIME);
    snprintf(text, DOCUMENT_TIME, "%.10s %.5s UTC", started, started + 11);
    return text;
}
