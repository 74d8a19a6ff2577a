/*
 * mem-lat as its article has it: pointers through a buffer, a stride apart, forward or shuffled,
 * and a loop of a hundred loads; with its pointer in a register or on the stack.
 *
 * usage: mem_lat KIB STRIDE forward|random register|stack    prints what plain.h tells
 */
#include "plain.h"

#define ONE     p = (char **)*p;
#define FIVE    ONE ONE ONE ONE ONE
#define FIFTY   FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE
#define HUNDRED FIFTY FIFTY
static char *volatile touched;

int main(int argc, char **argv)
{
    if (argc < 5)
        return 1;
    const size_t stride = strtoul(argv[2], NULL, 10), bytes = strtoul(argv[1], NULL, 10) * 1024;
    const size_t size = bytes / stride, loops = (2 * size > 100000 ? 2 * size : 100000) / 100;
    const size_t *indices = order_of(size, *argv[3] == 'r');
    char *mem = take(bytes, 0); /* the article's pages */
    for (size_t i = 0; i < size; i++)
        *(char **)(void *)&mem[indices[i] * stride] = &mem[indices[(i + 1) % size] * stride];
    for (double end = now_ns() + walks_ns; now_ns() < end;) {
        const double began = now_ns();
        if (*argv[4] == 's') {
            char **volatile p = (char **)(void *)mem;
            for (size_t i = 0; i < loops; i++) {
                HUNDRED
            }
        } else {
            char **p = (char **)(void *)mem;
            for (size_t i = 0; i < loops; i++) {
                HUNDRED
            }
            touched = (char *)p;
        }
        note((now_ns() - began) / (100 * (double)loops));
    }
    tell();
}
