/* The page of some documents, as text. */
#ifndef FATHOM_TESTS_PAGE_H
#define FATHOM_TESTS_PAGE_H

#include "made_up.h"

/* The caller frees. */
static inline char *page_of(const struct document *const *documents, size_t count)
{
    struct capture capture = {0};
    struct error error = {0};
    assert_int_equal(render_page(capture_begin(&capture), documents, count, 0.03, &error), 0);
    return capture_end(&capture);
}

#endif
