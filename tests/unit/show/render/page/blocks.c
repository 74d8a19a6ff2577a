#include "page.h"

#include "conclude/complete.h"

#include <math.h>

static void set_trials(struct document *document, unsigned n)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            for (size_t i = 0; i < document->probes[p].series[s].point_count; i++)
                document->probes[p].series[s].points[i].y.n = n;
}

static void what_was_imported_is_not_called_trustworthy_or_timed_by_fathom(void **state)
{
    (void)state;
    struct document document = {0};
    sample_document(&document, 4, 2);
    const struct document *list[] = {&document};
    document.run = (struct run_facts){.elapsed_s = NAN, .complete = true};
    set_trials(&document, 1);
    for (size_t p = 0; p < document.probe_count; p++)
        for (size_t i = 0; i < document.probes[p].finding_count; i++)
            document.probes[p].findings[i].flags = 0;
    char *page = page_of(list, 1);
    assert_null(strstr(page, "can be relied on"));
    assert_non_null(strstr(page, "Imported: the table holds no trials"));
    assert_non_null(strstr(page, "<p class=run>Another tool's table"));
    assert_null(strstr(page, "To repeat"));
    assert_null(strstr(page, ", seed "));
    assert_null(strstr(page, "<details class=loop"));
    free(page);
    document_free(&document);
}

static void a_single_trial_is_said_to_be_one(void **state)
{
    (void)state;
    struct document document;
    read_made_up(&document);
    const struct document *list[] = {&document};
    char *page = page_of(list, 1);
    assert_null(strstr(page, "single trial"));
    free(page);
    set_trials(&document, 1);
    for (size_t i = 0; i < document.probes[0].finding_count; i++)
        document.probes[0].findings[i].flags = 0;
    page = page_of(list, 1);
    assert_non_null(strstr(page, " come from a single trial: nothing is known"));
    assert_null(strstr(page, "can be relied on"));
    free(page);
    document_free(&document);
}

static void what_was_joined_of_several_runs_says_so(void **state)
{
    (void)state;
    struct document document = {0};
    sample_document(&document, 4, 2);
    const struct document *list[] = {&document};
    char *page = page_of(list, 1);
    assert_int_equal(count_of(page, "To repeat: "), document.probe_count);
    free(page);
    document.run = (struct run_facts){.started = "2026-11-21T04:18:25Z",
                                      .elapsed_s = NAN,
                                      .complete = true,
                                      .joined = "merge",
                                      .documents = 2};
    page = page_of(list, 1);
    assert_null(strstr(page, "To repeat"));
    assert_non_null(strstr(page, "<p class=run>Merged from 2 documents, the newest of 2026-11-21"));
    free(page);
    document.run.started = NULL; /* of tables that other tools wrote */
    page = page_of(list, 1);
    assert_null(strstr(page, "Another tool's table"));
    assert_non_null(strstr(page, "<p class=run>Merged from 2 documents"));
    free(page);
    document.run.started = "2026-11-21T04:18:25Z";
    document.run.joined = "baseline";
    page = page_of(list, 1);
    assert_null(strstr(page, "independent trials"));
    assert_non_null(strstr(page, "Every value is the median over the documents"));
    free(page);
    document_free(&document);
}

static void what_disagrees_has_to_be_known(void **state)
{
    (void)state;
    struct document document = {0};
    sample_document(&document, 4, 2);
    const struct document *list[] = {&document};
    set_trials(&document, 5);
    document.conditions.remark_count = 0;
    struct finding *changed = NULL;
    for (size_t p = 0; p < document.probe_count; p++) {
        document.probes[p].status = PROBE_OK;
        for (size_t s = 0; s < document.probes[p].series_count; s++)
            for (size_t i = 0; i < document.probes[p].series[s].point_count; i++)
                document.probes[p].series[s].points[i].flags = 0;
        for (size_t i = 0; i < document.probes[p].finding_count; i++) {
            changed = &document.probes[p].findings[i];
            changed->flags = 0;
            changed->declared = NAN;
        }
    }
    char *page = page_of(list, 1);
    assert_null(strstr(page, "<section class=know"));
    free(page);
    assert_non_null(changed);
    changed->name = "L3.capacity";
    changed->unit = "B";
    changed->value = changed->low = changed->high = 6e6;
    changed->declared = 32e6;
    changed->text = "so much of it behaves as cache <here>";
    page = page_of(list, 1);
    assert_non_null(strstr(page, "<li class=disagreement>L3: so much of it behaves as cache "
                                 "&lt;here&gt;"));
    free(page);
    document_free(&document);
}

static void read_experiments(struct document *document)
{
    struct error error = {0};
    char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/findings/experiments.json", source ? source : ".");
    assert_int_equal(experiment_read(document, path, &error), 0);
}

static void experiments_stand_beside_what_they_are_of(void **state)
{
    (void)state;
    struct document document = {0};
    read_experiments(&document);
    const struct document *list[] = {&document, &document};
    char *page = page_of(list, 1);
    const char *datasheet = strstr(page, "<table class=datasheet>");
    assert_non_null(datasheet);
    assert_non_null(strstr(datasheet, "<tr><th scope=row>L2<td>17.0 cycles"));
    assert_non_null(strstr(datasheet, "<tr><th scope=row>L2 <small class=experiment>order forward"
                                      "</small><td>6.58 cycles"));
    assert_non_null(strstr(page, "L2.latency (order forward)</span>"));
    assert_non_null(strstr(page, "\"label\":\"L2 (order forward, stride 8)\""));
    free(page);
    page = page_of(list, 2);
    const char *differences = strstr(page, "<table class=differences>");
    assert_non_null(differences);
    assert_non_null(strstr(differences, "<th scope=row>L2.latency<td>17.0 cycles"));
    assert_non_null(strstr(differences, "<th scope=row>L2.latency <small class=experiment>order "
                                        "forward</small><td>6.58 cycles"));
    assert_null(strstr(differences, "missing here"));
    free(page);
    document_free(&document);
}

static void what_failed_has_to_be_known_and_what_a_finding_means_is_at_hand(void **state)
{
    (void)state;
    struct document document = {0};
    read_experiments(&document);
    const struct document *list[] = {&document};
    char *page = page_of(list, 1);
    assert_non_null(strstr(page, "<li class=doubtful><strong>2 latency points failed, 1 GiB "
                                 "first</strong> <span class=reason>no memory for 1 GiB</span>"));
    assert_non_null(strstr(page, "<details class=meaning><summary>L2.latency <small "
                                 "class=experiment>order forward</small></summary><p>Load-to-use"));
    document.probes[0].findings[0].name = "syscall.latency";
    free(page);
    page = page_of(list, 1);
    assert_non_null(strstr(page, "<tr><th scope=row>syscall.latency<td>"));
    free(page);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_imported_is_not_called_trustworthy_or_timed_by_fathom),
        cmocka_unit_test(a_single_trial_is_said_to_be_one),
        cmocka_unit_test(what_was_joined_of_several_runs_says_so),
        cmocka_unit_test(what_disagrees_has_to_be_known),
        cmocka_unit_test(experiments_stand_beside_what_they_are_of),
        cmocka_unit_test(what_failed_has_to_be_known_and_what_a_finding_means_is_at_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
