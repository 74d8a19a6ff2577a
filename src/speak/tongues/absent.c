/* Replaces all other files of this folder in a build without tongues (-Dtongues=disabled). */
#include "speak/tongues/tongue.h"

const struct tongue *const tongues[] = {NULL};

const struct tongue *tongue_by_name(const char *name)
{
    return NULL;
}

int tongue_speak(struct talk *talk, int argc, char **argv, struct error *error)
{
    return error_set(
        error, ERROR_IMPOSSIBLE,
        "this fathom was built without other tools' commands: make builds one with all");
}

void talk_release(struct talk *talk) {}
