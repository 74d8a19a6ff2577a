/*
 * What POSIX has and the C library of Windows lacks, as far as fathom uses it. The build puts this
 * header before every file, so that no file needs a case for Windows. A call has the name, the
 * arguments and the errors that POSIX gives it; what Windows can't do fails as POSIX lets it fail.
 * Files are opened without conversion of line ends, and may be renamed while they are open.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A function of io.h that nobody calls has the name of some of ours. */
#define tell tell_of_ours

/* --- files --- */

enum { O_CLOEXEC = O_NOINHERIT, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 };
enum { F_DUPFD_CLOEXEC, F_GETFL, F_SETFL, LOCK_EX = 1, LOCK_NB = 2 };
enum { EDQUOT = ENOSPC };
/* With the time and the number of a file that the system keeps, which the C library's lacks. */
struct posix_stat {
    uint64_t st_dev, st_ino;
    int64_t st_size;
    struct timespec st_mtim;
    unsigned st_mode;
    int st_uid, st_gid;
};
int posix_fstat(int file, struct posix_stat *);
int posix_stat(const char *path, struct posix_stat *);
#undef stat
#define stat posix_stat
#undef fstat
#define fstat    posix_fstat
#define st_mtime st_mtim.tv_sec
#undef CLOCK_REALTIME_COARSE
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME

#undef S_IWOTH /* permissions are no mode bits here */
enum { S_IWOTH = 0 };
#define S_ISLNK(mode) ((void)(mode), 0)

int posix_rename(const char *from, const char *to);
DIR *posix_opendir(const char *path);
int link(const char *from, const char *to);
ssize_t readlink(const char *path, char *to, size_t size);
int fchmod(int file, unsigned mode);
int fchown(int file, int user, int group);
int fcntl(int file, int command, ...);
int flock(int file, int operation);
char *realpath(const char *path, char *resolved);
int scandir(const char *folder, struct dirent ***names, int (*wanted)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **, const struct dirent **);

#define rename              posix_rename
#define opendir             posix_opendir
#define lstat(path, status) stat(path, status)
#define mkdir(path, mode)   ((void)(mode), mkdir(path))
#define fsync(file)         _commit(file)
#define geteuid()           0

/* --- streams in memory, which are temporary files --- */

FILE *open_memstream(char **text, size_t *size);
FILE *fmemopen(void *buffer, size_t size, const char *mode);
int posix_fflush(FILE *);
int posix_fclose(FILE *);
#define fflush                   posix_fflush
#define fclose                   posix_fclose
#define putc_unlocked(c, stream) putc(c, stream)

/* --- texts, time and numbers --- */

char *strndup(const char *, size_t);
char *strcasestr(const char *text, const char *part);
const char *strsignal(int);
/* A search for the last '/' finds either of the two separators of paths. */
char *posix_strrchr(const char *, int);
#define strrchr                 posix_strrchr
#define timegm(when)            _mkgmtime(when)
#define localtime_r(time, when) (localtime_s(when, time) == 0 ? (when) : NULL)

/* The gamma function of positive numbers has no other sign. */
#define lgamma_r(x, sign) (*(sign) = 1, lgamma(x))

/* --- memory --- */

void *posix_aligned(size_t alignment, size_t bytes);
void posix_free(void *);
#define aligned_alloc posix_aligned
#define free          posix_free

void posix_qsort(void *members, size_t count, size_t size,
                 int (*order)(const void *, const void *));
#define qsort posix_qsort

enum { _SC_PAGESIZE };
long sysconf(int name);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);

/* --- signals and threads --- */

typedef unsigned sigset_t;
enum {
    SIGHUP = 1,
    SIGURG = 16,
    SIGXFSZ = 25,
    SA_RESTART = 1,
    SA_SIGINFO = 2,
    SA_RESETHAND = 4,
    SA_ONSTACK = 8
};
typedef struct {
    int si_signo;
} siginfo_t;
struct sigaction {
    union {
        void (*sa_handler)(int);
        void (*sa_sigaction)(int, siginfo_t *, void *);
    };
    sigset_t sa_mask;
    int sa_flags;
};
/* Windows delivers SIGINT and SIGTERM, on a thread of their own. */
int sigaction(int number, const struct sigaction *, struct sigaction *before);
#define sigemptyset(set)          ((void)(*(set) = 0))
#define sigfillset(set)           ((void)(*(set) = ~(sigset_t)0))
#define sigdelset(set, number)    ((void)(*(set) &= ~((sigset_t)1 << (number))))
#define sigjmp_buf                jmp_buf
#define sigsetjmp(escape, mask)   setjmp(escape)
#define siglongjmp(escape, value) longjmp(escape, value)
int kill(pid_t, int number);
int pthread_timedjoin_np(pthread_t, void **result, const struct timespec *until);
