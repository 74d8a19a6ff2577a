/* A document of two devices that do not exist: tests/data/gpu/made-up.json. */
#ifndef FATHOM_TESTS_MADE_UP_H
#define FATHOM_TESTS_MADE_UP_H

#include "capture.h"
#include "document/json.h"

static inline void read_made_up(struct document *document)
{
    struct error error = {0};
    char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/gpu/made-up.json", source ? source : ".");
    if (document_read(document, path, &error) < 0)
        fail_msg("%s", error.text);
}

static inline size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

#endif
