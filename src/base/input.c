#include "base/input.h"

#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 50, STEPS = 200, TICKS_MS = 1000 };

/* Waits until a program has the pipe open for writing; NULL, or why not. Only a read tells a writer
 * that is silent (EAGAIN) from none (0); *read_byte is what it read, or EOF. */
static const char *await_writer(int file, int *steps, int *read_byte)
{
    do {
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
    } while (++*steps < STEPS);
    return "no program has written to this pipe for ten seconds";
}

static bool is_of(const struct stat *status, struct timespec time)
{
    return status->st_mtim.tv_sec == time.tv_sec && status->st_mtim.tv_nsec == time.tv_nsec;
}

/* Linux stamps a file with the time of the kernel's last tick. A file whose time is the present
 * tick could be written again without getting another time, so wait for the next tick. A file that
 * is written in each of many ticks counts as one that changes. */
static int begin(int file, struct stat *begun)
{
    struct timespec tick;
    int ms = 0, code = 0;
    do
        code = fstat(file, begun) < 0 ? -1 : clock_gettime(CLOCK_REALTIME_COARSE, &tick);
    while (code == 0 && S_ISREG(begun->st_mode) && is_of(begun, tick) && ms++ < TICKS_MS &&
           poll(NULL, 0, 1) == 0);
    begun->st_size = ms > TICKS_MS ? -1 : begun->st_size;
    return code;
}

int input_open(struct input *input, const char *path, const char *remedy, struct error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    int read_byte = EOF, alone = 0;
    const int file =
        standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const char *why = file < 0 || begin(file, &input->begun) < 0 ? strerror(errno) : NULL;
    input->name = standard ? "standard input" : path;
    input->stream = standard ? stdin : NULL;
    if (!standard && !why) {
        /* A pipe that is open here already, as /dev/fd/63, ends when its writers are gone. */
        if (S_ISFIFO(input->begun.st_mode) && target_channel(path) < 0)
            why = await_writer(file, input->steps ? input->steps : &alone, &read_byte);
        /* Some regular files of the kernel, such as /proc/kmsg, wait for their next line; without
         * blocking they don't. */
        if (!why && (fcntl(file, F_SETFL, S_ISREG(input->begun.st_mode) ? O_NONBLOCK : 0) < 0 ||
                     !(input->stream = fdopen(file, "rb"))))
            why = strerror(errno);
    }
    if (read_byte != EOF && input->stream)
        ungetc(read_byte, input->stream);
    if (!why)
        return 0;
    if (file >= 0 && !standard)
        close(file);
    return error_set(error, ERROR_USAGE, "%s: %s: %s", input->name, why, remedy);
}

int input_close(struct input *input, int code, struct error *error)
{
    struct stat now;
    if (S_ISREG(input->begun.st_mode) && code != ERROR_SYSTEM &&
        (fstat(fileno(input->stream), &now) < 0 || now.st_size != input->begun.st_size ||
         !is_of(&now, input->begun.st_mtim)))
        code = error_set(error, ERROR_USAGE,
                         "%s: it changed while it was read: try again when it is complete",
                         input->name);
    if (input->stream != stdin)
        fclose(input->stream);
    return code;
}
