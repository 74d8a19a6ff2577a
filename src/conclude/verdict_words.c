/* Writes the verdict as a sentence for people, and into the document. */
#include "base/pool.h"
#include "base/text.h"
#include "conclude/verdict.h"
#include "document/flag.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NAMES_MAX = 8 }; /* of parts in a sentence */

const char *const verdict_state_names[VERDICT_STATES] = {
    [VERDICT_SOUND] = "sound",       [VERDICT_BUSY] = "busy",       [VERDICT_SHORT] = "short",
    [VERDICT_DOUBTFUL] = "doubtful", [VERDICT_SINGLE] = "single",   [VERDICT_IMPORTED] = "imported",
    [VERDICT_MODELLED] = "modelled", [VERDICT_STOPPED] = "stopped", [VERDICT_EMPTY] = "empty"};

static const struct trust_words {
    const char *before;
    const char *behind_one, *behind_many;
} words_of[PART_TRUSTS] = {
    [PART_RELY] = {"rely on ", "", ""},
    [PART_BESIDE] = {"", " includes other programs' load", " include other programs' load"},
    [PART_DOUBT] = {"", " is in doubt (marked !)", " are in doubt (marked !)"},
    [PART_LACKING] = {"", " is not complete", " are not complete"},
};

static size_t count_of(const struct document_verdict *verdict, enum part_trust trust)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->part_count; i++)
        count += verdict->parts[i].trust == trust;
    return count;
}

/* "L3, DRAM and bandwidth include other programs' load" */
static void add_parts(struct line *line, const struct document_verdict *verdict,
                      enum part_trust trust)
{
    const size_t count = count_of(verdict, trust);
    const size_t shown = count > NAMES_MAX ? NAMES_MAX - 1 : count;
    const bool rely = trust == PART_RELY;
    bool many = count > 1;
    size_t said = 0;
    line_add(line, "%s", words_of[trust].before);
    for (size_t i = 0; i < verdict->part_count && said < shown; i++) {
        if (verdict->parts[i].trust != trust)
            continue;
        line_add(line, "%s", !said ? "" : said + 1 == count && !rely ? " and " : ", ");
        line_add_clean(line, verdict->parts[i].name);
        said++;
        many = many || text_ends_with(verdict->parts[i].name, "s"); /* hand-offs */
    }
    if (count > shown)
        line_add(line, " and %zu more", count - shown);
    line_add(line, "%s", many ? words_of[trust].behind_many : words_of[trust].behind_one);
}

/* What a person can do. */
static void add_next(struct line *line, const struct document *document,
                     const struct document_verdict *verdict)
{
    const bool lacking = count_of(verdict, PART_LACKING) > 0;
    bool failed = false;
    for (size_t p = 0; p < document->probe_count; p++)
        failed = failed || document->probes[p].status == PROBE_FAILED;
    if (verdict->state == VERDICT_BUSY) {
        if (lacking || verdict->doubtful || count_of(verdict, PART_BESIDE))
            line_add(line, " Repeat when idle, or --thorough.");
    } else if (failed || document_is_imported(document)) {
        line_add(line, " The reason is below.");
    } else if (verdict->state == VERDICT_SHORT) {
        line_add(line, " Repeat with --thorough or a larger --budget.");
    } else if (verdict->remedy >= 0) {
        line_add(line, " What helps: %s.", flag_texts[verdict->remedy].remedy);
    }
}

void line_add_verdict(struct line *line, const struct document *document,
                      const struct document_verdict *verdict)
{
    const struct document_verdict *is = verdict;
    const char *many = is->values == 1 ? "" : "s";
    struct line parts = {0};
    for (enum part_trust trust = PART_RELY; trust < PART_TRUSTS; trust++) {
        if (!count_of(is, trust))
            continue;
        line_add(&parts, "%s", parts.length ? "; " : "");
        add_parts(&parts, is, trust);
    }
    if (is->modelled && is->state != VERDICT_MODELLED)
        line_add(line, "Modelled, not measured. ");
    switch (is->state) {
    case VERDICT_EMPTY:
        line_add(line, "Nothing was measured: the reason is below.");
        return;
    case VERDICT_IMPORTED:
        line_add(line,
                 "Imported: the table holds no trials, so the precision of its values is unknown.");
        return;
    case VERDICT_SINGLE:
        line_add(
            line,
            "%zu of %zu value%s come%s from a single trial: nothing is known of how precise %s.",
            is->single, is->values, many, is->single == 1 ? "s" : "",
            is->single == 1 ? "it is" : "they are");
        return;
    case VERDICT_MODELLED:
        line_add(line, "Modelled: %zu value%s of a model, none of hardware.", is->values, many);
        return;
    case VERDICT_SOUND:
        line_add(line,
                 is->values == 1 ? "The one value can be relied on."
                                 : "All %zu values can be relied on.",
                 is->values);
        return;
    case VERDICT_STOPPED:
        line_add(line, "Not complete: the run was stopped, and this is what it had measured%s%s.",
                 parts.length ? "; " : "", parts.text);
        return;
    case VERDICT_BUSY:
        if (!parts.length) /* noise alone: other programs' interference is what was measured */
            line_add(line, "Busy (%s): it was measured, and can be relied on.", is->busy.text);
        else
            line_add(line, "Busy (%s): %s.", is->busy.text, parts.text);
        break;
    case VERDICT_SHORT:
        line_add(line, "Too little time: %s.", parts.text);
        break;
    default:
        parts.text[0] = (char)(count_of(is, PART_RELY) ? 'R' : parts.text[0]);
        line_add(line, "%s.", parts.text);
    }
    add_next(line, document, is);
}

/* --- in the document --- */

static void note_parts(struct document *document, const struct document_verdict *verdict,
                       enum part_trust trust, const char ***list, size_t *count)
{
    *list = NULL;
    *count = 0;
    for (size_t i = 0; i < verdict->part_count; i++) {
        if (verdict->parts[i].trust != trust)
            continue;
        const char **slot =
            pool_append(&document->pool, (void **)list, count, sizeof(const char *));
        *slot = pool_strdup(&document->pool, verdict->parts[i].name);
    }
}

static int note(void *with)
{
    struct document *document = with;
    struct document_verdict verdict;
    struct line line = {0};
    struct verdict_facts *facts = &document->verdict;
    verdict_of(&verdict, document);
    line_add_verdict(&line, document, &verdict);
    facts->state = verdict_state_names[verdict.state];
    facts->sentence = pool_strdup(&document->pool, line.text);
    note_parts(document, &verdict, PART_RELY, &facts->rely, &facts->rely_count);
    note_parts(document, &verdict, PART_BESIDE, &facts->beside, &facts->beside_count);
    note_parts(document, &verdict, PART_DOUBT, &facts->doubt, &facts->doubt_count);
    note_parts(document, &verdict, PART_LACKING, &facts->lacking, &facts->lacking_count);
    return 0;
}

int verdict_note(struct document *document, struct error *error)
{
    return pool_enter(&document->pool, note, document, error);
}
