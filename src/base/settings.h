/*
 * Options as a table. Everything a person can set is one `struct option_spec`: the parser, the
 * checks, --help and the document's parameters all come from it, so an option is written once.
 *
 * An option has a line in a table and a `struct setting` in the struct that the table fills:
 *
 *     struct chase_options { struct setting size, pages; };
 *     {"size", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL, offsetof(struct chase_options, size),
 *      "..."},
 *
 * Code then reads options->size.bytes, a name that the compiler checks.
 */
#pragma once

#include "base/cpulist.h"
#include "base/error.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
    OPTION_FLAG,    /* no argument */
    OPTION_INTEGER, /* least..most */
    OPTION_REAL,    /* least..most */
    OPTION_SIZE,    /* bytes, least..most */
    OPTION_SIZES,   /* comma-separated sizes, each least..most */
    OPTION_CPUS,    /* a CPU list */
    OPTION_CHOICE,  /* one of `choices` */
    OPTION_TEXT,    /* a file name or the like, not empty */
    OPTION_TEXTS,   /* the same; given again, the texts are joined by a space */
};

struct option_spec {
    const char *name; /* without the dashes; a table ends with a NULL name */
    char letter;      /* short form, 0 for none */
    enum option_type type;
    const char *argument; /* its name in --help: "SIZE" */
    const char *fallback; /* default, as text; NULL: unset, and `help` says what happens then */
    double least, most;   /* range of numbers; most = 0: no upper bound of its own */
    const char *const *choices; /* NULL-terminated */
    size_t
        at; /* its offset in the struct that the table fills; 0 as well if the table fills none */
    const char *help;
};

/* The value of an option, in the member for its type. */
struct setting {
    const struct option_spec *spec;
    bool has;         /* a person or its default set it; a flag has no other value */
    bool given;       /* a person set it */
    const char *text; /* as typed, for any type; NULL where unset */
    double number;    /* OPTION_INTEGER, OPTION_REAL */
    uint64_t bytes;   /* OPTION_SIZE */
    int choice;       /* OPTION_CHOICE: the index in `choices` */
    uint64_t *sizes;  /* OPTION_SIZES */
    size_t size_count;
    struct cpulist cpus; /* OPTION_CPUS */
};

/* Whether the option takes a file name: its argument is called FILE. Other text options take names
 * from a list, or patterns. */
bool option_names_file(const struct option_spec *);

/* The index in `choices` (ending with NULL) of the word, which has `length` bytes. ERROR_USAGE
 * names the option, the word and the choices. For options that take several words. */
int option_choose(const char *option, const char *const *choices, const char *word, size_t length,
                  struct error *);

struct settings {
    struct setting *list;
    size_t count;
    struct pool pool;
    /* Settings that take precedence: an option that a person set there is read from there, so that
     * nothing is parsed twice. They must live as long as these. NULL: none. */
    const struct settings *given;
};

/* Adds the options of a table with their defaults. ERROR_SYSTEM when there is no memory. */
int settings_add(struct settings *, const struct option_spec *table, struct error *);
void settings_free(struct settings *);

/* Sets one option from text (NULL for a flag). ERROR_USAGE names the option, the text and what is
 * allowed. */
int settings_set(struct settings *, const char *name, const char *text, struct error *);

/* Copies the values of a table's options to `options`, each to its spec's offset `at`; one that the
 * settings lack is unset there. What they point to lives as long as the settings. */
void settings_fill(const struct settings *, const struct option_spec *table, void *options);

/* The value of a table's option; NULL where the settings lack it. */
const struct setting *settings_of(const struct settings *, const struct option_spec *);
/* The i-th option's value, for walking over all of them; NULL at the end. */
const struct setting *settings_at(const struct settings *, size_t i);
/* The name of the first of the options (ending with NULL) that a person set; NULL where none was.
 */
const char *settings_first_given(const struct setting *const *);
