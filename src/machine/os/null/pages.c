/* For a system that fathom has no port for: every call fails. */
#include "machine/pages.h"

size_t pages_bytes(enum pages_kind kind)
{
    return 0;
}

bool pages_counted(void)
{
    return false;
}

unsigned char *pages_map(size_t bytes, enum pages_kind kind, size_t page)
{
    return NULL;
}

bool pages_populate(unsigned char *memory, size_t bytes)
{
    return false;
}

bool pages_unmap(unsigned char *memory, size_t bytes)
{
    return false;
}

bool pages_discard(unsigned char *memory, size_t bytes)
{
    return false;
}

bool pages_executable(unsigned char *memory, size_t bytes, bool executable)
{
    return false;
}

int pages_twin_start(void)
{
    return -1;
}

void pages_twin_end(int twin) {}
