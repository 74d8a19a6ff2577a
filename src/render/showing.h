/*
 * The findings of documents as views choose and pair them: what each one means, and which were read
 * off the same experiment. Made once for a view, because a document of another person's may hold a
 * million findings. Not for use outside of views.
 */
#ifndef FATHOM_RENDER_SHOWING_H
#define FATHOM_RENDER_SHOWING_H

#include "findings/registry.h"

struct shown {
    const struct finding *finding;
    const struct probe_result *probe;
    struct finding_meaning meaning;
    size_t document; /* index */
    /* 0: its name alone says what was measured. Otherwise the same number, in all documents, where
     * the factors that are told are the same, in whatever order they stand. */
    size_t experiment;
    bool twin; /* another finding says the same in cycles */
};

struct showing {
    struct shown *list; /* document by document and probe by probe, as they stand there */
    size_t count;
    struct shown **by_name; /* the same by name, then by experiment, then as they stand */
    const struct document *const *documents;
    size_t **probes; /* by document and probe: the place of its first finding */
    struct pool pool;
};

/* False without memory. The documents must outlive it; showing_free() either way. */
bool showing_build(struct showing *, const struct document *const *documents, size_t count);
void showing_free(struct showing *);

/* The findings of a probe, of which the document at that index has as many as it says. */
const struct shown *showing_of(const struct showing *, size_t document,
                               const struct probe_result *);
/* All that have that name, beginning with the standard one; how many they are. */
size_t showing_named(const struct showing *, const char *name, struct shown *const **first);

struct line;
/* ", order forward" behind what stands in the line, or " (order forward)"; nothing where the name
 * alone says what was measured. */
void line_add_experiment(struct line *, const struct finding *);
void line_add_in_brackets(struct line *, const struct finding *);

#endif
