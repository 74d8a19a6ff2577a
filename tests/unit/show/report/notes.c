#include "../render/capture.h"

#include "show/report/parts.h"

static struct report build(const struct document *const *documents,
                           const struct probe_result *probe)
{
    struct report report;
    report_begin(&report, &test_pool, documents, 1);
    report_collect_notes(&report, 0, probe);
    report_add_notes(&report, 0, probe, true);
    return report;
}

static const struct note *find(const struct report *report, enum note_kind kind, const char *what)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct block *block = &report->list[i];
        assert_int_equal(block->section, SECTION_KNOW);
        if (block->kind == BLOCK_NOTE && block->note.kind == kind && strstr(block->note.what, what))
            return &block->note;
    }
    fail_msg("no note: %s", what);
    return NULL;
}

static size_t count_of(const struct report *report, const char *what)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++)
        count += report->list[i].kind == BLOCK_NOTE && strstr(report->list[i].note.what, what);
    return count;
}

static void nothing_to_know_is_no_heading(void **state)
{
    (void)state;
    struct document document = {0};
    const struct document *list[] = {&document};
    struct report report = build(list, NULL);
    assert_int_equal(report.count, 0);
    pool_free(&test_pool);
}

static void points_that_failed_are_counted_by_their_reason(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    static const char *const reasons[] = {"no memory", "went offline", "no memory", "c", "d", "e"};
    for (size_t i = 0; i < 6; i++)
        document.probes[0].series[0].points[i].failed = reasons[i];
    const struct document *list[] = {&document};
    struct report report = build(list, NULL);
    assert_string_equal(
        find(&report, NOTE_DOUBT, "2 latency points failed, the first at 1 KiB")->why, "no memory");
    assert_non_null(find(&report, NOTE_DOUBT, "1 latency point failed"));
    const struct note *last = &report.list[1].note;
    for (size_t i = 0; i < report.count; i++)
        if (report.list[i].kind == BLOCK_NOTE && strstr(report.list[i].note.what, " failed, "))
            last = &report.list[i].note;
    assert_string_equal(last->why, "c (and 2 more for other reasons)");
    pool_free(&test_pool);
    document_free(&document);
}

static void a_remark_that_names_the_hypervisor_stands_for_the_flag(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].findings[0].flags |= FLAG_BIT(FLAG_VIRTUAL_MACHINE);
    const struct document *list[] = {&document};
    struct report report = build(list, NULL);
    assert_int_equal(count_of(&report, "a virtual machine"), 1);
    assert_non_null(find(&report, NOTE_REMARK, "a virtual machine")->whom);
    pool_free(&test_pool);
    document.conditions.remarks[0] =
        (struct remark){"a virtual machine (KVM)", "its CPUs move", "measure on the host"};
    report = build(list, NULL);
    assert_int_equal(count_of(&report, "a virtual machine"), 1);
    assert_int_equal(count_of(&report, "(KVM)"), 1);
    pool_free(&test_pool);
    document_free(&document);
}

static void a_probe_in_full_knows_its_own_and_what_it_left_out(void **state)
{
    (void)state;
    struct document document;
    struct factor parameter[] = {{parameter_not_measured, "texture: it has none", NAN}};
    sample_document(&document, 2, 1);
    struct probe_result *probe = &document.probes[1];
    probe->parameters = parameter;
    probe->parameter_count = 1;
    const struct document *list[] = {&document};
    struct report report = build(list, probe);
    assert_string_equal(find(&report, NOTE_REMARK, "not measured")->why, "texture: it has none");
    assert_int_equal(count_of(&report, "numa was skipped"), 0);
    assert_ptr_equal(report.list[0].probe, probe);
    pool_free(&test_pool);
    report = build(list, NULL);
    assert_string_equal(find(&report, NOTE_REMARK, "not measured by")->why, "texture: it has none");
    pool_free(&test_pool);
    document_free(&document);
}

static void many_remarks_are_counted(void **state)
{
    (void)state;
    struct remark remarks[40];
    struct document document;
    sample_document(&document, 2, 1);
    for (int i = 0; i < 40; i++)
        remarks[i] = (struct remark){.what = "busy"};
    document.conditions.remarks = remarks;
    document.conditions.remark_count = 40;
    const struct document *list[] = {&document};
    struct report report = build(list, NULL);
    assert_int_equal(count_of(&report, "busy"), 8);
    assert_int_equal(count_of(&report, "32 more are in the document"), 1);
    pool_free(&test_pool);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_know_is_no_heading),
        cmocka_unit_test(points_that_failed_are_counted_by_their_reason),
        cmocka_unit_test(a_remark_that_names_the_hypervisor_stands_for_the_flag),
        cmocka_unit_test(a_probe_in_full_knows_its_own_and_what_it_left_out),
        cmocka_unit_test(many_remarks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
