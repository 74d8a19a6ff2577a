/* Whatever bytes are read as a document, nothing is harmed; what is written of it is read again;
 * and once its numbers are rounded as they are written, it stays the same bytes. */
#include "fuzz.h"

/* The caller frees. */
static char *written(const struct document *document, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    fuzz_require(stream, "there is memory for a stream");
    fuzz_require(document_write(document, stream, NULL) == 0, "what was read can be written");
    fclose(stream);
    return text;
}

/* Text to text; the caller frees. */
static char *once_more(const char *text, size_t *size)
{
    struct document document;
    struct error error = {0};
    if (fuzz_read(&document, text, *size, &error) < 0)
        fuzz_require(false, error.text);
    char *again = written(&document, size);
    document_free(&document);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct document document;
    struct error error = {0};
    const int code = fuzz_read(&document, bytes, size, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
        return 0;
    }
    char *first = written(&document, &size), *second = once_more(first, &size);
    size_t second_size = size;
    char *third = once_more(second, &size);
    fuzz_require(size == second_size && memcmp(second, third, size) == 0,
                 "a document that was written stays the same");
    free(first);
    free(second);
    free(third);
    document_free(&document);
    return 0;
}
