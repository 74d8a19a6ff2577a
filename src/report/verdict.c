/* How far a document can be trusted, in a sentence. */
#include "report/builders.h"
#include "report/machine.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

/* What all points and findings of a document say of their own worth. */
struct tally {
    size_t findings, doubtful;
    size_t single;   /* findings of probes whose points have one trial at most */
    unsigned fewest; /* trials of the point that has the fewest; 0 where none has any */
    float coverage;  /* of the point that has the least */
};

static bool is_baseline(const struct document *document)
{
    return document->run.joined && strcmp(document->run.joined, "baseline") == 0;
}

static size_t finite_findings(const struct probe_result *probe)
{
    size_t count = 0;
    for (size_t i = 0; i < probe->finding_count; i++)
        count += isfinite(probe->findings[i].value) != 0;
    return count;
}

static void add_probe(struct tally *tally, const struct document *document,
                      const struct probe_result *probe)
{
    bool tried = is_baseline(document), single = document_is_imported(document);
    for (size_t i = 0; i < probe->finding_count; i++)
        tally->doubtful += flag_doubts(probe->findings[i].flags) != 0;
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++) {
            const struct summary *y = &probe->series[s].points[i].y;
            tried = tried || y->n > 1;
            single = single || y->n == 1;
            if (y->n && (!tally->fewest || y->n < tally->fewest))
                tally->fewest = y->n;
            if (y->n && y->coverage < tally->coverage)
                tally->coverage = y->coverage;
        }
    const size_t findings = finite_findings(probe);
    tally->findings += findings;
    tally->single += single && !tried ? findings : 0;
}

/* What a value and the interval beside it are; NULL where there is nothing to say. */
static const char *meaning_of(struct report *report, const struct document *document,
                              const struct tally *tally)
{
    if (is_baseline(document))
        return "Every value is the median over the documents; the interval beside it holds the "
               "middle 80 % "
               "of them.";
    if (document_is_imported(document) && tally->single == tally->findings)
        return NULL;
    if (tally->fewest == 1)
        return "Every value is the median of its trials. Some points have only one, and so no "
               "interval.";
    if (tally->fewest == 0)
        return NULL;
    return report_text(report,
                       "Every value is the median of %u or more independent trials; the interval "
                       "beside it holds the true median with a probability of %.0f %% or more.",
                       tally->fewest, floor((double)tally->coverage * 100));
}

static const char *sentence_of(struct report *report, const struct document *document,
                               const struct tally *tally)
{
    if (!document->run.complete)
        return "Not complete: the run was stopped, and this is what it had measured.";
    if (document_is_imported(document) && tally->single == tally->findings)
        return "Imported from another tool, which tells no trials: how certain the values are is "
               "unknown.";
    if (tally->findings == 0)
        return "No findings.";
    if (tally->doubtful)
        return report_text(report,
                           "%zu of %zu values are in doubt, marked !: the reasons stand below.",
                           tally->doubtful, tally->findings);
    if (tally->single)
        return report_text(report,
                           "%zu of %zu values come from a single trial: nothing is known of how "
                           "sure they are.",
                           tally->single, tally->findings);
    return report_text(report, "All %zu values can be trusted as they stand.", tally->findings);
}

void report_add_verdict(struct report *report, const struct document *document, size_t index)
{
    struct tally tally = {.coverage = 1};
    for (size_t p = 0; p < document->probe_count; p++)
        add_probe(&tally, document, &document->probes[p]);
    struct verdict_block verdict = {
        .good = document->run.complete && !tally.doubtful && !tally.single && tally.findings,
        .complete = document->run.complete,
        .sentence = sentence_of(report, document, &tally),
        .meaning = meaning_of(report, document, &tally),
    };
    report_add(report, BLOCK_VERDICT, SECTION_MACHINE, index)->verdict = verdict;
}
