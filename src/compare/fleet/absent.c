/* Replaces all other files of this folder if fleets are left out (-Dfleet=disabled): no file counts
 * as a fleet's document, so no other function is called. */
#include "compare/fleet/document.h"

bool fleet_is_document(const char *path)
{
    return false;
}

int fleet_reference_read(struct fleet_reference *reference, const char *path, struct error *error)
{
    return error_set(error, ERROR_IMPOSSIBLE, "%s: this fathom was built without fleets", path);
}

int fleet_reference_for(const struct fleet_reference *reference, const struct document *document,
                        const struct document **base, struct error *error)
{
    *base = NULL;
    return error_set(error, ERROR_IMPOSSIBLE, "this fathom was built without fleets");
}

void fleet_reference_free(struct fleet_reference *reference) {}
