#include "faults.h"

#include <stdlib.h>
#include <string.h>

const char *faults_read(struct faults *faults, const char *text)
{
    const char *at = text ? text : "";
    faults->count = 0;
    while (*at) {
        struct fault *new = &faults->list[faults->count];
        const char *part = at;
        size_t length = strcspn(at, ":=,");
        char *end = NULL;
        *new = (struct fault){.nth = 0};
        if (faults->count == FAULTS_MOST || !length || length >= FAULT_NAME_BYTES)
            return part;
        memcpy(new->call, at, length);
        at += length;
        if (*at == ':') {
            new->nth = (unsigned)strtoul(at + 1, &end, 10);
            if (!new->nth)
                return part;
            at = end;
        }
        if (*at++ != '=')
            return part;
        if (!strncmp(at, "hang", strlen("hang"))) {
            new->result = FAULT_HANG;
            at += strlen("hang");
        } else {
            new->result = (int)strtol(at, &end, 10);
            if (end == at || new->result <= 0)
                return part;
            at = end;
        }
        if (*at && *at++ != ',')
            return part;
        faults->count++;
    }
    return NULL;
}

static int is_call(const char *named, const char *call)
{
    size_t length = strlen(named);
    return !strncmp(named, call, length) && (!call[length] || !strcmp(call + length, "_v2"));
}

int faults_take(struct faults *faults, const char *call)
{
    int result = FAULT_NONE;
    for (unsigned i = 0; i < faults->count; i++) {
        struct fault *fault = &faults->list[i];
        if (!is_call(fault->call, call))
            continue;
        fault->seen++;
        if (!fault->nth || fault->nth == fault->seen)
            result = fault->result;
    }
    return result;
}
