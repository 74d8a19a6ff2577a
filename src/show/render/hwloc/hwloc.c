/*
 * hwloc's XML of the machine with what was measured of it, for every program that uses hwloc:
 * HWLOC_XMLFILE=FILE HWLOC_THISSYSTEM=1 PROGRAM. Latencies and bandwidths of nodes are memory
 * attributes, hand-offs are distances, and clusters that nothing declares are groups.
 */
#include "show/render/hwloc/parts.h"
#include "show/render/output.h"

static int write_hwloc(FILE *out, const struct output_content *content, struct error *error)
{
    const struct document *document = content->documents[0];
    struct objects objects;
    int code = objects_build(&objects, document, error);
    if (code == 0) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
              "<topology version=\"2.0\">\n",
              out);
        code = hwloc_put_tree(out, &objects, document, error);
    }
    if (code == 0)
        code = hwloc_put_distances(out, &objects, document, error);
    if (code == 0)
        code = hwloc_put_attributes(out, &objects, document, error);
    if (code == 0)
        fputs("</topology>\n", out);
    objects_free(&objects);
    return code;
}

static int possible(const struct document *document, struct error *error)
{
    struct objects objects;
    const int code = objects_build(&objects, document, error);
    objects_free(&objects);
    return code;
}

const struct output hwloc_output = {
    .name = "hwloc",
    .help = "hwloc's XML of the machine with what was measured, for HWLOC_XMLFILE",
    .place = 88,
    .write = write_hwloc,
    .possible = possible,
};
