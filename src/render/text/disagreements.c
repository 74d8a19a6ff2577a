/* Where what was found and what the machine says of itself are not the same. */
#include "findings/device.h"
#include "render/clean.h"
#include "render/parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool disagreement_is(const struct shown *shown)
{
    const struct finding *finding = shown->finding;
    if (!finding->text || clusters_have(shown))
        return false;
    if (shown->meaning.role == ROLE_DISAGREEMENT || shown->meaning.role == ROLE_NOTE)
        return true;
    return isfinite(finding->declared) &&
           (finding->low > finding->declared || finding->high < finding->declared);
}

void line_add_disagreement(struct line *line, const struct shown *shown)
{
    const struct finding *finding = shown->finding;
    struct line what = {0};
    /* What is there to disagree has a sentence that names what it is about. */
    if (shown->meaning.role != ROLE_DISAGREEMENT && shown->meaning.role != ROLE_NOTE) {
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

size_t disagreements_print(FILE *out, const struct showing *showing, const struct view_style *style)
{
    size_t count = 0;
    for (size_t i = 0; i < showing->count; i++) {
        const struct shown *shown = &showing->list[i];
        if (!disagreement_is(shown))
            continue;
        count++;
        if (!out)
            continue;
        struct line line = {0};
        line_add_disagreement(&line, shown);
        fprintf(out, "  %s*%s ", ink(style, INK_BOLD), ink(style, INK_PLAIN));
        line_print_wrapped(out, style, 4, &line);
    }
    return count;
}
