/* How a program chooses a block size by what this machine's caches really give it.
 *
 *     cc levels.c $(pkg-config --cflags --libs fathom) -o levels */
#include <fathom.h>
#include <stdio.h>

int main(void)
{
    static const char *const sources[] = {"?", "declared", "measured", "cached"};
    struct fathom_level levels[8];
    struct fathom_error error;
    struct fathom *fathom = fathom_open(NULL, &error);
    size_t padding = 0;
    int i, count = -1;

    levels[0].size = sizeof levels[0];
    if (fathom)
        count = fathom_levels(fathom, levels, 8, 1000, &error);
    if (count < 0) {
        fprintf(stderr, "levels: %s\n", error.text);
        fathom_close(fathom);
        return 1;
    }
    for (i = 0; i < count && i < 8; i++) {
        if (levels[i].level)
            printf("L%u holds %lu bytes (declared: %lu), %s%s", levels[i].level,
                   (unsigned long)levels[i].capacity_bytes, (unsigned long)levels[i].declared_bytes,
                   sources[levels[i].source], levels[i].doubtful ? ", in doubt" : "");
        else
            printf("memory");
        if (levels[i].latency_ns > 0) /* else it was not found */
            printf(": %.2f ns away", levels[i].latency_ns);
        putchar('\n');
    }
    if (count > 0)
        printf("so blocks of %lu KiB stay in the first level\n",
               (unsigned long)(levels[0].capacity_bytes / 2 / 1024));
    if (fathom_padding(fathom, &padding, 500, &error) > 0)
        printf("and counters of different threads belong %lu bytes apart\n",
               (unsigned long)padding);
    fathom_close(fathom);
    return 0;
}
