/* The document's verdict (conclude/verdict.h) as the first block behind the title. */
#include "conclude/verdict.h"
#include "conclude/registry/registry.h"
#include "show/report/builders.h"
#include "stats/quiet.h"

#include <math.h>
#include <string.h>

/* Whether the datasheet shows quiet values. */
static bool shows_quiet(const struct document *document)
{
    for (size_t i = 0; i < document->probe_count; i++)
        for (size_t j = 0; j < document->probes[i].finding_count; j++) {
            const struct finding *finding = &document->probes[i].findings[j];
            if (quiet_is_known(&finding->quiet) && finding_meaning(finding).role == ROLE_LEVEL)
                return true;
        }
    return false;
}

/* What a value and the interval beside it are; NULL where there is nothing to say. */
static const char *meaning_of(struct report *report, const struct document *document,
                              const struct document_verdict *verdict)
{
    if (document->run.joined && strcmp(document->run.joined, "baseline") == 0)
        return "Every value is the median over the documents; the interval beside it holds the "
               "middle 80 % of them.";
    if (verdict->state == VERDICT_IMPORTED || verdict->fewest == 0)
        return NULL;
    const char *quiet = shows_quiet(document)
                            ? " Levels show their quiet value: what the hardware does when "
                              "nothing else takes its time."
                            : "";
    if (verdict->fewest == 1)
        return report_text(report,
                           "Every value is the median of its trials. Some points have only one, "
                           "and so no interval.%s",
                           quiet);
    return report_text(report,
                       "Every value is the median of %u or more independent trials; the interval "
                       "beside it holds the true median with a probability of %.0f %% or more.%s",
                       verdict->fewest, floor((double)verdict->coverage * 100), quiet);
}

void report_add_verdict(struct report *report, const struct document *document, size_t index)
{
    struct document_verdict verdict;
    struct line sentence = {0};
    verdict_of(&verdict, document);
    line_add_verdict(&sentence, document, &verdict);
    report_add(report, BLOCK_VERDICT, SECTION_MACHINE, index)->verdict =
        (struct verdict_block){.good = verdict.state == VERDICT_SOUND,
                               .sentence = report_line(report, &sentence),
                               .meaning = meaning_of(report, document, &verdict)};
}
