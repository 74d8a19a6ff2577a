/*
 * Only x86-64 has string instructions. See measure/kernels/copy.h.
 */
#pragma once

#include <stdint.h>

#define COPY_HAS_STRINGS 0
