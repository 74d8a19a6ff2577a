/*
 * What the static program does first (scripts/static links it with --wrap=main). It holds the same
 * program linked with glibc. Where this machine has a GPU's library, and a glibc to run that
 * program with, it goes on as that one: from memory, so nothing is written and nothing is left.
 *
 * FATHOM_STATIC=1 in the environment keeps it as it is.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        "carried_begin: .incbin \"" CARRIED "\"\n"
        "carried_end:\n"
        ".popsection");
extern const char carried_begin[] __attribute__((visibility("hidden")));
extern const char carried_end[] __attribute__((visibility("hidden")));

extern char **environ;
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static const char loader[] = "/lib64/ld-linux-x86-64.so.2";

/* Each kind of device: its library, and the variable that names another one (fathom-gpu(1)). */
static const struct {
    const char *library, *variable;
} devices[] = {
    {"libcuda.so.1", "FATHOM_LIBCUDA"},
    {"libnvidia-ml.so.1", "FATHOM_LIBNVML"},
    {"libOpenCL.so", "FATHOM_LIBOPENCL"},
};
enum { DEVICES = sizeof devices / sizeof *devices };

/* Where distributions, WSL and NVIDIA's container toolkit put them. */
static const char *const folders[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib", "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
};

static bool in_folder(const char *folder, int length)
{
    char path[4096];
    for (int i = 0; i < DEVICES; i++)
        if (snprintf(path, sizeof path, "%.*s/%s", length, folder, devices[i].library) <
                (int)sizeof path &&
            access(path, R_OK) == 0)
            return true;
    return false;
}

static bool in_path(const char *path)
{
    for (; path && *path; path += strspn(path, ":")) {
        const int length = (int)strcspn(path, ":");
        if (length && in_folder(path, length))
            return true;
        path += length;
    }
    return false;
}

/* The loader's own list: the names stand in it as they are. */
static bool in_cache(void)
{
    bool found = false;
    const int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    const off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : 0;
    void *list = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (list != MAP_FAILED) {
        for (int i = 0; i < DEVICES; i++)
            found =
                found || memmem(list, (size_t)size, devices[i].library, strlen(devices[i].library));
        munmap(list, (size_t)size);
    }
    if (file >= 0)
        close(file);
    return found;
}

static bool device_is_here(void)
{
    for (int i = 0; i < DEVICES; i++) {
        const char *named = getenv(devices[i].variable);
        if (named && *named)
            return true;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (in_folder(folders[i], (int)strlen(folders[i])))
            return true;
    return in_cache() || in_path(getenv("LD_LIBRARY_PATH"));
}

/* A limit on the size of files holds for this one too, and must not end the program. */
static int unpack(void)
{
    const size_t size = (size_t)(carried_end - carried_begin);
    size_t done = 0;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    const int file = (int)syscall(SYS_memfd_create, "fathom", 1u /* closed by execve() */);
    while (file >= 0 && done < size) {
        const ssize_t wrote = write(file, carried_begin + done, size - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    signal(SIGXFSZ, before);
    if (file < 0 || done == size)
        return file;
    close(file);
    return -1;
}

static void become(int file, char **argv)
{
    syscall(SYS_execveat, file, "", argv, environ, AT_EMPTY_PATH);
}

/* What is called a loader may be too old, or something else: this is found out beside, and the
 * program as it is goes on. */
static bool would_run(int file)
{
    char *const arguments[] = {(char *)"fathom", (char *)"--version", NULL};
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        for (int channel = STDOUT_FILENO; channel <= STDERR_FILENO; channel++) {
            if (nowhere >= 0)
                dup2(nowhere, channel);
            else
                close(channel);
        }
        become(file, (char **)arguments);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int __wrap_main(int argc, char **argv)
{
    const char *stay = getenv("FATHOM_STATIC");
    if ((!stay || !*stay) && access(loader, X_OK) == 0 && device_is_here()) {
        const int file = unpack();
        if (file >= 0 && would_run(file))
            become(file, argv);
        if (file >= 0)
            close(file);
    }
    return __real_main(argc, argv);
}
