/* Which tool a text is of, and what is said of lines that are not read. */
#include "desk.h"

static void every_sample_is_known_by_its_text(void **state)
{
    static const struct {
        const char *file, *format;
    } samples[] = {
        {"tools/cuda-latency.txt", "gpu-latency"},
        {"tools/gpu-latency.txt", "gpu-latency"},
        {"tools/likwid-bench.txt", "likwid-bench"},
        {"tools/macos-memory-benchmark.json", "macos-memory-benchmark"},
        {"tools/mem-lat.txt", "mem-lat"},
        {"tools/mt4g.json", "mt4g"},
        {"tools/nvbandwidth.txt", "nvbandwidth"},
        {"tools/osu.txt", "osu"},
        {"tools/sbc-bench.txt", "sbc-bench"},
        {"tools/stream.txt", "stream"},
        {"tools/sysbench.txt", "sysbench"},
        {"mlc/two-nodes.txt", "mlc"},
        {"multichase/four-levels.txt", "multichase"},
        {"multichase/loaded.txt", "multichase"},
        {"curves/lat_mem_rd.txt", "lat_mem_rd"},
        {"curves/four-levels.csv", "curve"},
        {"curves/intel-n100.txt", "curve"},
        {"core-matrix/i9-13980hx-cas-rust.csv", "core-matrix"},
        {"core-matrix/i3-2120t-cas.txt", "core-matrix"},
        {"core-matrix/i3-2120t-cas.csv", "core-matrix"},
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char *text = sample_text(samples[i].file);
        const char *seen = recognised(desk, text);
        if (strcmp(seen, samples[i].format) != 0)
            fail_msg("%s: \"%s\", %s", samples[i].file, seen, desk->error.text);
        free(text);
    }
}

/* Log lines before it, DOS's ends of lines and a last line without one change nothing. */
static void what_stands_around_a_table_does_not_matter(void **state)
{
    static const char *const files[] = {
        "tools/cuda-latency.txt", "tools/gpu-latency.txt", "tools/likwid-bench.txt",
        "tools/mem-lat.txt",      "tools/nvbandwidth.txt", "tools/osu.txt",
        "tools/sbc-bench.txt",    "tools/stream.txt",      "tools/sysbench.txt",
        "mlc/two-nodes.txt",      "multichase/loaded.txt", "curves/lat_mem_rd.txt",
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *plain = sample_text(files[i]), *odd = malloc(2 * strlen(plain) + 64), *end = odd;
        const struct import_format *format = import_format_by_name(recognised(desk, plain));
        assert_non_null(format);
        assert_non_null(odd);
        if (read_text(desk, format, plain) != 0)
            fail_msg("%s: %s", files[i], desk->error.text);
        const size_t probes = desk->document.probe_count;
        const size_t findings = desk->document.probes[0].finding_count;
        const size_t points = desk->document.probes[0].series_count
                                  ? desk->document.probes[0].series[0].point_count
                                  : 0;
        end += sprintf(end, "job 17 on node a\r\n\r\n");
        for (const char *at = plain; *at; at++) {
            if (*at == '\n')
                *end++ = '\r';
            *end++ = *at;
        }
        while (end > odd && strchr("\r\n", end[-1]))
            end--;
        *end = '\0';
        assert_string_equal(recognised(desk, odd), format->name);
        const size_t unread = desk->text.unread;
        if (read_text(desk, format, odd) != 0)
            fail_msg("%s: %s", files[i], desk->error.text);
        assert_int_equal(desk->text.unread, unread + 1);
        assert_int_equal(desk->document.probe_count, probes);
        assert_int_equal(desk->document.probes[0].finding_count, findings);
        assert_true(!points || desk->document.probes[0].series[0].point_count == points);
        free(plain);
        free(odd);
    }
}

static void what_is_unclear_is_said(void **state)
{
    struct desk *desk = *state;
    assert_string_equal(recognised(desk, "1 2\n3 4\n"), "curve"); /* blanks alone are no square */
    assert_string_equal(recognised(desk, "1,2\n3,4\n"), "");
    assert_non_null(strstr(desk->error.text, "any of core-matrix, curve: say which"));
    assert_string_equal(recognised(desk, "hello\n"), "");
    assert_non_null(strstr(desk->error.text, "no format knows this text"));
    assert_string_equal(recognised(desk, ""), "");
    assert_string_equal(recognised(desk, "{\"schema\": \"fathom/1\"}"), "");
    assert_non_null(strstr(desk->error.text, "fathom report table"));
    assert_string_equal(recognised(desk, "size,GB/s\n4K,5\n8K,5\n"), "");
    assert_string_equal(recognised(desk, "from,to,ns\n0,1,5\n"), "core-matrix");
    assert_string_equal(recognised(desk, "0,1,5\n0,2,5\n0,3,5\n1,2,5\n1,3,5\n2,3,5\n"),
                        "core-matrix");
    assert_string_equal(recognised(desk, "size_bytes,ns,cycles\n4096,1,5\n8192,1,5\n"), "curve");
    assert_string_equal(recognised(desk, "4K 1.5\n8K 1.5\n16K 5\n"), "curve");
    assert_string_equal(recognised(desk, "stride=64\n0.1 5\n"), "lat_mem_rd");
    assert_string_equal(
        recognised(desk, "1) CAS latency on a single shared cache line\n\n   0  1\n0\n1  10\n"),
        "core-to-core-latency");
}

/* Looking at a text takes no longer than reading it. */
static void long_texts_are_recognised(void **state)
{
    struct desk *desk = *state;
    char *text = long_text("", "%zu 2 3 4\n", sample_seeds(200000));
    assert_string_equal(recognised(desk, text), "core-matrix");
    free(text);
    text = long_text("", " size: %zu\n", sample_seeds(200000));
    assert_string_equal(recognised(desk, text), "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(every_sample_is_known_by_its_text),
        DESK_TEST(what_stands_around_a_table_does_not_matter),
        DESK_TEST(what_is_unclear_is_said),
        DESK_TEST(long_texts_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
