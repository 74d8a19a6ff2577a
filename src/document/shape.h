/*
 * Which key of the JSON holds which member of the document's structs. The reader and the writer
 * both use these tables, so neither can know a key that the other does not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
    FIELD_TEXT,    /* const char * */
    FIELD_NUMBER,  /* double; NAN is absent */
    FIELD_FLOAT,   /* float; NAN is absent */
    FIELD_WHOLE,   /* integer of `bytes` bytes, 0 to `most` */
    FIELD_TRUTH,   /* bool */
    FIELD_SEED,    /* uint64_t as a text of digits: JSON numbers are only safe up to 2^53 */
    FIELD_STATUS,  /* enum probe_status by name */
    FIELD_FLAGS,   /* unsigned, as an array of names */
    FIELD_TEXTS,   /* const char ** and a count */
    FIELD_SIZES,   /* uint64_t * and a count */
    FIELD_FACTORS, /* struct factor * and a count, as an object */
    FIELD_VALUES,  /* the same without names, as an array: the list of a factor */
    FIELD_OBJECT,  /* an object for members of the same struct, or of a struct inside it */
    FIELD_LIST,    /* array of structs of `shape` and a count */
    FIELD_FORMER,  /* an object of former documents: read into struct former, never written */
};

/* The keys of a point's place depend on its series: x in a curve, from and to in a matrix. */
enum field_place { PLACE_ANY, PLACE_CURVE, PLACE_MATRIX };

enum {
    SHAPE_DEPTH_MAX = 16, /* objects and arrays inside each other */
    SHAPE_KEYS_MAX = 64,  /* of one shape */
};

/* Former documents hold two values for each figure: in the place of the value the one that the run
 * found, and next to it the one without interference, which is the figure now. */
enum { FORMER_QUIET, FORMER_QUIET_CYCLES, FORMER_COUNT };
struct former {
    double value, low, high;
};

struct shape;

struct field {
    const char *key;
    enum field_kind kind;
    bool required;
    enum field_place place; /* for a point: the kind of series that has the key */
    size_t offset;          /* of the member in its struct; FIELD_FORMER: which one */
    size_t count_offset;    /* of the array's count */
    size_t bytes;           /* FIELD_WHOLE */
    uint64_t most;
    const struct shape *shape; /* FIELD_OBJECT and FIELD_LIST */
};

struct shape {
    const struct field *fields; /* ends with a NULL key */
    size_t bytes;               /* of one struct */
};

extern const struct shape document_shape; /* all of a document but its schema's name */
extern const struct field factor_list;    /* the list in a struct factor */
/* The lists with rules of their own. */
extern const struct shape point_shape, finding_shape;
