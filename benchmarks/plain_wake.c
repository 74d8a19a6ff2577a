/*
 * Wake-ups as one would time them by hand: two threads on two CPUs pass a turn to and fro, with the
 * clock read around all of it. fathom's figures are compared with it.
 *
 * usage: plain_wake A B   two CPUs; prints lines "futex NS", "eventfd NS", "pipe NS", "condition
 * NS", "spin NS": half of a round trip, the medians of 41 batches
 */
#include "machine/os.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 41, ROUND_TRIPS = 20, WARM = 5, SPINS = 200 };
enum way { FUTEX, EVENTFD, PIPE, CONDITION, SPIN, WAYS };
static const char *const names[WAYS] = {"futex", "eventfd", "pipe", "condition", "spin"};

struct line {
    _Alignas(128) atomic_uint word;
    int reads, writes;
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

struct pair {
    enum way way;
    int cpus[2];
    struct line to[2];
};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void send(enum way way, struct line *line)
{
    const uint64_t one = 1;
    if (way == CONDITION)
        pthread_mutex_lock(&line->mutex);
    atomic_store(&line->word, 1);
    if (way == CONDITION) {
        pthread_cond_signal(&line->condition);
        pthread_mutex_unlock(&line->mutex);
    }
    if (way == FUTEX)
        syscall(SYS_futex, &line->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    if (way == EVENTFD || way == PIPE)
        if (write(line->writes, &one, way == PIPE ? 1 : 8) < 1)
            exit(1);
}

static void receive(enum way way, struct line *line)
{
    uint64_t value;
    if (way == FUTEX)
        while (!atomic_load(&line->word))
            syscall(SYS_futex, &line->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    if (way == EVENTFD || way == PIPE)
        if (read(line->reads, &value, way == PIPE ? 1 : 8) < 1)
            exit(1);
    if (way == CONDITION) {
        pthread_mutex_lock(&line->mutex);
        while (!atomic_load(&line->word))
            pthread_cond_wait(&line->condition, &line->mutex);
        pthread_mutex_unlock(&line->mutex);
    }
    while (!atomic_load(&line->word))
        ;
    atomic_store(&line->word, 0);
}

static int trips(enum way way)
{
    return way == SPIN ? SPINS : ROUND_TRIPS;
}

static void *answer(void *argument)
{
    struct pair *pair = argument;
    struct error error;
    if (os_pin_thread(pair->cpus[1], &error) < 0)
        exit(1);
    for (int i = 0; i < BATCHES * trips(pair->way) + WARM; i++) {
        receive(pair->way, &pair->to[1]);
        send(pair->way, &pair->to[0]);
    }
    return NULL;
}

static void open_line(enum way way, struct line *line)
{
    int ends[2] = {-1, -1};
    memset(line, 0, sizeof *line);
    pthread_mutex_init(&line->mutex, NULL);
    pthread_cond_init(&line->condition, NULL);
    if (way == EVENTFD)
        ends[0] = ends[1] = eventfd(0, 0);
    if (way == PIPE && pipe(ends) < 0)
        exit(1);
    line->reads = ends[0];
    line->writes = ends[1];
}

static double measure(struct pair *pair)
{
    double took_ns[BATCHES];
    pthread_t other;
    open_line(pair->way, &pair->to[0]);
    open_line(pair->way, &pair->to[1]);
    if (pthread_create(&other, NULL, answer, pair))
        exit(1);
    for (int batch = -1; batch < BATCHES; batch++) {
        const int count = batch < 0 ? WARM : trips(pair->way);
        const double began_ns = now_ns();
        for (int i = 0; i < count; i++) {
            send(pair->way, &pair->to[1]);
            receive(pair->way, &pair->to[0]);
        }
        if (batch >= 0)
            took_ns[batch] = (now_ns() - began_ns) / 2 / count;
    }
    pthread_join(other, NULL);
    qsort(took_ns, BATCHES, sizeof *took_ns, compare);
    return took_ns[BATCHES / 2];
}

int main(int argc, char **argv)
{
    static struct pair pair;
    struct error error;
    if (argc != 3)
        return 2;
    pair.cpus[0] = atoi(argv[1]);
    pair.cpus[1] = atoi(argv[2]);
    if (os_pin_thread(pair.cpus[0], &error) < 0)
        return 1;
    for (int way = 0; way < WAYS; way++) {
        pair.way = (enum way)way;
        printf("%s %.1f\n", names[way], measure(&pair));
    }
    return 0;
}
