#include "../render/made_up.h"

#include "show/report/builders.h"

static size_t count_kind(const struct report *report, enum block_kind kind, size_t document)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++)
        count += report->list[i].kind == kind && report->list[i].document == document;
    return count;
}

static void a_first_screen_has_its_sections_in_order(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    const struct document *list[] = {&document};
    struct report report;
    assert_int_equal(report_build(&report, list, 1, NULL, NULL), 0);
    for (size_t i = 1; i < report.count; i++)
        assert_true(report.list[i].section >= report.list[i - 1].section);
    assert_int_equal(report.list[0].kind, BLOCK_HEADING);
    assert_int_equal(report.list[0].heading.level, 1);
    assert_string_equal(report.list[0].heading.aside, "27 s");
    assert_int_equal(count_kind(&report, BLOCK_VERDICT, 0), 1);
    assert_int_equal(count_kind(&report, BLOCK_TABLE, 0), 1);
    assert_int_equal(count_kind(&report, BLOCK_CURVE, 0), 1);
    assert_int_equal(count_kind(&report, BLOCK_MATRIX, 0), 1);
    report_free(&report);
    document_free(&document);
}

static void each_of_several_documents_has_its_blocks(void **state)
{
    (void)state;
    struct document one, other;
    sample_document(&one, 2, 1);
    read_made_up(&other);
    const struct document *list[] = {&one, &other};
    struct report report;
    assert_int_equal(report_build(&report, list, 2, NULL, NULL), 0);
    for (size_t i = 1; i < report.count; i++)
        assert_true(report.list[i].document >= report.list[i - 1].document);
    assert_int_equal(count_kind(&report, BLOCK_VERDICT, 1), 1);
    for (size_t i = 0; i < report.count; i++)
        if (report.list[i].section == SECTION_DEVICE) {
            assert_int_equal(report.list[i].document, 1);
            assert_true(report.list[i].device == 0 || report.list[i].device == 1);
        }
    report_free(&report);
    document_free(&one);
    document_free(&other);
}

static void a_level_has_its_numbers_in_cells(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    const struct document *list[] = {&document};
    struct report report;
    assert_int_equal(report_begin(&report, list, 1, NULL), 0);
    report_add_levels(&report, 0, -1);
    const struct table *table = &report.list[0].table;
    assert_string_equal(table->rows[0].cells[0].text, "L1");
    assert_true(table->rows[0].cells[1].value == 5);
    assert_string_equal(table->rows[0].cells[1].finding->name, "L1.latency");
    assert_string_equal(table->columns[1].remark, "core clock 2.99 GHz");
    assert_true(table->rows[2].flags & FLAG_BIT(FLAG_TOO_FEW));
    report_free(&report);
    document_free(&document);
}

static void what_a_device_says_beside_its_tables_is_a_fact(void **state)
{
    (void)state;
    struct document document;
    read_made_up(&document);
    const struct document *list[] = {&document};
    struct report report;
    assert_int_equal(report_begin(&report, list, 1, NULL), 0);
    report_add_devices(&report, 0);
    assert_int_equal(report.list[0].kind, BLOCK_HEADING);
    assert_string_equal(report.list[0].heading.title, "gpu0");
    static const enum block_kind kinds[] = {BLOCK_TABLE, BLOCK_FACTS, BLOCK_TABLE, BLOCK_FACTS};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(report.list[1 + i].kind, kinds[i]);
    assert_string_equal(report.list[2].facts.list[0].label, "L1 by width");
    assert_string_equal(report.list[2].facts.list[0].text,
                        "32 bits 36.0 cycles, 64 bits 30.0 cycles, 128 bits 33.0 cycles");
    assert_string_equal(report.list[3].table.rows[1].cells[0].text, "L2");
    assert_string_equal(report.list[3].table.columns[2].name, "write");
    report_free(&report);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_screen_has_its_sections_in_order),
        cmocka_unit_test(each_of_several_documents_has_its_blocks),
        cmocka_unit_test(a_level_has_its_numbers_in_cells),
        cmocka_unit_test(what_a_device_says_beside_its_tables_is_a_fact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
