#include "base/input.h"

#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP_MS = 50, STEPS = 200 };

/* Waits until a program has the pipe open for writing; NULL, or why not. Only a read tells a writer
 * that is silent (EAGAIN) from none (0); *read_byte is what it read, or EOF. */
static const char *await_writer(int file, int *read_byte)
{
    for (int step = 0; step < STEPS; step++) {
        struct pollfd poller = {.fd = file, .events = POLLIN};
        unsigned char byte;
        const int ready = poll(&poller, 1, STEP_MS);
        if (ready < 0)
            return strerror(errno);
        const ssize_t got = ready ? -1 : read(file, &byte, 1);
        if (got > 0)
            *read_byte = byte;
        if (got != 0)
            return NULL;
    }
    return "no program has written to this pipe for ten seconds";
}

FILE *input_open(const char *path, const char *remedy, struct error *error)
{
    struct stat status;
    FILE *stream = NULL;
    int read_byte = EOF;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const char *why = file < 0 || fstat(file, &status) < 0 ? strerror(errno) : NULL;
    /* A pipe that is open here already, as /dev/fd/63, ends when its writers are gone. */
    if (!why && S_ISFIFO(status.st_mode) && target_channel(path) < 0)
        why = await_writer(file, &read_byte);
    /* The kernel has regular files that wait for their next line, as /proc/kmsg: these don't. */
    if (!why && (fcntl(file, F_SETFL, S_ISREG(status.st_mode) ? O_NONBLOCK : 0) < 0 ||
                 !(stream = fdopen(file, "rb"))))
        why = strerror(errno);
    if (read_byte != EOF && stream)
        ungetc(read_byte, stream);
    if (!why)
        return stream;
    if (file >= 0)
        close(file);
    error_set(error, ERROR_USAGE, "%s: %s: %s", path, why, remedy);
    return NULL;
}
