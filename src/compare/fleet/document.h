/* The fleet's document: JSON of its own schema, FLEET_SCHEMA. It holds the nodes, every value that
 * was compared, the odd nodes with their causes, and for each group a document of fathom/1, the
 * group's baseline, with which `fathom check` compares a node. */
#pragma once

#include "compare/fleet/fleet.h"

#include <stdio.h>

/* Writes a judged fleet. ERROR_SYSTEM: out of memory, or the stream failed. */
int fleet_write(struct fleet *, FILE *, struct error *);

/* Whether a file begins as fleet_write() begins, so that a command can take either document; false
 * if it is no regular file or can't be read. */
bool fleet_is_document(const char *path);

/* What `check` needs of a fleet's document. */
struct fleet_reference {
    struct fleet_reference_group {
        struct document baseline;
        double nodes;
        bool judged;
    } * groups;
    size_t group_count;
    const char *file;
    struct pool pool;
};

/* Reads the groups of a fleet's document. ERROR_USAGE with the file's name if it is no fleet's
 * document or violates the schema. The caller frees with fleet_reference_free(), also after an
 * error. */
int fleet_reference_read(struct fleet_reference *, const char *path, struct error *);
/* Gives the baseline of the group for the document's machine: the same processor and cores, the
 * nearest memory size, and of several such groups the one with its BIOS. ERROR_USAGE: no group has
 * its processor. */
int fleet_reference_for(const struct fleet_reference *, const struct document *,
                        const struct document **, struct error *);
void fleet_reference_free(struct fleet_reference *);
