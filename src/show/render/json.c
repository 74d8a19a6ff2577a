/* The document itself, written by document/json_write.c. */
#include "document/json.h"

#include "show/render/output.h"

static void write_json(FILE *out, const struct output_content *content, struct pool *pool)
{
    const int code = document_write(content->documents[0], out, pool_error(pool));
    pool_check(pool, ferror(out) ? 0 : code); /* the caller checks the stream */
}

const struct output json_output = {
    .name = "json",
    .help = "the document",
    .place = 40,
    .is_document = true,
    .write = write_json,
};
