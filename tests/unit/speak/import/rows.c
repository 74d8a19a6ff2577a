#include "speak/import/rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct import_text text_of(const char *text)
{
    return (struct import_text){.file = "table", .text = text, .length = strlen(text)};
}

/* The lines of a text begin here. */
static void begin(struct rows *rows, struct import_text *text, const char *bytes)
{
    *text = text_of(bytes);
    rows_begin(rows, text);
}

static void lines_are_counted_and_trimmed(void **state)
{
    (void)state;
    static struct rows rows;
    struct import_text text;
    begin(&rows, &text, "\xef\xbb\xbf first \r\n\n# remark\n\tlast");
    assert_true(rows_next(&rows) && rows.number == 1 && rows.length == 5);
    assert_true(rows_begins(&rows, "first") && !rows_begins(&rows, "firsts"));
    assert_true(rows_next(&rows) && rows.number == 2 && rows.length == 0);
    const struct rows_place place = rows_place(&rows);
    assert_true(rows_next_said(&rows) && rows.number == 4 && rows_begins(&rows, "last"));
    assert_false(rows_next(&rows));
    rows_return(&rows, place);
    assert_true(rows_next(&rows) && rows.number == 3 && rows_begins(&rows, "# remark"));
    begin(&rows, &text, "");
    assert_false(rows_next(&rows));
}

static void fields_know_where_they_stand(void **state)
{
    (void)state;
    static struct rows rows;
    struct import_text text;
    begin(&rows, &text,
          "  ab \t\xc3\xa9"
          "f  ghi \r\na,,\"b c\" ,\n;\n");
    rows_next(&rows);
    assert_int_equal(rows_cut(&rows, 0), 3);
    assert_true(field_is(&rows.fields[0], "ab") && rows.fields[0].column == 2 &&
                rows.fields[0].end == 4);
    assert_true(rows.fields[1].column == 6 && rows.fields[1].end == 8); /* two characters */
    assert_true(rows.fields[2].column == 10 && rows.fields[2].end == 13);
    rows_next(&rows);
    assert_true(rows_separator(&rows) == ',');
    assert_int_equal(rows_split(&rows), 4);
    assert_true(field_is(&rows.fields[2], "b c") && rows.fields[1].length == 0 &&
                rows.fields[3].length == 0);
    rows_next(&rows);
    assert_int_equal(rows_split(&rows), 2);
}

static struct field field_of(const char *text)
{
    return (struct field){text, strlen(text), 0, 0};
}

static void fields_are_numbers_sizes_and_ids(void **state)
{
    (void)state;
    static const char *const none[] = {"", "nan", "inf", "0x10", "1,5", "1 2", "4Q", "-"};
    struct field field = field_of("1.5e3");
    assert_true(field_number(&field) == 1500 && field_begins_number(&field));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        field = field_of(none[i]);
        assert_true(isnan(field_number(&field)) && field_size(&field, 1) == 0 &&
                    field_id(&field) < 0);
    }
    field = field_of("48K");
    assert_true(field_size(&field, 1) == 49152 && field_has_unit(&field));
    field = field_of("0.5");
    assert_true(field_size(&field, 1024) == 512 && field_size(&field, 1) == 0);
    assert_false(field_has_unit(&field));
    field = field_of("12");
    assert_int_equal(field_id(&field), 12);
    field = field_of("99999999999999999999");
    assert_int_equal(field_id(&field), -1);
}

static void numbers_behind_words_are_found(void **state)
{
    (void)state;
    static struct rows rows;
    struct import_text text;
    begin(&rows, &text, "took 12.5 clocks ( \t80 ns), size: 64KB, rate = 7,5 MB/s\n");
    rows_next(&rows);
    assert_true(rows_number_behind(&rows, "took") == 12.5);
    assert_true(rows_number_behind(&rows, "(") == 80);
    assert_true(rows_number_behind(&rows, "size") == 64);
    assert_true(isnan(rows_number_behind(&rows, "rate"))); /* seven and a half, or 7 and 5 */
    assert_true(isnan(rows_number_behind(&rows, "clocks ( \t80 ns")));
    assert_true(isnan(rows_number_behind(&rows, "what")));
    assert_true(rows_speak_of_bandwidth(&rows) && !rows_speak_of_cycles(&rows));
    assert_null(rows_behind(&rows, "MB/s and more"));
}

static void messages_name_the_line_and_the_comma(void **state)
{
    (void)state;
    static struct rows rows;
    struct import_text text;
    struct error error;
    double value;
    begin(&rows, &text, "a\n1,5 x\n");
    rows_next(&rows);
    rows_next(&rows);
    rows_cut(&rows, 0);
    assert_int_equal(rows_positive(&rows, &rows.fields[0], "latency", &value, &error), ERROR_USAGE);
    assert_string_equal(error.text, "table: line 2: latency '1,5' has a decimal comma: write a "
                                    "point, as the tool does with LC_ALL=C");
    assert_int_equal(rows_positive(&rows, &rows.fields[1], "latency", &value, &error), ERROR_USAGE);
    assert_string_equal(error.text, "table: line 2: latency 'x' is none: write a positive number, "
                                    "or leave the line out");
}

static void lines_that_are_not_read_are_counted(void **state)
{
    (void)state;
    static struct rows rows;
    struct import_text text;
    begin(&rows, &text,
          "no number\nnode 7 "
          "0123456789012345678901234567890123456789"
          "0123456789012345678901234567890123456789"
          "0123456789012345678901234567890123456789\nnode 8\n");
    while (rows_next(&rows))
        rows_unread(&rows);
    assert_true(text.unread == 2 && text.unread_line == 2);
    assert_int_equal(strlen(text.unread_shown), sizeof text.unread_shown - 1);
    assert_string_equal(text.unread_shown + sizeof text.unread_shown - 4, "...");
}

static void words_are_found_at_the_beginning_of_lines(void **state)
{
    (void)state;
    struct import_text text = text_of("say Test: 1\n \tTest: 2\n");
    assert_true(text_has_line(&text, "Test: 2") && !text_has_line(&text, "Test: 1"));
    assert_true(text_holds(&text, "Test: 1") && !text_holds(&text, "Test: 3"));
    text = text_of("\xef\xbb\xbfTest: 1");
    assert_true(text_has_line(&text, "Test: 1"));
}

/* A line of more fields than anybody takes is cut, and the reader can tell. */
static void fields_beyond_the_most_are_reported(void **state)
{
    (void)state;
    static struct rows rows;
    struct import_text text;
    char *many = calloc(20001, 1);
    assert_non_null(many);
    memset(many, ',', 20000);
    begin(&rows, &text, many);
    rows_next(&rows);
    assert_int_equal(rows_cut(&rows, ','), ROWS_FIELDS);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_counted_and_trimmed),
        cmocka_unit_test(fields_know_where_they_stand),
        cmocka_unit_test(fields_are_numbers_sizes_and_ids),
        cmocka_unit_test(numbers_behind_words_are_found),
        cmocka_unit_test(messages_name_the_line_and_the_comma),
        cmocka_unit_test(lines_that_are_not_read_are_counted),
        cmocka_unit_test(words_are_found_at_the_beginning_of_lines),
        cmocka_unit_test(fields_beyond_the_most_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
