#include "parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parser_fail(struct parser *parser, unsigned line, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(parser->error, PTX_ERROR_BYTES,
                        "ptxas application ptx input, line %u; error   : ", line);
    va_start(arguments, format);
    vsnprintf(parser->error + used, PTX_ERROR_BYTES - (size_t)used, format, arguments);
    va_end(arguments);
    if (parser->result == PTX_FINE)
        parser->result = PTX_INVALID;
    longjmp(parser->failed, 1);
}

void *parser_add(struct parser *parser, struct list *list, size_t item_bytes)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 32;
        void *items = realloc(list->items, room * item_bytes);
        if (!items) {
            parser->result = PTX_NO_MEMORY;
            parser_fail(parser, parser->line, "out of memory");
        }
        list->items = items;
        list->room = room;
    }
    return memset((char *)list->items + list->count++ * item_bytes, 0, item_bytes);
}

static void skip_blanks(struct parser *parser)
{
    for (;; parser->at++) {
        const char *at = parser->at;
        if (at[0] == '/' && at[1] == '/') {
            parser->at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            if (!end)
                parser_fail(parser, parser->line, "Unterminated comment");
            for (; parser->at <= end; parser->at++)
                parser->line += *parser->at == '\n';
            continue;
        }
        if (*parser->at == '\n')
            parser->line++;
        else if (!isspace((unsigned char)*parser->at))
            return;
    }
}

static bool is_word(const char *at, bool first)
{
    return *at && (isalpha((unsigned char)*at) || strchr("_$%.", *at) ||
                   (!first && isdigit((unsigned char)*at)));
}

/* Words hold dots, and the double colons of "shared::cluster". */
static size_t word_length(const char *at)
{
    size_t length = 0;
    while (is_word(at + length, length == 0) ||
           (length && at[length] == ':' && at[length + 1] == ':')) {
        length += at[length] == ':' ? 2 : 1;
    }
    return length;
}

/* 17, -17 (the sign is a token of its own), 0x1fU, 0f3F800000 and 0d... (the bits of a float). */
static void lex_number(struct parser *parser, struct token *token)
{
    const char *at = parser->at;
    char *end;
    char kind = at[0] == '0' ? (char)tolower((unsigned char)at[1]) : '\0';
    if (kind == 'f' || kind == 'd') {
        token->number = strtoull(at + 2, &end, 16);
        token->is_float = true;
    } else {
        token->number = strtoull(at, &end, 0);
        token->is_float = *end == '.';
        if (token->is_float) {
            double value = strtod(at, &end);
            memcpy(&token->number, &value, sizeof value);
        }
    }
    while (*end == 'U' || *end == 'u')
        end++;
    token->kind = TOKEN_NUMBER;
    token->length = (size_t)(end - at);
}

void parser_advance(struct parser *parser)
{
    struct token *token = &parser->token;
    skip_blanks(parser);
    *token = (struct token){TOKEN_SIGN, parser->at, 1, parser->line, 0, false};
    if (!*parser->at) {
        *token = (struct token){TOKEN_END, "end of the text", 0, parser->line, 0, false};
        return;
    }
    if (*parser->at == '"') {
        const char *end = strchr(parser->at + 1, '"');
        if (!end)
            parser_fail(parser, parser->line, "Unterminated string");
        token->kind = TOKEN_TEXT;
        token->length = (size_t)(end + 1 - parser->at);
    } else if (isdigit((unsigned char)*parser->at)) {
        lex_number(parser, token);
    } else if (is_word(parser->at, true)) {
        token->kind = TOKEN_WORD;
        token->length = word_length(parser->at);
    }
    parser->at += token->length;
}

bool token_is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && !memcmp(token->text, text, token->length);
}

bool parser_accept(struct parser *parser, const char *text)
{
    bool same = token_is(&parser->token, text);
    if (same)
        parser_advance(parser);
    return same;
}

void parser_expect(struct parser *parser, const char *text)
{
    if (!parser_accept(parser, text))
        parser_fail(parser, parser->token.line,
                    "Parsing error near '%.*s': syntax error, '%s' expected",
                    (int)parser->token.length, parser->token.text, text);
}

void parser_name(struct parser *parser, char name[PTX_NAME_BYTES])
{
    const struct token *token = &parser->token;
    if (token->kind != TOKEN_WORD || token->length >= PTX_NAME_BYTES)
        parser_fail(parser, token->line, "Parsing error near '%.*s': syntax error, a name expected",
                    (int)token->length, token->text);
    memcpy(name, token->text, token->length);
    name[token->length] = '\0';
    parser_advance(parser);
}

uint64_t parser_number(struct parser *parser)
{
    uint64_t number = parser->token.number;
    if (parser->token.kind != TOKEN_NUMBER)
        parser_fail(parser, parser->token.line,
                    "Parsing error near '%.*s': syntax error, a number expected",
                    (int)parser->token.length, parser->token.text);
    parser_advance(parser);
    return number;
}
