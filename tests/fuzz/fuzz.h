/* What the targets have in common. */
#ifndef FATHOM_TESTS_FUZZ_H
#define FATHOM_TESTS_FUZZ_H

#include "base/clean.h"
#include "conclude/complete.h"
#include "document/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void fuzz_require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* An error is one line that a terminal shows as it is, and its code is one of those there are. */
static inline void fuzz_check_error(int code, const struct error *error)
{
    char clean[sizeof error->text];
    fuzz_require(code >= ERROR_SYSTEM && code <= ERROR_USAGE, "the code is an error's");
    fuzz_require(error->code == code && *error->text, "the error has its code and a text");
    fuzz_require(!strchr(error->text, '\n'), "the error is one line");
    fuzz_require(strcmp(clean_text(error->text, clean, sizeof clean), error->text) == 0,
                 "the error is inert");
}

static inline int fuzz_read(struct document *document, const void *bytes, size_t size,
                            struct error *error)
{
    FILE *stream = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    fuzz_require(stream, "there is memory for a stream");
    int code = document_read_stream(document, stream, "fuzz", error);
    fclose(stream);
    return code;
}

/* A list of a million ids takes milliseconds, and most inputs would grow into such lists. So of the
 * texts with a range up to a number of five digits one in 64 is read, after the first hundred: an
 * input that is replayed is read whatever it names. */
static inline bool fuzz_is_dear(const char *text)
{
    static unsigned long seen;
    for (const char *at = text; (at = strchr(at, '-')); at++)
        if (strspn(at + 1, "0123456789") >= 5 && at > text && at[-1] >= '0' && at[-1] <= '9')
            return ++seen > 100 && seen % 64;
    return false;
}

/* The bytes as a text that ends with a NUL and holds no other; the caller frees. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_require(text, "there is memory for the text");
    if (size)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

#endif
