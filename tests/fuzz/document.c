/*
 * libFuzzer's target: whatever bytes are read as a document, nothing is harmed; what is written of
 * it is read again; and once its numbers are rounded as they are written, it stays the same bytes.
 *
 * Built with clang, which has the library: meson test -C build fuzz-document. For longer:
 *   build/tests/fuzz/fuzz-document -max_total_time=600 FOLDER tests/cli
 */
#include "result/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int read_bytes(struct document *document, const void *bytes, size_t size,
                      struct error *error)
{
    FILE *stream = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    if (!stream)
        abort();
    int code = document_read_stream(document, stream, "fuzz", error);
    fclose(stream);
    return code;
}

/* The caller frees. */
static char *written(const struct document *document, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (!stream)
        abort();
    int code = document_write(document, stream, NULL);
    fclose(stream);
    if (code < 0)
        abort();
    return text;
}

/* Text to text; the caller frees. */
static char *once_more(const char *text, size_t *size)
{
    struct document document;
    struct error error = {0};
    if (read_bytes(&document, text, *size, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    char *again = written(&document, size);
    document_free(&document);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct document document;
    struct error error = {0};
    if (read_bytes(&document, bytes, size, &error) < 0) {
        if (error.code != ERROR_USAGE || !*error.text || strchr(error.text, '\n'))
            abort();
        return 0;
    }
    char *first = written(&document, &size), *second = once_more(first, &size);
    size_t second_size = size;
    char *third = once_more(second, &size);
    if (size != second_size || memcmp(second, third, size) != 0)
        abort();
    free(first);
    free(second);
    free(third);
    document_free(&document);
    return 0;
}
