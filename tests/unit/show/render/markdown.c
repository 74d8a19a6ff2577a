#include "capture.h"

#include "show/report/blocks.h"

#include <ctype.h>

/* A line's cells: bars that no backslash stands before; 0 where it is no row. */
static size_t cells_of(const char *line, size_t length)
{
    size_t bars = 0;
    for (size_t i = 0; i < length; i++)
        bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    return *line == '|' && length > 1 && line[length - 1] == '|' ? bars - 1 : 0;
}

/* Every table has a line that says how columns are aligned, every row has as many cells, and an
 * empty line parts it from what stands around it. */
static void assert_tables(const char *text)
{
    size_t cells = 0, rows = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n"), here = cells_of(line, length);
        if (here && !cells && line > text + 1 && line[-2] != '\n')
            fail_msg("a table follows a line: %.*s", (int)length, line);
        if (!here && cells && (length || rows < 2))
            fail_msg("a table ends with: %.*s", (int)length, line);
        if (here && cells && here != cells)
            fail_msg("%zu cells and not %zu: %.*s", here, cells, (int)length, line);
        if (rows == 1 && here && strspn(line, "| :-") != length)
            fail_msg("no line of alignment: %.*s", (int)length, line);
        rows = here ? rows + 1 : 0;
        cells = here;
    }
}

/* What follows the screen. The fence around the screen is longer than every line in it. */
static const char *behind_screen(const char *text)
{
    const size_t fence = strspn(text, "~");
    const char *line = text + fence + 1;
    assert_in_range(fence, 81, 81);
    for (; strspn(line, "~") < fence; line += strcspn(line, "\n") + 1)
        assert_true(*line);
    assert_int_equal(line[fence], '\n');
    return line + fence + 1;
}

/* No tag, no link, no mention, no entity but ours: whatever texts hold. */
static void assert_no_markup(const char *text)
{
    static const char *const ours[] = {"&lt;", "&gt;", "&amp;", "&emsp;"};
    assert_inert(text);
    for (const char *at = text; *at; at++) {
        const bool escaped = at > text && at[-1] == '\\';
        bool known = *at != '&';
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            known = known || strncmp(at, ours[i], strlen(ours[i])) == 0;
        if (!known || *at == '<' || *at == '>' || (strchr("[]_~$", *at) && !escaped) ||
            (strchr("@#", *at) && isalnum((unsigned char)at[1])) ||
            (strncmp(at, "://", 3) == 0 && !escaped))
            fail_msg("markup at: %.40s", at);
    }
    assert_null(strstr(text, "www."));
}

static void the_sample_becomes_tables(void **state)
{
    (void)state;
    struct document document;
    for (int cpus = 2; cpus <= 512; cpus *= 4) {
        sample_document(&document, cpus, 2);
        char *text = capture_output("markdown", &document);
        const char *tables = behind_screen(text);
        assert_tables(tables);
        assert_no_markup(tables);
        assert_non_null(strstr(text, "\n  L1     5.00 cycles"));
        assert_non_null(strstr(tables, "\n| L1.latency | 5.00 cycles ± "));
        free(text);
        document_free(&document);
    }
}

static void hostile_texts_stay_text(void **state)
{
    (void)state;
    struct document document;
    sample_hostile(&document);
    char *text = capture_output("markdown", &document);
    assert_tables(behind_screen(text));
    assert_no_markup(behind_screen(text));
    free(text);
    static const char evil[] =
        "<img src=x onerror=alert(1)> @torvalds #12 [a](http://b.c) "
        "https://d.e www.f.g ![h](i) `j` **k** | l &lt; <!-- m \\| n $o$ ~~p~~";
    document.machine.cpu_model = evil;
    document.conditions.remarks[0] = (struct remark){evil, evil, evil};
    for (size_t p = 0; p < document.probe_count; p++) {
        struct probe_result *probe = &document.probes[p];
        probe->name = probe->title = probe->reason = evil;
        for (size_t f = 0; f < probe->finding_count; f++) {
            struct finding *finding = &probe->findings[f];
            finding->name = finding->unit = finding->text = finding->cpus = evil;
        }
        for (size_t s = 0; s < probe->series_count; s++)
            probe->series[s].name = probe->series[s].x.name = probe->series[s].y.unit = evil;
    }
    text = capture_output("markdown", &document);
    assert_tables(behind_screen(text));
    assert_no_markup(behind_screen(text));
    free(text);
    document_free(&document);
}

static void no_text_ends_the_fence(void **state)
{
    (void)state;
    char tildes[400];
    struct document document;
    memset(tildes, '~', sizeof tildes);
    tildes[sizeof tildes - 1] = '\0';
    sample_document(&document, 2, 1);
    document.machine.cpu_model = tildes;
    document.conditions.remarks[0] = (struct remark){.what = tildes, .remedy = tildes};
    char *text = capture_output("markdown", &document);
    assert_non_null(strstr(behind_screen(text), "\n| finding |"));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_becomes_tables),
        cmocka_unit_test(hostile_texts_stay_text),
        cmocka_unit_test(no_text_ends_the_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
