/* Prints generated code as bytes, one code after the other, for tests/kernels/front: "NAME BYTES".
 */
#include "measure/kernels/front.h"

#include "machine/pages.h"

#include <stdio.h>

enum { COUNT = 6, ROOM = 1 << 16 };

static void print(const char *name, enum front_kind kind, size_t each, bool random, bool sparse)
{
    uint32_t places[COUNT];
    struct front front = {.memory = pages_map(ROOM, PAGES_OF_4K, pages_bytes(PAGES_OF_4K)),
                          .bytes = ROOM,
                          .code = {kind, random, sparse, COUNT, each, 5, places}};
    if (!front_has(kind == FRONT_PLAIN ? each : 0) || !front.memory || !front_make(&front))
        return;
    printf("%s ", name);
    for (size_t i = 0; i < front_bytes(&front.code) + 64 * COUNT && i < ROOM; i++)
        printf("%02x", front.memory[i]);
    printf("\n");
}

int main(void)
{
    print("jumps-16", FRONT_JUMPS, 16, false, false);
    print("jumps-128", FRONT_JUMPS, 128, false, false);
    print("jumps-64-random", FRONT_JUMPS, 64, true, false);
    print("jumps-2112-sparse", FRONT_JUMPS, 2112, false, true);
    print("plain-4", FRONT_PLAIN, 4, false, false);
    print("plain-8", FRONT_PLAIN, 8, false, false);
    print("plain-12", FRONT_PLAIN, 12, false, false);
    return 0;
}
