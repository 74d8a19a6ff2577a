/* Where what was found and what the machine says of itself are not the same. */
#include "base/clean.h"
#include "findings/device.h"
#include "render/parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool disagreement_is(const struct catalogue_entry *entry)
{
    const struct finding *finding = entry->finding;
    if (!finding->text || clusters_have(entry))
        return false;
    if (entry->meaning.role == ROLE_DISAGREEMENT || entry->meaning.role == ROLE_NOTE)
        return true;
    return isfinite(finding->declared) &&
           (finding->low > finding->declared || finding->high < finding->declared);
}

void line_add_disagreement(struct line *line, const struct catalogue_entry *entry)
{
    const struct finding *finding = entry->finding;
    struct line what = {0};
    /* What is there to disagree has a sentence that names what it is about. */
    if (entry->meaning.role != ROLE_DISAGREEMENT && entry->meaning.role != ROLE_NOTE) {
        const char *rest;
        char name[CLEAN_TEXT];
        int device = device_of_name(finding->name, &rest);
        clean_text(rest, name, sizeof name);
        /* Of a device all but what it is: "gpu0 split.32K.L1" of its capacity. */
        const char *last = strrchr(name, '.');
        if (device >= 0)
            line_add(&what, "gpu%d ", device);
        line_add(&what, "%.*s",
                 (int)(device >= 0 && last ? last - name : (ptrdiff_t)strcspn(name, ".")), name);
    }
    line_add_experiment(&what, finding);
    line_add(line, "%s%s", what.text, what.length ? ": " : "");
    line_add_clean(line, finding->text);
}

size_t disagreements_print(FILE *out, const struct catalogue *catalogue,
                           const struct view_style *style)
{
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (!disagreement_is(entry))
            continue;
        count++;
        if (!out)
            continue;
        struct line line = {0};
        line_add_disagreement(&line, entry);
        fprintf(out, "  %s*%s ", ink(style, INK_BOLD), ink(style, INK_PLAIN));
        line_print_wrapped(out, style, 4, &line);
    }
    return count;
}
