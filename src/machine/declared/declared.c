#include "machine/declared/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void *declared_append(struct machine *machine, void *array_address, size_t *count, size_t size)
{
    void *array;
    memcpy(&array, array_address, sizeof array);
    void *slot = pool_append(&machine->pool, &array, count, size);
    memcpy(array_address, &array, sizeof array);
    return slot;
}

int declared_number_of(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return -1;
    const char *digits = name + length;
    const size_t count = strspn(digits, "0123456789");
    return count > 0 && count < 7 && !digits[count] ? atoi(digits) : -1;
}

int declarations_read(struct machine *machine, const struct machine_source *source,
                      struct error *error)
{
    int (*const parts[])(struct machine *, const char *) = {
        declared_nodes,
        declared_cxl,
        declared_shares,
        declared_clocks,
        source->smbios ? NULL : declared_smbios,
    };
    int code = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == 0; i++)
        code = parts[i] ? parts[i](machine, source->root) : 0;
    if (code < 0)
        return error_out_of_memory(error);
    return source->smbios ? declared_dmidecode(machine, source->smbios, error) : 0;
}
