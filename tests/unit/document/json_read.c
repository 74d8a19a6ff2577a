#include "files.h"
#include "sample.h"

#include "base/random.h"
#include "base/utf8.h"
#include "document/json_events.h"
#include "stats/sample.h"

/* The text before and after the part of a document that a test is about. */
#define BEFORE "{\"schema\":\"fathom/1\",\"run\":{\"complete\":true},"
#define PROBE  BEFORE "\"probes\":[{\"name\":\"p\",\"status\":\"ok\","
#define SERIES                                                                                     \
    PROBE "\"series\":[{\"name\":\"s\",\"x\":{\"name\":\"x\",\"unit\":\"B\"},"                     \
          "\"y\":{\"name\":\"y\",\"unit\":\"ns\"},\"points\":["
#define AFTER_PROBE  "}]}"
#define AFTER_SERIES "]}]}]}"

struct malformed {
    const char *text;
    const char *says;
};

static const struct malformed malformed[] = {
    {"", "is empty"},
    {" \n ", "line 2"},
    {"nonsense", "is not JSON at line 1"},
    {"[]", "is not a JSON object"},
    {"\xef\xbb\xbf{}", "is not JSON at line 1, column 1"},
    {"{\"a\": 1,\n \"\xc3\xa9\": nul}", "is not JSON at line 2, column 10"},
    {"{\"schema\":\"fathom/1\"", "ends in the middle, at line 1"},
    {"{}", "has no schema"},
    {"{\"schema\":1}", "has no schema"},
    {"{\"run\":{\"schema\":\"fathom/1\"}}", "has no schema"},
    {"{\"run\":[],\"schema\":\"fathom/2\"}", "\"fathom/2\""},
    {"{\"run\":[],\"schema\":\"fathom/2\"", "ends in the middle"},
    {"{\"run\":[],\"schema\":\"fathom/1\"}", "run is not an object"},
    {"{\"schema\":\"fathom/2\"}", "\"fathom/2\""},
    {"{\"schema\":\"fathom/10\"}", "\"fathom/10\""},
    {"{\"schema\":\"fathom/1.x\"}", "\"fathom/1.x\""},
    {"{\"schema\":\"fathom/1\"}", "run is missing"},
    {"{\"schema\":\"fathom/1\",\"schema\":\"fathom/1\"}", "duplicate"},
    {"{\"schema\":\"fathom/1\",\"run\":{}}", "run.complete is missing"},
    {"{\"schema\":\"fathom/1\",\"run\":[]}", "run is not an object"},
    {"{\"schema\":\"fathom/1\",\"run\":{\"complete\":1}}", "run.complete is neither"},
    {"{\"schema\":\"fathom/1\",\"run\":{\"complete\":true}}", "probes is missing"},
    {BEFORE "\"probes\":{}}", "probes is not an array"},
    {BEFORE "\"probes\":[7]}", "probes[0] is not an object"},
    {BEFORE "\"probes\":[{}]}", "probes[0].name is missing"},
    {BEFORE "\"probes\":[{\"name\":null}]}", "probes[0].name is not a text"},
    {BEFORE "\"probes\":[{\"name\":\"p\",\"status\":\"fine\"}]}", "probes[0].status is none of"},
    {BEFORE "\"machine\":{\"memory_bytes\":-1},\"probes\":[]}",
     "machine.memory_bytes is not a whole"},
    {BEFORE "\"machine\":{\"memory_bytes\":0.5},\"probes\":[]}",
     "machine.memory_bytes is not a whole"},
    {BEFORE "\"machine\":{\"memory_bytes\":1e19},\"probes\":[]}",
     "machine.memory_bytes is too large"},
    {BEFORE "\"machine\":{\"memory_bytes\":99999999999999999999},\"probes\":[]}",
     "machine.memory_bytes is too large"},
    {BEFORE "\"machine\":{\"memory_bytes\":9223372036854775808},\"probes\":[]}",
     "machine.memory_bytes is too large"},
    {BEFORE "\"machine\":{\"cpu\":{\"cores\":4294967296}},\"probes\":[]}",
     "machine.cpu.cores is too large"},
    {BEFORE "\"machine\":{\"caches\":[{\"level\":1}]},\"probes\":[]}",
     "machine.caches[0].type is missing"},
    {BEFORE "\"machine\":{\"gpus\":[{\"id\":0}]},\"probes\":[]}",
     "machine.gpus[0].name is missing"},
    {BEFORE "\"machine\":{\"gpus\":[{\"id\":-1,\"name\":\"a\"}]},\"probes\":[]}",
     "machine.gpus[0].id is not a whole"},
    {BEFORE
     "\"machine\":{\"gpus\":[{\"id\":0,\"name\":\"a\",\"modelled\":\"yes\"}]},\"probes\":[]}",
     "machine.gpus[0].modelled is neither"},
    {BEFORE "\"machine\":{\"page_sizes\":[4096,\"2M\"]},\"probes\":[]}",
     "machine.page_sizes[1] is not"},
    {BEFORE "\"conditions\":{\"load1\":1e999},\"probes\":[]}", "conditions.load1 is too large"},
    {BEFORE "\"conditions\":{\"load1\":1,\"smt\":\"on\",\"load1\":1},\"probes\":[]}",
     "conditions.load1 is a duplicate key"},
    {BEFORE "\"conditions\":{\"load1\":\"1\"},\"probes\":[]}", "conditions.load1 is not a number"},
    {BEFORE "\"conditions\":{\"remarks\":[\"a\"]},\"probes\":[]}",
     "conditions.remarks[0] is not an object"},
    {BEFORE "\"conditions\":{\"remarks\":[{\"what\":\"a\"},{}]},\"probes\":[]}",
     "conditions.remarks[1].what is missing"},
    {BEFORE "\"conditions\":{\"warnings\":[\"a\",{}]},\"probes\":[]}",
     "conditions.warnings[1] is not a text"},
    {"{\"schema\":\"fathom/1\",\"run\":{\"complete\":true,\"seed\":7},\"probes\":[]}",
     "run.seed is not a text of digits"},
    {"{\"schema\":\"fathom/1\",\"run\":{\"complete\":true,\"seed\":\"-7\"},\"probes\":[]}",
     "run.seed is not a text of digits"},
    {"{\"schema\":\"fathom/"
     "1\",\"run\":{\"complete\":true,\"seed\":\"99999999999999999999\"},\"probes\":[]}",
     "run.seed is too large"},
    {PROBE "\"parameters\":[]" AFTER_PROBE, "probes[0].parameters is not an object"},
    {PROBE "\"parameters\":{\"stride\":true}" AFTER_PROBE,
     "probes[0].parameters.stride is neither"},
    {PROBE "\"parameters\":{\"a\":1,\"c\":\"\",\"b\":2,\"c\":3}" AFTER_PROBE,
     "probes[0].parameters.c is a duplicate key"},
    {PROBE "\"parameters\":{\"a\":{\"b\":1}}" AFTER_PROBE, "probes[0].parameters.a is neither"},
    {PROBE "\"parameters\":{\"a\":[\"L1\",[2]]}" AFTER_PROBE,
     "probes[0].parameters.a[1] is neither"},
    {PROBE "\"findings\":[{\"value\":1}]" AFTER_PROBE, "probes[0].findings[0].name is missing"},
    {PROBE "\"findings\":[{\"name\":\"f\",\"flags\":[3]}]" AFTER_PROBE,
     "probes[0].findings[0].flags[0] is not a text"},
    {PROBE "\"series\":[{\"name\":\"s\",\"points\":[]}]" AFTER_PROBE,
     "probes[0].series[0].y is missing"},
    {SERIES "{\"x\":1,\"n\":0},{\"x\":2,\"n\":1,\"median\":\"2\"}" AFTER_SERIES,
     "probes[0].series[0].points[1].median is not a number"},
    {SERIES "{\"x\":1,\"n\":1,\"median\":1e39}" AFTER_SERIES,
     "probes[0].series[0].points[0].median is too large"},
    {SERIES "{\"x\":1,\"n\":1,\"median\":5,\"quiet\":{\"value\":1e300}}" AFTER_SERIES,
     "has a value without interference that is too large"},
    {SERIES "{\"x\":1,\"n\":1}" AFTER_SERIES, "probes[0].series[0].points[0].median is missing"},
    {SERIES "{\"x\":1}" AFTER_SERIES, "probes[0].series[0].points[0].n is missing"},
    {SERIES "{\"x\":\"1\",\"n\":0}" AFTER_SERIES,
     "probes[0].series[0].points[0].x is not a number"},
    {SERIES "{\"n\":0}" AFTER_SERIES, "probes[0].series[0].points[0] has to have either"},
    {SERIES "{\"x\":1,\"from\":0,\"to\":1,\"n\":0}" AFTER_SERIES, "points[0] has to have either"},
    {SERIES "{\"from\":0,\"n\":0}" AFTER_SERIES, "points[0] has to have either"},
    {SERIES "{\"x\":1,\"n\":0},{\"from\":0,\"to\":1,\"n\":0}" AFTER_SERIES,
     "points[1] is of another form"},
    {SERIES "{\"from\":0,\"to\":2147483648,\"n\":0}" AFTER_SERIES, "points[0].to is too large"},
    {SERIES "{\"x\":1,\"n\":0,\"cycles\":5}" AFTER_SERIES, "points[0].cycles is not an object"},
};

static struct place place;

static int make_place(void **state)
{
    place = place_make();
    return 0;
}

static int remove_place(void **state)
{
    place_remove(&place);
    return 0;
}

static int read_bytes(struct document *document, const char *bytes, size_t size,
                      struct error *error)
{
    FILE *stream = size ? fmemopen((char *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    assert_non_null(stream);
    int code = document_read_stream(document, stream, "memory", error);
    fclose(stream);
    return code;
}

static void assert_refused(const char *path, const char *says)
{
    struct document document;
    struct error error = {0};
    assert_int_equal(document_read(&document, path, &error), ERROR_USAGE);
    if (!strstr(error.text, path) || !strstr(error.text, says))
        fail_msg("\"%s\" does not name %s and say \"%s\"", error.text, path, says);
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(document.probe_count, 0);
    document_free(&document);
}

static void malformed_documents_are_refused_by_path(void **state)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        file_write(place.file, malformed[i].text, strlen(malformed[i].text));
        assert_refused(place.file, malformed[i].says);
    }
}

static void what_is_not_known_is_passed_over(void **state)
{
    static const char text[] =
        "{\"schema\":\"fathom/1.3\",\"future\":[{}],\"run\":{\"complete\":false,\"mood\":\"calm\"},"
        "\"probes\":[{\"name\":\"p\",\"status\":\"partial\",\"findings\":[{\"name\":\"f\","
        "\"flags\":[\"from-the-future\",\"drift\"]}],\"series\":[{\"name\":\"s\","
        "\"y\":{\"name\":\"y\",\"unit\":\"\"},\"points\":[{\"from\":3,\"to\":4,\"n\":2,\"median\":"
        "7.0,"
        "\"cycles\":{\"median\":21}}]}]}]}";
    struct document document;
    struct error error = {0};
    if (read_bytes(&document, text, strlen(text), &error) < 0)
        fail_msg("%s", error.text);
    assert_true(isnan(document.conditions.core_hz) && isnan(document.run.elapsed_s));
    const struct probe_result *probe = document_probe(&document, "p");
    assert_int_equal(probe->status, PROBE_PARTIAL);
    assert_int_equal(probe->findings[0].flags, FLAG_BIT(FLAG_DRIFT));
    assert_true(isnan(probe->findings[0].value));
    assert_true(probe->series[0].matrix);
    const struct point *point = &probe->series[0].points[0];
    assert_int_equal(point->from, 3);
    assert_true(point->y.median == 7 && isnan(point->y.low) && isnan(point->y.p25));
    assert_true(point->cycles.median == 21 && isnan(point->cycles.low));
    document_free(&document);
}

/* Writes `size` bytes of a repeated piece after a beginning. */
static void write_repeated(const char *begin, const char *piece, size_t size)
{
    FILE *file = fopen(place.file, "wb");
    assert_non_null(file);
    fputs(begin, file);
    char block[4096];
    size_t length = strlen(piece), fill = sizeof block / length * length;
    for (size_t i = 0; i < fill; i++)
        block[i] = piece[i % length];
    for (size_t done = 0; done < size; done += fill)
        if (fwrite(block, 1, fill, file) != fill) {
            fclose(file);
            skip(); /* no room for it here */
        }
    assert_int_equal(fclose(file), 0);
}

static void a_hundred_megabytes_of_brackets_are_refused(void **state)
{
    write_repeated("", "[", 100u << 20);
    assert_refused(place.file, "is not JSON");
    write_repeated("", "{\"a\":", 1u << 20);
    assert_refused(place.file, "is not JSON");
}

/* Writes a beginning, then a piece again and again, then an end. */
static void write_between(const char *begin, const char *piece, size_t size, const char *end)
{
    write_repeated(begin, piece, size);
    FILE *file = fopen(place.file, "ab");
    assert_non_null(file);
    fputs(end, file);
    assert_int_equal(fclose(file), 0);
}

/* Four megabytes of a piece, and then the end. */
static void assert_read(const char *begin, const char *piece, const char *end)
{
    struct document document;
    struct error error = {0};
    write_between(begin, piece, 4u << 20, end);
    if (document_read(&document, place.file, &error) < 0)
        fail_msg("%.40s...: %s", begin, error.text);
    assert_int_equal(document.probe_count, 0);
    document_free(&document);
}

static void what_is_not_known_may_be_of_any_size(void **state)
{
    assert_read("{\"future\":[0", ",1",
                "],\"run\":{\"complete\":true},\"probes\":[],"
                "\"schema\":\"fathom/1\"}");
    assert_read(BEFORE "\"probes\":[],\"future\":\"", "\\n\\u00e9", "\"}");
    assert_read(BEFORE "\"future\":{\"a\":0", ",\"a\":{\"probes\":[[],{}]}", "},\"probes\":[]}");
    assert_read(BEFORE "\"probes\":[],\"future\":1", "0", "}");
    assert_read(BEFORE "\"probes\":[]", "   \n", "}");
}

static void a_number_of_a_million_digits_is_refused_where_it_counts(void **state)
{
    write_between(BEFORE "\"conditions\":{\"load1\":1", "0", 1u << 20, "},\"probes\":[]}");
    assert_refused(place.file, "conditions.load1 has more digits");
}

/* Half a million parameters, of which the last has the first one's name. */
static void a_key_among_many_is_found_again(void **state)
{
    enum { KEYS = 500000 };
    FILE *file = fopen(place.file, "wb");
    assert_non_null(file);
    fputs(PROBE "\"parameters\":{", file);
    for (int i = 0; i < KEYS; i++)
        fprintf(file, "\"%d\":%d,", i * 4001 % KEYS, i);
    fputs("\"0\":0}" AFTER_PROBE, file);
    assert_int_equal(fclose(file), 0);
    assert_refused(place.file, "probes[0].parameters.0 is a duplicate key");
}

/* Every key of an object comes before and after every other one. */
static void keys_come_in_any_order(void **state)
{
    static const char text[] =
        "{\"probes\":[{\"series\":[{\"points\":[{\"n\":3,\"max\":9,\"median\":2.5,\"x\":4096,"
        "\"cycles\":{\"high\":8,\"median\":7},\"flags\":[\"drift\"],\"low\":1}],"
        "\"y\":{\"unit\":\"ns\",\"name\":\"y\"},\"name\":\"s\"}],\"status\":\"ok\",\"name\":\"p\"}]"
        ","
        "\"machine\":{\"memory_bytes\":9007199254740993,\"cpu\":{\"threads\":2,\"arch\":\"a\"},"
        "\"hostname\":\"h\"},\"run\":{\"seed\":\"18446744073709551615\",\"complete\":true},"
        "\"schema\":\"fathom/1\"}";
    struct document document;
    struct error error = {0};
    if (read_bytes(&document, text, strlen(text), &error) < 0)
        fail_msg("%s", error.text);
    const struct point *point = &document.probes[0].series[0].points[0];
    assert_true(point->x == 4096 && point->y.median == 2.5f && point->y.max == 9);
    assert_true(point->y.low == 1 && isnan(point->y.high) && point->cycles.high == 8);
    assert_int_equal(point->y.n, 3);
    assert_int_equal(point->flags, FLAG_BIT(FLAG_DRIFT));
    assert_false(document.probes[0].series[0].matrix);
    assert_string_equal(document.probes[0].series[0].y.name, "y");
    assert_true(document.machine.memory_bytes == UINT64_C(9007199254740993));
    assert_string_equal(document.machine.cpu_arch, "a");
    assert_int_equal(document.machine.threads, 2);
    assert_true(document.run.seed == UINT64_MAX);
    document_free(&document);
}

/* The first piece of a file is JSON_ROOM_BYTES: its end goes through the whole document. */
static void warnings_of_older_documents_are_remarks(void **state)
{
    struct document document;
    struct error error = {0};
    char text[] = BEFORE "\"conditions\":{\"warnings\":[\"busy: wait\",\"hot\"]},\"probes\":[]}";
    FILE *stream = fmemopen(text, strlen(text), "r");
    assert_int_equal(document_read_stream(&document, stream, "old", &error), 0);
    fclose(stream);
    assert_int_equal(document.conditions.remark_count, 2);
    assert_string_equal(document.conditions.remarks[0].what, "busy: wait");
    assert_null(document.conditions.remarks[0].remedy);
    assert_string_equal(document.conditions.remarks[1].what, "hot");
    assert_int_equal(document.conditions.warning_count, 0);
    document_free(&document);
}

/* Former documents have two values for a figure: the one without interference is the figure, and
 * each point has its own. */
static void two_values_of_older_documents_are_one(void **state)
{
    struct document document;
    struct error error = {0};
    char text[] = SERIES
        "{\"x\":1,\"n\":9,\"median\":5,\"cycles\":{\"median\":20},\"quiet_cycles\":{\"value\":99}},"
        "{\"x\":2,\"n\":9,\"median\":6,\"low\":5,\"high\":7,\"coverage\":0.96,"
        "\"cycles\":{\"median\":24},\"quiet\":{\"value\":5,\"low\":4.9,\"high\":5.1}}" AFTER_SERIES;
    FILE *stream = fmemopen(text, strlen(text), "r");
    assert_int_equal(document_read_stream(&document, stream, "old", &error), 0);
    fclose(stream);
    const struct point *points = document.probes[0].series[0].points;
    assert_true(points[0].y.median == 5 && points[0].cycles.median == 20);
    assert_true(isnan(points[0].disturbance.longer));
    assert_true(points[1].y.median == 5 && points[1].y.high == 5.1F &&
                points[1].cycles.median == 24);
    assert_true(points[1].disturbance.longer == 0.2F && points[1].y.coverage == 0.96F);
    document_free(&document);
}

static void findings_of_older_documents_have_todays_names(void **state)
{
    struct document document;
    struct error error = {0};
    char text[] = PROBE "\"findings\":["
                        "{\"name\":\"levels.untold\",\"unit\":\"\",\"text\":\"from 1 KiB on\"},"
                        "{\"name\":\"gpu0.levels.untold\",\"unit\":\"\",\"text\":\"\"},"
                        "{\"name\":\"untold\",\"unit\":\"\",\"text\":\"\"}]}]}";
    FILE *stream = fmemopen(text, strlen(text), "r");
    assert_int_equal(document_read_stream(&document, stream, "old", &error), 0);
    fclose(stream);
    assert_string_equal(document.probes[0].findings[0].name, "levels.gaps");
    assert_string_equal(document.probes[0].findings[1].name, "gpu0.levels.gaps");
    assert_string_equal(document.probes[0].findings[2].name, "untold");
    document_free(&document);
}

static void a_piece_may_end_anywhere(void **state)
{
    static const char end[] = "{\"schema\":\"fathom/1.25\",\"run\":{\"complete\":true},\"machine\":"
                              "{\"hostname\":\"\\ud83d\\ude00 \xe2\x82\xac\\n\",\"memory_bytes\":"
                              "123456789},\"probes\":[]}";
    static char text[JSON_ROOM_BYTES + sizeof end];
    for (size_t before = JSON_ROOM_BYTES - strlen(end); before <= JSON_ROOM_BYTES; before++) {
        struct document document;
        struct error error = {0};
        memset(text, ' ', before);
        strcpy(text + before, end);
        if (read_bytes(&document, text, strlen(text), &error) < 0)
            fail_msg("%s", error.text);
        assert_string_equal(document.machine.hostname, "\xf0\x9f\x98\x80 \xe2\x82\xac\n");
        assert_int_equal(document.machine.memory_bytes, 123456789);
        document_free(&document);
    }
}

/* A document that was cut at any byte is refused, and the message says where. Only the last line's
 * end may be missing. */
static void a_document_cut_anywhere_ends_in_the_middle(void **state)
{
    struct document sample;
    size_t size;
    sample_document(&sample, 2, 1);
    char *text = document_text(&sample, &size);
    unsigned line = 1, column = 1;
    for (size_t cut = 0; cut < size - 1; cut++) {
        struct document document;
        struct error error = {0};
        char says[100];
        snprintf(says, sizeof says, "ends in the middle, at line %u, column %u:", line, column);
        const bool tried = cut % sample_each() == 0;
        if (tried)
            assert_int_equal(read_bytes(&document, text, cut, &error), ERROR_USAGE);
        if (tried && !strstr(error.text, cut ? says : "is empty"))
            fail_msg("\"%s\" does not say \"%s\"", error.text, says);
        column = text[cut] == '\n' ? 1 : column + ((text[cut] & 0xc0) != 0x80);
        line += text[cut] == '\n';
    }
    struct document document;
    assert_int_equal(read_bytes(&document, text, size - 1, NULL), 0);
    document_free(&document);
    free(text);
    document_free(&sample);
}

/* Messages quote a document in whole characters and without control characters. */
static void messages_quote_no_halves_and_no_controls(void **state)
{
    char key[600] = "", text[2000];
    for (size_t length = 100; length < 230; length++) {
        memset(key, 'k', length);
        strcpy(key + length, "\xf0\x9f\x98\x80\xe2\x82\xac\xc3\xa9\\u001b\\u009b");
        snprintf(text, sizeof text, PROBE "\"parameters\":{\"%s\":true}" AFTER_PROBE, key);
        struct document document;
        struct error error = {0};
        assert_int_equal(read_bytes(&document, text, strlen(text), &error), ERROR_USAGE);
        for (const char *cursor = error.text; *cursor;) {
            int code = utf8_next(&cursor);
            assert_true(code >= ' ' && code != 127 && (code < 0x80 || code > 0x9f));
        }
    }
}

/* Any bytes: changed, cut, doubled or replaced by JSON's tokens. */
static void a_damaged_document_never_harms(void **state)
{
    static const char pieces[] = "{}[]\",:0123456789-+.eEtfn\\u\x00\x01\x7f\x80\xc3\xff \n";
    const unsigned mutations = sample_seeds(4000);
    struct document sample;
    struct random random = {20261121};
    size_t size;
    sample_document(&sample, 2, 1);
    char *text = document_text(&sample, &size);
    char *damaged = malloc(size);
    int read = 0;
    assert_non_null(damaged);
    for (unsigned i = 0; i < mutations; i++) {
        size_t length = i % 5 == 0 ? (size_t)random_below(&random, size) : size;
        memcpy(damaged, text, size);
        for (uint64_t changes = random_below(&random, 4) + 1; changes > 0; changes--) {
            size_t at = (size_t)random_below(&random, size),
                   from = (size_t)random_below(&random, size);
            size_t span = (size_t)random_below(&random, 40) % (size - (at > from ? at : from));
            if (random_below(&random, 3) == 0)
                memmove(damaged + at, damaged + from, span);
            else
                damaged[at] = pieces[random_below(&random, sizeof pieces)];
        }
        struct document document;
        struct error error = {0};
        int code = read_bytes(&document, damaged, length, &error);
        assert_true(code == 0 || (code == ERROR_USAGE && *error.text));
        read += code == 0;
        document_free(&document);
    }
    /* Some changes only alter a figure, and those documents have to be read. */
    assert_in_range(read, 1, mutations - 1);
    free(damaged);
    free(text);
    document_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_documents_are_refused_by_path),
        cmocka_unit_test(what_is_not_known_is_passed_over),
        cmocka_unit_test(a_hundred_megabytes_of_brackets_are_refused),
        cmocka_unit_test(what_is_not_known_may_be_of_any_size),
        cmocka_unit_test(a_number_of_a_million_digits_is_refused_where_it_counts),
        cmocka_unit_test(a_key_among_many_is_found_again),
        cmocka_unit_test(keys_come_in_any_order),
        cmocka_unit_test(warnings_of_older_documents_are_remarks),
        cmocka_unit_test(two_values_of_older_documents_are_one),
        cmocka_unit_test(findings_of_older_documents_have_todays_names),
        cmocka_unit_test(a_piece_may_end_anywhere),
        cmocka_unit_test(a_document_cut_anywhere_ends_in_the_middle),
        cmocka_unit_test(messages_quote_no_halves_and_no_controls),
        cmocka_unit_test(a_damaged_document_never_harms),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
