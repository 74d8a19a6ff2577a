#include "base/sort.h"

#include <stdint.h>
#include <string.h>

int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int by_size(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

int by_uint64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int by_float(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int order_of_pairs(const long double pairs[][2], size_t n)
{
    int order = 0;
    for (size_t i = 0; i < n && !order; i++)
        order = (pairs[i][0] > pairs[i][1]) - (pairs[i][0] < pairs[i][1]);
    return order;
}
