/*
 * Only on x86-64 does every processor have string instructions. See measure/kernels/copy.h.
 */
#pragma once

#include <stdint.h>

#define COPY_HAS_STRINGS 0
