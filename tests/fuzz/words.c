/* Lists of CPUs, sizes, times, texts made inert: whatever is typed, it is read or refused, and what
 * was read is written so that it is read again. */
#include "base/cpulist.h"
#include "base/quote.h"
#include "base/units.h"
#include "base/utf8.h"
#include "fuzz.h"

static void list(const char *text)
{
    struct cpulist read, again;
    struct pool pool = {0};
    struct error error = {0};
    char shown[4096];
    const int code = cpulist_read(text, &read, &pool, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
        pool_free(&pool);
        return;
    }
    for (size_t i = 1; i < read.count; i++)
        fuzz_require(read.ids[i - 1] < read.ids[i], "a list ascends");
    cpulist_format(&read, shown, sizeof shown);
    if (read.count && strlen(shown) < sizeof shown - 1)
        fuzz_require(cpulist_read(shown, &again, &pool, NULL) == 0 && again.count == read.count &&
                         memcmp(again.ids, read.ids, read.count * sizeof *read.ids) == 0,
                     "a list that was written is the same list");
    pool_free(&pool);
}

static void size_of(const char *text)
{
    uint64_t bytes, again;
    struct error error = {0};
    char shown[UNIT_TEXT];
    const int code = size_parse(text, &bytes, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
        return;
    }
    fuzz_require(strlen(size_format((double)bytes, shown)) < UNIT_TEXT, "a size is short");
    (void)again;
}

static void inert(const char *text)
{
    const size_t room = strlen(text) + 1;
    char *clean = malloc(room), *again = malloc(room);
    fuzz_require(clean && again, "there is memory");
    clean_text(text, clean, room);
    clean_text(clean, again, room);
    fuzz_require(strcmp(clean, again) == 0, "what is inert stays as it is");
    for (const char *at = clean; *at;) {
        const int code = utf8_next(&at);
        fuzz_require(code > 0 && !clean_is_harmful(code), "nothing harmful is left");
    }
    char *quoted = NULL;
    size_t size;
    FILE *stream = open_memstream(&quoted, &size);
    fuzz_require(stream, "there is memory for a stream");
    csv_print(stream, text);
    json_print(stream, text);
    fclose(stream);
    free(quoted);
    free(clean);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    if (!fuzz_is_dear(text))
        list(text);
    size_of(text);
    inert(text);
    free(text);
    return 0;
}
