/* There is no such loop: C can't prescribe the exact number of instructions between two loads. */
#pragma once

#define WINDOW_BETWEEN 0
