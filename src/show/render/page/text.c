/* The head of a page; names, numbers and commands as HTML. */
#include "base/clean.h"
#include "base/units.h"
#include "document/flag.h"
#include "show/render/page/page.h"

#include <ctype.h>
#include <string.h>

void html_head(FILE *out, const char *title)
{
    fprintf(out,
            "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta http-equiv=Content-Security-Policy content=\"%s\">\n"
            "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=color-scheme content=\"light dark\">\n"
            "<meta name=referrer content=no-referrer>\n<title>fathom: ",
            html_policy);
    html_text(out, title);
    fprintf(out,
            "</title>\n<style>%s</style>\n</head>\n<body>\n"
            "<a class=skip href=#main>Skip to the figures</a>\n<header class=bar>\n"
            "<p class=brand>fathom<span> memory depth</span></p>\n",
            html_style);
}

static void html_value(FILE *out, const struct factor *factor)
{
    char number[UNIT_TEXT];
    if (factor->text)
        html_text(out, factor->text);
    else if (!factor->list_count)
        fputs(factor_format(factor->number, number), out);
    for (size_t i = 0; i < factor->list_count; i++) {
        fputs(i ? " " : "", out);
        html_value(out, &factor->list[i]);
    }
}

void html_factor(FILE *out, const struct factor *factor)
{
    html_text(out, factor->name);
    fputc(' ', out);
    html_value(out, factor);
}

/* Cut to the length of a struct line: longer commands are usually in scripts. */
void html_command(FILE *out, const struct run_facts *run)
{
    struct line line = {0};
    for (size_t i = 0; i < run->command_count; i++) {
        const char *word = run->command[i];
        line_add(&line, "%s", i ? " " : "");
        if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-_./,:=+%@") == strlen(word)) {
            line_add_clean(&line, word);
            continue;
        }
        line_add(&line, "'");
        for (char character[5]; *word;) {
            character[clean_next(&word, character)] = '\0';
            /* A shell needs '\'' for an apostrophe. */
            line_add(&line, "%s", *character == '\'' ? "'\\''" : character);
        }
        line_add(&line, "'");
    }
    html_sentence(out, line.text);
}

void html_flags(FILE *out, unsigned flags)
{
    const char *separator = "";
    for (int i = 0; i < FLAG_COUNT; i++)
        if (flags & FLAG_BIT(i)) {
            html_print(out, "%s<abbr title=\"%s\">%s</abbr>", separator, flag_texts[i].meaning,
                       flag_texts[i].name);
            separator = ", ";
        }
}

/* --- names of documents and findings --- */

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
        size_t length = 0;
        do { /* a number is not parted */
            length += strcspn(name + length, "._/");
            length += name[length] != '\0';
        } while (length > 1 && name[length - 1] == '.' &&
                 isdigit((unsigned char)name[length - 2]) && isdigit((unsigned char)name[length]));
        if (length >= sizeof part || !name[length]) {
            html_text(out, name);
            return;
        }
        memcpy(part, name, length);
        part[length] = '\0';
        name += length;
        html_print(out, "%s<wbr>", part);
    }
}

/* The next option: "--budget", " -o" or " -lgc"; NULL: none. */
static const char *next_option(const char *text)
{
    for (const char *at = text; (at = strchr(at, '-')); at++)
        if (at[1] == '-' || (at > text && at[-1] == ' ' && isalpha((unsigned char)at[1])))
            return at;
    return NULL;
}

/* Options are kept whole: a browser would break them after hyphens. */
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
