/* Where each CPU of a matrix sits, as the probe's parameter "cpu_labels" tells it: "0=c0.0 1=c0.1",
 * an id and its label, with blanks between. */
#include "base/clean.h"
#include "render/parts.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 12 };

/* The label of the entry at *cursor, having moved past it; its id. -1 at the end. */
static int next_label(const char **cursor, const char **label, size_t *length)
{
    while (**cursor) {
        *cursor += strspn(*cursor, " ");
        const char *entry = *cursor;
        size_t bytes = strcspn(entry, " ");
        *cursor += bytes;
        char *end;
        long id = strtol(entry, &end, 10);
        if (end == entry || *end != '=' || id < 0 || id > 1 << 30)
            continue;
        *label = end + 1;
        *length = (size_t)(entry + bytes - *label);
        if (*length <= LABEL_MAX)
            return (int)id;
    }
    return -1;
}

int label_columns(const char *labels)
{
    size_t widest = 0, length;
    const char *label;
    while (labels && next_label(&labels, &label, &length) >= 0)
        widest = length > widest ? length : widest;
    return widest ? (int)widest + 1 : 0;
}

void label_print(FILE *out, const char *labels, int id, int columns)
{
    char text[LABEL_MAX + 1] = "", clean[LABEL_MAX + 1];
    const char *label;
    size_t length;
    for (int found; columns && (found = next_label(&labels, &label, &length)) >= 0;)
        if (found == id) {
            memcpy(text, label, length);
            text[length] = '\0';
            break;
        }
    clean_text(text, clean, sizeof clean);
    fprintf(out, "%*s%s", columns - (int)clean_columns(clean), "", clean);
}
