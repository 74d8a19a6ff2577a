#include "document/flag.h"

#include <string.h>

const struct flag_text flag_texts[FLAG_COUNT] = {
#include "flag.texts.h"
};

int flag_by_name(const char *name)
{
    for (int i = 0; i < FLAG_COUNT; i++)
        if (strcmp(flag_texts[i].name, name) == 0)
            return i;
    return -1;
}

unsigned flag_doubts(unsigned flags)
{
    unsigned doubts = 0;
    for (int i = 0; i < FLAG_COUNT; i++)
        if (flag_texts[i].doubt)
            doubts |= flags & FLAG_BIT(i);
    return doubts;
}

unsigned flag_widening(unsigned flags)
{
    return flag_doubts(flags) | (flags & FLAG_BIT(FLAG_UNCONVERGED));
}
