#include "measure/probes/parallelism/miss_buffers.h"

#include <fnmatch.h>
#include <stddef.h>

/* What makers have published of their own processors. They are known by the names that they give
 * themselves, as family and model are not among the facts; so nothing is found in a virtual machine
 * that hides the name ("AMD EPYC"), though its family and model would tell.
 *
 * Intel's sixth generation of Core is Skylake, but for the four i7-68x0K to i7-6950X, which are
 * Broadwell: of i[357]-68xx and i[357]-69xx only those of notebooks are Skylake. */
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
     "*Core(TM) i[357]-7[0-9][0-9][0-9]*",
     {12, "line fill buffers", "Intel 64 and IA-32 Architectures Optimization Reference Manual"}},
    {"GenuineIntel",
     "*Core(TM) i[357]-6[0-7][0-9][0-9]*",
     {12, "line fill buffers", "Intel 64 and IA-32 Architectures Optimization Reference Manual"}},
    {"GenuineIntel",
     "*Core(TM) i[357]-6[89][0-9][0-9][EH]*",
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
