/* Where what was found and what the machine says of itself are not the same. */
#include "base/text.h"
#include "findings/device.h"
#include "views/clean.h"
#include "views/parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool disagreement_is(const struct finding *finding)
{
    if (!finding->text || strncmp(finding->name, "cluster", 7) == 0)
        return false;
    if (text_ends_with(finding->name, ".disagreement"))
        return true;
    return isfinite(finding->declared) &&
           (finding->low > finding->declared || finding->high < finding->declared);
}

void line_add_disagreement(struct line *line, const struct finding *finding)
{
    if (!text_ends_with(finding->name, ".disagreement")) {
        const char *rest;
        char name[CLEAN_TEXT];
        int device = device_of_name(finding->name, &rest);
        clean_text(rest, name, sizeof name);
        /* Of a device all but what it is: "gpu0 split.32K.L1" of its capacity. */
        const char *last = strrchr(name, '.');
        if (device >= 0)
            line_add(line, "gpu%d ", device);
        line_add(line,
                 "%.*s: ", (int)(device >= 0 && last ? last - name : (ptrdiff_t)strcspn(name, ".")),
                 name);
    }
    line_add_clean(line, finding->text);
}

size_t disagreements_print(FILE *out, const struct document *document,
                           const struct probe_result *only, const struct view_style *style)
{
    size_t count = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            if ((only && only != &document->probes[p]) || !disagreement_is(finding))
                continue;
            count++;
            if (!out)
                continue;
            struct line line = {0};
            line_add_disagreement(&line, finding);
            fprintf(out, "  %s*%s ", ink(style, INK_BOLD), ink(style, INK_PLAIN));
            line_print_wrapped(out, style, 4, &line);
        }
    return count;
}
