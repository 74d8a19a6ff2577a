/* What documents and findings are called, as HTML. */
#include "show/report/names.h"
#include "base/clean.h"
#include "show/render/page/page.h"

#include <ctype.h>
#include <string.h>

void html_time(FILE *out, const char *started)
{
    char readable[DOCUMENT_TIME];
    html_text(out, document_time(started, readable));
}

void html_document(FILE *out, const struct document *const *documents, size_t count, size_t index)
{
    struct line name = {0};
    line_add_document(&name, documents, count, index);
    html_name(out, name.text);
    if (count < 2 || !documents[index]->run.started)
        return;
    fputs(" <small class=date>", out);
    html_time(out, documents[index]->run.started);
    fputs("</small>", out);
}

void html_name(FILE *out, const char *name)
{
    char part[CLEAN_TEXT];
    for (name = name ? name : ""; *name;) {
        size_t length = strcspn(name, "._/");
        length += name[length] != '\0';
        if (length >= sizeof part || length == strlen(name)) {
            html_text(out, name);
            return;
        }
        memcpy(part, name, length);
        part[length] = '\0';
        name += length;
        html_text(out, part);
        fputs("<wbr>", out);
    }
}

/* The next "--budget", " -o" or " -lgc"; NULL: there is none. */
static const char *next_option(const char *text)
{
    for (const char *at = text; (at = strchr(at, '-')); at++)
        if (at[1] == '-' || (at > text && at[-1] == ' ' && isalpha((unsigned char)at[1])))
            return at;
    return NULL;
}

/* An option is a word that a browser would break behind its hyphens. */
void html_sentence(FILE *out, const char *text)
{
    enum { WORD_MAX = 40 };
    char word[WORD_MAX];
    const bool whole = !text || strlen(text) > HTML_TEXT_BYTES_MAX;
    while (!whole && *text) {
        const char *option = next_option(text);
        const size_t before = option ? (size_t)(option - text) : strlen(text);
        const size_t length = option ? strcspn(option, " ,;:()'") : 0;
        char copy[HTML_TEXT_BYTES_MAX + 1];
        memcpy(copy, text, before);
        copy[before] = '\0';
        html_text(out, copy);
        text += before;
        if (!option)
            continue;
        const bool kept = length < WORD_MAX;
        snprintf(word, sizeof word, "%.*s", kept ? (int)length : 2, text);
        fputs(kept ? "<span class=option>" : "", out);
        html_text(out, word);
        fputs(kept ? "</span>" : "", out);
        text += strlen(word);
    }
    if (whole)
        html_text(out, text);
}
