#include "show/report/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_cell(struct cell cell, const char *expected)
{
    char text[CELL_TEXT];
    assert_string_equal(cell_text(&cell, text), expected);
}

static void a_cell_is_shown_as_its_form_says(void **state)
{
    (void)state;
    const struct finding latency = {
        .name = "L1.latency", .unit = "cycles", .value = 5, .low = 4.9, .high = 5.1};
    assert_cell((struct cell){0}, "");
    assert_cell(cell_of_text("a\033b"), "a?b");
    assert_cell(cell_of_finding(NULL, FORM_VALUE), "");
    assert_cell(cell_of_finding(&latency, FORM_MEASURED), "5.00 cycles");
    assert_cell(cell_of_finding(&latency, FORM_VALUE), "5.00 cycles");
    assert_cell(cell_of_finding(&latency, FORM_PERCENT), "2.0");
    assert_cell(cell_of_value(49152, "B", FORM_VALUE), "48 KiB");
    assert_cell(cell_of_value(49152, "B", FORM_PLACE), "48 KiB");
    assert_cell(cell_of_value(14.8e9, "B/s", FORM_VALUE), "14.8 GB/s");
    assert_cell(cell_of_value(14.8e9, "B/s", FORM_NUMBER), "14.8");
    assert_cell(cell_of_value(64, "B", FORM_WHOLE), "64");
    assert_cell(cell_of_value(NAN, "cycles", FORM_MEASURED), "-");
    assert_cell(cell_of_value(INFINITY, "", FORM_WHOLE), "-");
}

static void what_is_added_stands_in_the_order_of_adding(void **state)
{
    (void)state;
    struct report report = {0};
    for (size_t i = 0; i < 100; i++)
        report_add(&report, BLOCK_NOTE, SECTION_KNOW, i)->note.what =
            report_text(&report, "%zu", i);
    assert_int_equal(report.count, 100);
    assert_int_equal(report.list[99].document, 99);
    assert_string_equal(report.list[99].note.what, "99");
    assert_int_equal(report.list[0].device, -1);
    assert_false(report.no_memory);
    report_free(&report);
}

static void a_row_has_an_empty_cell_for_each_column(void **state)
{
    (void)state;
    struct report report = {0};
    struct table *table = &report_add(&report, BLOCK_TABLE, SECTION_DEPTH, 0)->table;
    table_add_column(&report, table, "level")->words = true;
    table_add_column(&report, table, "latency");
    struct row *row = table_add_row(&report, table);
    row->cells[0] = cell_of_text("L1");
    row = table_add_row(&report, table);
    row->cells[1] = cell_of_value(5, "cycles", FORM_MEASURED);
    assert_int_equal(table->column_count, 2);
    assert_int_equal(table->row_count, 2);
    assert_cell(table->rows[0].cells[0], "L1");
    assert_cell(table->rows[0].cells[1], "");
    assert_cell(table->rows[1].cells[1], "5.00 cycles");
    report_free(&report);
}

static void an_empty_line_is_no_text(void **state)
{
    (void)state;
    struct report report = {0};
    struct line line = {0};
    assert_null(report_line(&report, &line));
    line_add(&line, "x");
    assert_string_equal(report_line(&report, &line), "x");
    report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_shown_as_its_form_says),
        cmocka_unit_test(what_is_added_stands_in_the_order_of_adding),
        cmocka_unit_test(a_row_has_an_empty_cell_for_each_column),
        cmocka_unit_test(an_empty_line_is_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
