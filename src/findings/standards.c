/* What of an experiment decides, by probe. */
#include "findings/registry.h"

#include <string.h>

/* The name of the working set, the CPU's number and how a look was planned tell nothing apart. */
static const struct standard latency[] = {
    {"address", STANDARD_TEXT, "pointer", 0},
    {"access", STANDARD_TEXT, "read", 0},
    {"order", STANDARD_TEXT, "random", 0},
    {"stride", STANDARD_LINE, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {"cpu", STANDARD_NAMED, NULL, 0},
    {NULL},
};
static const struct standard tlb[] = {
    {"pages", STANDARD_NAMED, NULL, 0},
    {"look", STANDARD_NAMED, NULL, 0},
    {NULL},
};
static const struct standard geometry[] = {
    {"stride", STANDARD_NAMED, NULL, 0},
    {"level", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {NULL},
};
static const struct standard cores[] = {
    {"op", STANDARD_NAMED, NULL, 0},
    {"cpus", STANDARD_NAMED, NULL, 0},
    {"home", STANDARD_ABSENT, NULL, 0},
    {"payload", STANDARD_ABSENT, NULL, 0},
    {NULL},
};
static const struct standard bandwidth[] = {
    {"kernel", STANDARD_NAMED, NULL, 0},
    {"level", STANDARD_NAMED, NULL, 0},
    {"access", STANDARD_NAMED, NULL, 0},
    {"width", STANDARD_NAMED, NULL, 0},
    {"stride", STANDARD_ABSENT, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {NULL},
};
static const struct standard parallelism[] = {
    {"level", STANDARD_NAMED, NULL, 0},
    {"working set", STANDARD_NAMED, NULL, 0},
    {"prefetch", STANDARD_ABSENT, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {NULL},
};
static const struct standard loaded[] = {
    {"shows", STANDARD_NAMED, NULL, 0},
    {"injectors", STANDARD_NAMED, NULL, 0},
    {"mix", STANDARD_NUMBER, NULL, 100},
    {"traffic", STANDARD_TEXT, "sequential", 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {NULL},
};
static const struct standard numa[] = {
    {"shows", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {NULL},
};
static const struct standard window[] = {
    {"filler", STANDARD_NAMED, NULL, 0},
    {"look", STANDARD_NAMED, NULL, 0},
    {"working set", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {NULL},
};
static const struct standard contention[] = {
    {"op", STANDARD_NAMED, NULL, 0},
    {"shows", STANDARD_NAMED, NULL, 0},
    {"writers", STANDARD_ABSENT, NULL, 0},
    {NULL},
};
static const struct standard coherence[] = {
    {"op", STANDARD_NAMED, NULL, 0},
    {"state", STANDARD_NAMED, NULL, 0},
    {NULL},
};
static const struct standard prefetch[] = {
    {"address", STANDARD_NAMED, NULL, 0}, {"access", STANDARD_NAMED, NULL, 0},
    {"order", STANDARD_NAMED, NULL, 0},   {"stride", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},   {NULL},
};
static const struct standard access[] = {
    {"address", STANDARD_NAMED, NULL, 0},
    {"access", STANDARD_NAMED, NULL, 0},
    {"order", STANDARD_NAMED, NULL, 0},
    {"stride", STANDARD_NAMED, NULL, 0},
    {"align", STANDARD_NAMED, NULL, 0},
    {"store", STANDARD_NAMED, NULL, 0},
    {"offset", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_NAMED, NULL, 0},
    {NULL},
};
/* A device's curves are followed by index or by pointer through one path; what is not asked for is
 * as the probe chooses it. */
static const struct standard gpu[] = {
    {"what", STANDARD_NAMED, NULL, 0},
    {"gpu", STANDARD_NAMED, NULL, 0},
    {"path", STANDARD_TEXT, "l1", 0},
    {"order", STANDARD_TEXT, "random", 0},
    {"stride", STANDARD_NUMBER, NULL, 128},
    {"l1", STANDARD_ABSENT, NULL, 0},
    {"width_bits", STANDARD_NAMED, NULL, 0},
    {"line_bytes", STANDARD_NAMED, NULL, 0},
    {"cluster_size", STANDARD_NAMED, NULL, 0},
    {"direction", STANDARD_NAMED, NULL, 0},
    {"memory", STANDARD_NAMED, NULL, 0},
    {"traffic", STANDARD_NAMED, NULL, 0},
    {NULL},
};

const struct finding_table *finding_table_of(const char *probe)
{
    static const struct {
        const char *probe;
        struct finding_table table;
    } tables[] = {
        {"latency", {NULL, latency}},     {"tlb", {NULL, tlb}},
        {"geometry", {NULL, geometry}},   {"cores", {NULL, cores}},
        {"bandwidth", {NULL, bandwidth}}, {"parallelism", {NULL, parallelism}},
        {"loaded", {NULL, loaded}},       {"numa", {NULL, numa}},
        {"window", {NULL, window}},       {"contention", {NULL, contention}},
        {"coherence", {NULL, coherence}}, {"prefetch", {NULL, prefetch}},
        {"access", {NULL, access}},       {"gpu", {NULL, gpu}},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].probe, probe) == 0)
            return &tables[i].table;
    return NULL;
}
