#include "document/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every key that is written is in the schema. */
static void look_up(const struct shape *shape, const char *schema)
{
    for (const struct field *field = shape->fields; field->key; field++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\": {", field->key);
        if (!strstr(schema, quoted))
            fail_msg("docs/fathom-1.schema.json does not know %s", quoted);
        if (field->shape)
            look_up(field->shape, schema);
    }
}

static void the_schema_describes_every_key(void **state)
{
    const char *source = getenv("FATHOM_SOURCE");
    char path[4096];
    static char schema[1 << 16];
    snprintf(path, sizeof path, "%s/docs/fathom-1.schema.json", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(schema, 1, sizeof schema - 1, file);
    fclose(file);
    assert_in_range(size, 1000, sizeof schema - 2);
    look_up(&document_shape, schema);
}

/* The deepest nesting of objects and arrays; a list holds objects. */
static size_t depth_of(const struct shape *shape)
{
    size_t deepest = 0, keys = 0;
    for (const struct field *field = shape->fields; field->key; field++, keys++) {
        bool array = field->kind >= FIELD_FLAGS && field->kind != FIELD_OBJECT;
        size_t depth = array + (field->shape ? depth_of(field->shape) : 0);
        deepest = depth > deepest ? depth : deepest;
    }
    assert_in_range(keys, 1, SHAPE_KEYS_MAX);
    return deepest + 1;
}

static void the_reader_has_room_for_every_shape(void **state)
{
    assert_in_range(depth_of(&document_shape), 8, SHAPE_DEPTH_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_describes_every_key),
        cmocka_unit_test(the_reader_has_room_for_every_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
