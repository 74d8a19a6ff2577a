/* Architectures on which no instruction reports a hypervisor. */
#pragma once

static inline void arch_hypervisor(char name[13])
{
    name[0] = '\0';
}
