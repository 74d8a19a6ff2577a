#include "probes/miss_buffers.h"

#include <fnmatch.h>
#include <stddef.h>

/* What makers have published of their own processors. Models as they name themselves; a virtual
 * machine often hides its model, and then nothing is known. */
static const struct {
    const char *vendor, *model;
    struct miss_buffers buffers;
} table[] = {
    {"GenuineIntel",
     "*Xeon(R) CPU E5-[0-9]* v[234]*",
     {10, "line fill buffers", "Intel 64 and IA-32 Architectures Optimization Reference Manual"}},
    {"GenuineIntel",
     "*Xeon(R) [PGS]* [4568][12][0-9][0-9]*",
     {12, "line fill buffers", "Intel 64 and IA-32 Architectures Optimization Reference Manual"}},
    {"GenuineIntel",
     "*Core(TM) i[357]-[67][0-9][0-9][0-9]*",
     {12, "line fill buffers", "Intel 64 and IA-32 Architectures Optimization Reference Manual"}},
    {"GenuineIntel",
     "*Xeon(R) [PGS]* [4568]4[0-9][0-9]*",
     {16, "line fill buffers", "Intel 64 and IA-32 Architectures Optimization Reference Manual"}},
    {"AuthenticAMD",
     "*EPYC 7[0-9A-Z][0-9A-Z][12]*",
     {22, "miss address buffers", "AMD, Software Optimization Guide for Family 17h Processors"}},
    {"AuthenticAMD",
     "*EPYC 7[0-9A-Z][0-9A-Z]3*",
     {24, "miss address buffers", "AMD, Software Optimization Guide for Family 19h Processors"}},
};

const struct miss_buffers *miss_buffers_find(const char *vendor, const char *model)
{
    for (size_t i = 0; vendor && model && i < sizeof table / sizeof *table; i++)
        if (fnmatch(table[i].vendor, vendor, 0) == 0 && fnmatch(table[i].model, model, 0) == 0)
            return &table[i].buffers;
    return NULL;
}
