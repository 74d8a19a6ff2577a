/* Memory modules by what `dmidecode` printed: for users who may not read the firmware's table. */
#include "machine/declared/parts.h"
#include "machine/files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512 };

/* What dmidecode prints of the largest machines has some hundred KiB. */
static const size_t most_bytes = 16 << 20;

/* What firmware and dmidecode write in place of a fact. */
static const char *const nothing[] = {"Unknown",      "Not Specified", "None",
                                      "NO DIMM",      "<BAD INDEX>",   "N/A",
                                      "Not Provided", "[Empty]",       "<OUT OF SPEC>"};

static const char *fact(struct pool *pool, const char *value)
{
    const char *text = text_inert(pool, value, strlen(value));
    for (size_t i = 0; text && i < sizeof nothing / sizeof *nothing; i++)
        if (strcmp(text, nothing[i]) == 0)
            return NULL;
    return text;
}

/* The number that the value begins with, and what follows it; 0 where it is none, or larger than
 * `most`. */
static unsigned number(const char *value, unsigned most, const char **rest)
{
    char *end;
    errno = 0;
    const unsigned long found = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;
    if (!found || errno || found > most)
        return 0;
    *rest = end + strspn(end, " ");
    return (unsigned)found;
}

/* "16 GB", in which dmidecode counts by 1024. */
static uint64_t size_of(const char *value)
{
    static const struct {
        const char *unit;
        int shift;
    } units[] = {{"kB", 10}, {"MB", 20}, {"GB", 30}, {"TB", 40}};
    const char *rest;
    const unsigned count = number(value, 1 << 22, &rest);
    for (size_t i = 0; count && i < sizeof units / sizeof *units; i++)
        if (strncmp(rest, units[i].unit, 2) == 0)
            return (uint64_t)count << units[i].shift;
    return 0;
}

/* "3200 MT/s", and "1600 MHz" in dmidecode before 3.1, which meant the same. */
static unsigned speed_of(const char *value)
{
    const char *rest;
    const unsigned mts = number(value, DECLARED_MTS_MAX, &rest);
    return mts && (strncmp(rest, "MT/s", 4) == 0 || strncmp(rest, "MHz", 3) == 0) ? mts : 0;
}

static unsigned bits_of(const char *value)
{
    const char *rest;
    const unsigned bits = number(value, DECLARED_BITS_MAX, &rest);
    return bits && strncmp(rest, "bit", 3) == 0 ? bits : 0;
}

static const char *type_of(struct pool *pool, const char *value)
{
    if (strncmp(value, "Logical non-volatile", 20) == 0)
        return "NVDIMM";
    return strcmp(value, "Other") == 0 ? NULL : fact(pool, value);
}

static void take(struct declared_module *module, struct pool *pool, const char *key,
                 const char *value)
{
    const char *rest;
    if (strcmp(key, "Size") == 0) {
        module->empty = strncmp(value, "No Module", 9) == 0;
        module->size_bytes = size_of(value);
    } else if (strcmp(key, "Locator") == 0) {
        module->slot = fact(pool, value);
    } else if (strcmp(key, "Bank Locator") == 0) {
        module->bank = fact(pool, value);
    } else if (strcmp(key, "Type") == 0) {
        module->type = type_of(pool, value);
    } else if (strcmp(key, "Speed") == 0) {
        module->rated_mts = speed_of(value);
    } else if (strcmp(key, "Configured Memory Speed") == 0 ||
               strcmp(key, "Configured Clock Speed") == 0) {
        module->configured_mts = speed_of(value);
    } else if (strcmp(key, "Data Width") == 0) {
        module->data_bits = bits_of(value);
    } else if (strcmp(key, "Total Width") == 0) {
        module->total_bits = bits_of(value);
    } else if (strcmp(key, "Rank") == 0) {
        module->ranks = number(value, DECLARED_BITS_MAX, &rest);
    } else if (strcmp(key, "Manufacturer") == 0) {
        module->maker = fact(pool, value);
    } else if (strcmp(key, "Part Number") == 0) {
        module->part = fact(pool, value);
    }
}

/* An empty slot has no kind of memory, whatever stands there. */
static void end_module(struct declared_module *module)
{
    if (module->empty)
        *module =
            (struct declared_module){.slot = module->slot, .bank = module->bank, .empty = true};
}

/* Where the lines stand: "Memory Device" begins a module, whose lines are indented. */
struct reading {
    struct machine *machine;
    bool inside;
};

static int take_line(struct reading *reading, char *line)
{
    struct declared_facts *declared = &reading->machine->facts.declared;
    line[strcspn(line, "\r\n")] = '\0';
    if (*line != '\t' && *line != ' ') {
        if (reading->inside)
            end_module(&declared->modules[declared->module_count - 1]);
        reading->inside =
            strcmp(line, "Memory Device") == 0 && declared->module_count < DECLARED_MODULES_MAX;
        if (reading->inside && !declared_append(reading->machine, &declared->modules,
                                                &declared->module_count, sizeof *declared->modules))
            return ERROR_SYSTEM;
        return 0;
    }
    const char *key = line + strspn(line, " \t");
    char *colon = strstr(line, ": ");
    if (reading->inside && colon) {
        *colon = '\0';
        take(&declared->modules[declared->module_count - 1], &reading->machine->pool, key,
             colon + 2);
    }
    return 0;
}

/* What does not fit is cut off. */
static int read_lines(struct machine *machine, FILE *file, size_t *bytes)
{
    struct reading reading = {machine, false};
    char line[LINE_BYTES];
    bool goes_on = false;
    int code = 0;
    while (code == 0 && *bytes <= most_bytes && fgets(line, sizeof line, file)) {
        const size_t length = strlen(line);
        const bool ends = length && line[length - 1] == '\n';
        *bytes += length ? length : sizeof line;
        if (!goes_on)
            code = take_line(&reading, line);
        goes_on = !ends;
    }
    char last[] = "";
    return code == 0 ? take_line(&reading, last) : code;
}

int declared_dmidecode(struct machine *machine, const char *path, struct error *error)
{
    static const char how[] = "give what 'sudo dmidecode -t memory' prints";
    FILE *file = fopen(path, "re");
    size_t bytes = 0;
    if (!file)
        return error_set(error, ERROR_USAGE, "--smbios %s can't be opened: %s; %s", path,
                         strerror(errno), how);
    errno = 0;
    const int code = read_lines(machine, file, &bytes);
    const bool broken = ferror(file);
    const int why = errno;
    fclose(file);
    if (code < 0)
        return error_out_of_memory(error);
    if (broken)
        return error_set(error, ERROR_USAGE, "--smbios %s can't be read: %s; %s", path,
                         strerror(why), how);
    if (bytes > most_bytes)
        return error_set(error, ERROR_USAGE, "--smbios %s is too large for a list of modules: %s",
                         path, how);
    if (!machine->facts.declared.module_count)
        return error_set(error, ERROR_USAGE, "--smbios %s has no \"Memory Device\": %s", path, how);
    return 0;
}
