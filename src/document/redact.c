/* Takes names of people, machines and places out of a document: all its texts are walked by the
 * tables that the writer walks. */
#include "document/document.h"
#include "document/shape.h"

#include <ctype.h>
#include <string.h>

struct redaction {
    struct pool *pool;
    const char *host; /* NULL: unknown */
};

/* No machine's name is longer, and a text is looked through for it at each byte. */
enum { HOST_MAX = 255 };

/* How many bytes from here on name a file of a person or a machine: a path, but for those that
 * every system has. Only what begins like a path is read to its end, so that no text is read many
 * times. */
static size_t path_length(const char *text, const char *at)
{
    static const char *const common[] = {"/sys/", "/proc/", "/dev/", "/usr/", "/etc/"};
    const char *after = at > text && !strchr(" \t\n'\"=(,:", at[-1]) ? "" : at;
    if (*after == '~' ? after[strcspn(after, "= \t\n'\",;:()/")] != '/'
                      : *after != '/' || !isalnum((unsigned char)after[1]))
        return 0;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strncmp(at, common[i], strlen(common[i])) == 0)
            return 0;
    return strcspn(at, " \t\n'\",;:()");
}

/* The host's name as a word of its own; "node1" in "node12" is another. */
static size_t host_length(const char *text, const char *at, const char *host)
{
    const size_t length = host ? strlen(host) : 0;
    return length && strncmp(at, host, length) == 0 && !isalnum((unsigned char)at[length]) &&
                   !(at > text && isalnum((unsigned char)at[-1]))
               ? length
               : 0;
}

/* The text itself if it names nothing. */
static const char *redact_text(const struct redaction *redaction, const char *text)
{
    bool any = false;
    char *kept = text ? pool_alloc(redaction->pool, 4 * strlen(text) + 1, 1) : NULL, *end = kept;
    for (const char *at = text; at && *at;) {
        const size_t path = path_length(text, at);
        const size_t host = path ? 0 : host_length(text, at, redaction->host);
        if (!path && !host) {
            *end++ = *at++;
            continue;
        }
        memcpy(end, path ? "PATH" : "HOST", 4);
        end += 4;
        at += path + host;
        any = true;
    }
    if (any)
        return kept;
    pool_give_back(redaction->pool, kept);
    return text;
}

static void redact_factors(const struct redaction *redaction, struct factor *factors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        factors[i].text = redact_text(redaction, factors[i].text);
        redact_factors(redaction, factors[i].list, factors[i].list_count);
    }
}

static void redact_object(const struct redaction *redaction, const struct shape *shape, char *base)
{
    for (const struct field *field = shape->fields; field->key; field++) {
        void *member = base + field->offset;
        const size_t count =
            field->kind == FIELD_TEXTS || field->kind == FIELD_FACTORS || field->kind == FIELD_LIST
                ? *(const size_t *)(const void *)(base + field->count_offset)
                : 0;
        switch (field->kind) {
        case FIELD_TEXT:
            *(const char **)member = redact_text(redaction, *(const char **)member);
            break;
        case FIELD_TEXTS:
            for (size_t i = 0; i < count; i++)
                (*(const char ***)member)[i] = redact_text(redaction, (*(const char ***)member)[i]);
            break;
        case FIELD_FACTORS:
            redact_factors(redaction, *(struct factor **)member, count);
            break;
        case FIELD_OBJECT:
            redact_object(redaction, field->shape, member);
            break;
        case FIELD_LIST:
            for (size_t i = 0; i < count; i++)
                redact_object(redaction, field->shape, *(char **)member + i * field->shape->bytes);
            break;
        default:
            break;
        }
    }
}

void document_redact(struct document *document)
{
    const char *host = document->machine.hostname;
    const struct redaction redaction = {&document->pool,
                                        host && strlen(host) <= HOST_MAX ? host : NULL};
    const char *name = document->file ? strrchr(document->file, '/') : NULL;
    redact_object(&redaction, &document_shape, (char *)document);
    document->machine.hostname = NULL;
    if (document->machine.model_of) { /* "x.json with L1.latency=+5%" */
        const char *changes = strstr(document->machine.model_of, " with ");
        document->machine.model_of =
            pool_printf(&document->pool, "a document%s", changes ? changes : "");
    }
    document->file = name ? name + 1 : document->file;
    for (size_t i = 0; i < document->machine.gpu_count; i++)
        document->machine.gpus[i].uuid = NULL;
}
