/* The library beside OpenMP: its threads are there before and after, and nothing else. */
#include <dirent.h>
#include <fathom.h>
#include <omp.h>
#include <stdio.h>

static int count_threads(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static long sum_of(int n)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}

int main(void)
{
    const struct fathom_options options = {.size = sizeof options, .cache_folder = ""};
    struct fathom_level level = {.size = sizeof level};
    struct fathom_error error = {0};
    const long first = sum_of(1000);
    const int before = count_threads();
    struct fathom *fathom = fathom_open(&options, &error);
    int count = fathom_levels(fathom, &level, 1, 400, &error);
    fathom_close(fathom);
    const int after = count_threads();
    const long second = sum_of(1000);
    int within = 0;
    /* In one of its threads, while the others go on. */
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        struct fathom_level own = {.size = sizeof own};
        struct fathom *other = fathom_open(&options, NULL);
        within = fathom_levels(other, &own, 1, 400, NULL);
        fathom_close(other);
    }
    printf(
        "1..3\n%sok 1 - the sums are what they were\n%sok 2 - as many threads as before (%d, %d)\n"
        "%sok 3 - answered outside and within a region (%d, %d: %s)\n",
        first == 499500 && second == first ? "" : "not ", before == after ? "" : "not ", before,
        after,
        (count > 0 || count == FATHOM_IMPOSSIBLE) && (within > 0 || within == FATHOM_IMPOSSIBLE)
            ? ""
            : "not ",
        count, within, error.text);
    return 0;
}
