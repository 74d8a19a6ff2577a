#include "base/input.h"
#include "base/text.h"
#include "compare/fleet/document.h"
#include "conclude/complete.h"
#include "document/json_read.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const struct field group_fields[] = {
    {.key = "judged",
     .kind = FIELD_TRUTH,
     .offset = offsetof(struct fleet_reference_group, judged)},
    {.key = "nodes",
     .kind = FIELD_NUMBER,
     .required = true,
     .offset = offsetof(struct fleet_reference_group, nodes)},
    {.key = "baseline",
     .kind = FIELD_OBJECT,
     .shape = &document_shape,
     .offset = offsetof(struct fleet_reference_group, baseline)},
    {.key = NULL},
};
static const struct shape group_shape = {group_fields, sizeof(struct fleet_reference_group)};

static const struct field reference_fields[] = {
    {.key = "groups",
     .kind = FIELD_LIST,
     .required = true,
     .shape = &group_shape,
     .offset = offsetof(struct fleet_reference, groups),
     .count_offset = offsetof(struct fleet_reference, group_count)},
    {.key = NULL},
};
static const struct shape reference_shape = {reference_fields, sizeof(struct fleet_reference)};

bool fleet_is_document(const char *path)
{
    int length = 0;
    struct stat status;
    struct error none = {0};
    /* Bytes read from a pipe here would be missing for the reader. */
    if (strcmp(path, "-") == 0 || stat(path, &status) < 0 || !S_ISREG(status.st_mode))
        return false;
    struct input input = {.steps = NULL};
    if (input_open(&input, path, "", &none) < 0)
        return false;
    /* Another program that rewrites the JSON may put blanks between tokens. */
    const int fields = fscanf(input.stream, " { \"schema\" : \"fathom-fleet/%n", &length);
    input_close(&input, 0, &none);
    return fields == 0 && length > 0;
}

int fleet_reference_read(struct fleet_reference *reference, const char *path, struct error *error)
{
    static const struct json_form form = {&reference_shape, FLEET_SCHEMA, "'fathom fleet'"};
    *reference = (struct fleet_reference){.file = path};
    struct input input = {.steps = NULL};
    int code = input_open(&input, path, "give a document that 'fathom fleet' wrote", error);
    if (code == 0)
        code = input_close(&input,
                           json_read(&reference->pool, input.stream, path, &form, reference, error),
                           error);
    for (size_t g = 0; g < reference->group_count && code == 0; g++) {
        struct fleet_reference_group *group = &reference->groups[g];
        if (!group->judged)
            continue;
        group->baseline.file = path;
        code = experiments_complete(&group->baseline, error);
    }
    return code;
}

static double memory_apart(const struct document *a, const struct document *b)
{
    const double one = (double)a->machine.memory_bytes, other = (double)b->machine.memory_bytes;
    return one > 0 && other > 0 ? fabs(log(one / other)) : 0;
}

/* Whether `group` is more like the document's machine than `best` is. */
static bool is_nearer(const struct fleet_reference_group *group,
                      const struct fleet_reference_group *best, const struct document *document)
{
    const struct machine_facts *here = &document->machine, *one = &group->baseline.machine,
                               *other = &best->baseline.machine;
    const bool cores = one->cores == here->cores && one->threads == here->threads;
    const bool best_cores = other->cores == here->cores && other->threads == here->threads;
    if (cores != best_cores)
        return cores;
    const double apart = memory_apart(&group->baseline, document),
                 best_apart = memory_apart(&best->baseline, document);
    if (fabs(apart - best_apart) > 0.02)
        return apart < best_apart;
    const bool bios = text_same(one->bios, here->bios),
               best_bios = text_same(other->bios, here->bios);
    return bios != best_bios ? bios : group->nodes > best->nodes;
}

int fleet_reference_for(const struct fleet_reference *reference, const struct document *document,
                        const struct document **baseline, struct error *error)
{
    const struct fleet_reference_group *best = NULL;
    for (size_t g = 0; g < reference->group_count; g++) {
        const struct fleet_reference_group *group = &reference->groups[g];
        if (group->judged &&
            text_same(group->baseline.machine.cpu_model, document->machine.cpu_model) &&
            (!best || is_nearer(group, best, document)))
            best = group;
    }
    if (!best)
        return error_set(error, ERROR_USAGE,
                         "%s: no group of the fleet is of this processor (%s): add documents of "
                         "machines like this to the fleet",
                         reference->file, text_or_unknown(document->machine.cpu_model));
    *baseline = &best->baseline;
    return 0;
}

void fleet_reference_free(struct fleet_reference *reference)
{
    /* Each baseline was completed in its own pool. */
    for (size_t g = 0; g < reference->group_count; g++)
        document_free(&reference->groups[g].baseline);
    pool_free(&reference->pool);
    *reference = (struct fleet_reference){0};
}
