/*
 * Each finding a line: its name, its value, the unit, and the ends of its interval. This is what
 * scripts/new begins an output with; docs/adding.md tells how to go on.
 */
#include "show/render/output.h"

#include "base/clean.h"

#include <math.h>

/* A document may be another person's: all text of it is made inert before it is written. */
static void put_finding(FILE *out, const struct finding *finding)
{
    char name[CLEAN_TEXT], unit[CLEAN_TEXT];
    if (!isfinite(finding->value))
        return; /* it says something in words alone */
    fprintf(out, "%s %.9g %s", clean_text(finding->name, name, sizeof name), finding->value,
            clean_text(finding->unit, unit, sizeof unit));
    if (isfinite(finding->low) && isfinite(finding->high))
        fprintf(out, " %.9g %.9g", finding->low, finding->high);
    fputc('\n', out);
}

static void write_findings(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    (void)pool; /* where all of its memory would be from */
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++)
            put_finding(out, &document->probes[p].findings[i]);
}

const struct output skeleton_output = {
    .name = "skeleton",
    .place = 0,
    .help = "each finding a line",
    .write = write_findings,
};
