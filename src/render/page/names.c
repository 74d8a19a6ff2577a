/* What documents and findings are called. */
#include "base/clean.h"
#include "render/page/page.h"

#include <ctype.h>
#include <string.h>

/* As much of the end of a path as tells it from the other documents'; NULL where nothing does. */
static const char *file_of(const struct document *const *documents, size_t count, size_t index)
{
    const char *path = documents[index]->file;
    const char *name = path ? strrchr(path, '/') : NULL;
    name = name ? name + 1 : path;
    for (size_t i = 0; i < count && name; i++) {
        const char *other = i == index ? NULL : documents[i]->file;
        const size_t length = strlen(name), others = other ? strlen(other) : 0;
        if (others < length || strcmp(other + others - length, name) != 0 ||
            (others > length && other[others - length - 1] != '/'))
            continue;
        if (name == path)
            return NULL;
        for (name--; name > path && name[-1] != '/';) /* a folder more */
            name--;
        i = (size_t)-1;
    }
    return name;
}

void line_add_document(struct line *line, const struct document *const *documents, size_t count,
                       size_t index)
{
    const struct machine_facts *machine = &documents[index]->machine;
    const char *file = file_of(documents, count, index);
    const char *host = machine->hostname && *machine->hostname ? machine->hostname
                       : machine->cpu_model                    ? machine->cpu_model
                       : count == 1 && file                    ? file
                                                               : "unknown machine";
    char name[CLEAN_TEXT];
    if (count > 1 && !file && index < 26)
        line_add(line, "%c ", (int)('A' + index));
    else if (count > 1 && !file)
        line_add(line, "%zu ", index + 1);
    line_add(line, "%s", clean_text(count > 1 && file ? file : host, name, sizeof name));
}

void html_time(FILE *out, const char *started)
{
    char readable[32];
    int end = 0;
    if (!started)
        return;
    sscanf(started, "%*4d-%*2d-%*2dT%*2d:%*2d:%*2dZ%n", &end);
    if (end == 20 && started[end] == '\0') {
        snprintf(readable, sizeof readable, "%.10s %.5s UTC", started, started + 11);
        started = readable;
    }
    html_text(out, started);
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
