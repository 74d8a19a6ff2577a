#include "show/render/output.h"

#include <string.h>

const struct output *output_by_name(const char *name)
{
    for (size_t i = 0; outputs[i]; i++)
        if (strcmp(outputs[i]->name, name) == 0)
            return outputs[i];
    return NULL;
}
