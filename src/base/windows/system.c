/* Texts, memory, signals and the system's own facts as posix.h declares them. */
#include <windows.h>

#include <fnmatch.h>
#include <io.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#undef free
#undef strrchr

/* --- texts --- */

char *strndup(const char *text, size_t most)
{
    const size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *strcasestr(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text; text++)
        if (strnicmp(text, part, length) == 0)
            return (char *)(uintptr_t)text;
    return length ? NULL : (char *)(uintptr_t)text;
}

char *posix_strrchr(const char *text, int c)
{
    char *last = strrchr(text, c), *other = c == '/' ? strrchr(text, '\\') : NULL;
    return other > last ? other : last;
}

int fnmatch(const char *pattern, const char *text, int flags)
{
    for (; *pattern && *pattern != '*'; pattern++, text++)
        if (!*text || (*pattern != '?' && *pattern != *text))
            return 1;
    if (!*pattern)
        return *text != '\0';
    do
        if (fnmatch(pattern + 1, text, flags) == 0)
            return 0;
    while (*text++);
    return 1;
}

/* --- memory --- */

static void **aligned;
static size_t aligned_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *posix_aligned(size_t alignment, size_t bytes)
{
    void *memory = NULL;
    pthread_mutex_lock(&lock);
    void **longer = realloc(aligned, (aligned_count + 1) * sizeof *aligned);
    aligned = longer ? longer : aligned;
    if (longer && (memory = _aligned_malloc(bytes, alignment)))
        aligned[aligned_count++] = memory;
    pthread_mutex_unlock(&lock);
    return memory;
}

void posix_free(void *memory)
{
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < aligned_count && aligned[i] != memory)
        i++;
    const bool found = i < aligned_count;
    if (found)
        aligned[i] = aligned[--aligned_count];
    pthread_mutex_unlock(&lock);
    if (found)
        _aligned_free(memory);
    else
        free(memory);
}

/* Equal members keep their order, as they do on Linux, so that one text has one answer. */
static void merge(char *members, size_t count, size_t size, char *room,
                  int (*order)(const void *, const void *))
{
    const size_t half = count / 2;
    if (half == 0)
        return;
    merge(members, half, size, room, order);
    merge(members + half * size, count - half, size, room, order);
    memcpy(room, members, half * size);
    for (size_t a = 0, b = half, to = 0; a < half; to++) {
        const bool later = b < count && order(members + b * size, room + a * size) < 0;
        memmove(members + to * size, later ? members + b++ * size : room + a++ * size, size);
    }
}

#undef qsort
void posix_qsort(void *members, size_t count, size_t size, int (*order)(const void *, const void *))
{
    char *room = malloc(count / 2 * size + 1);
    if (room)
        merge(members, count, size, room, order);
    else
        qsort(members, count, size, order);
    free(room);
}

/* --- variables --- */

int setenv(const char *name, const char *value, int replace)
{
    return !replace && getenv(name) ? 0 : _putenv_s(name, value);
}

int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

/* --- signals and threads --- */

static struct sigaction actions[32];

static void deliver(int number)
{
    const struct sigaction action = actions[number];
    signal(number, action.sa_flags & SA_RESETHAND ? SIG_DFL : deliver);
    action.sa_handler(number);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    if (before)
        *before = actions[number];
    if (!action)
        return 0;
    actions[number] = *action;
    if (number != SIGINT && number != SIGTERM)
        return 0;
    signal(number, action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN
                       ? action->sa_handler
                       : deliver);
    return 0;
}

const char *strsignal(int number)
{
    return number == SIGINT ? "Interrupt" : number == SIGTERM ? "Terminated" : "signal";
}

int kill(pid_t id, int number)
{
    const HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)id);
    if (process)
        CloseHandle(process);
    errno = ESRCH;
    return process ? 0 : -1;
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    const time_t left = until->tv_sec - time(NULL);
    if (WaitForSingleObject(pthread_gethandle(thread), left > 0 ? (DWORD)left * 1000 : 0) !=
        WAIT_OBJECT_0)
        return ETIMEDOUT;
    return pthread_join(thread, result);
}

int poll(struct pollfd *files, unsigned long count, int timeout_ms)
{
    if (!count)
        Sleep((DWORD)timeout_ms);
    for (unsigned long i = 0; i < count; i++)
        files[i].revents = files[i].events;
    return (int)count;
}

/* --- the system --- */

int uname(struct utsname *names)
{
    SYSTEM_INFO system;
    RTL_OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    LONG(WINAPI * get_version)(RTL_OSVERSIONINFOW *);
    const FARPROC found = GetProcAddress(GetModuleHandleA("ntdll.dll"), "RtlGetVersion");
    DWORD size = sizeof names->nodename;
    memcpy(&get_version, &found, sizeof found);
    *names = (struct utsname){.sysname = "Windows"};
    GetComputerNameExA(ComputerNameDnsHostname, names->nodename, &size);
    if (found)
        get_version(&version);
    snprintf(names->release, sizeof names->release, "%lu.%lu.%lu", version.dwMajorVersion,
             version.dwMinorVersion, version.dwBuildNumber);
    GetNativeSystemInfo(&system);
    snprintf(names->machine, sizeof names->machine, "%s",
             system.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_AMD64 ? "x86_64" : "aarch64");
    return 0;
}

/* The program's file sets the limit of its stack, so no limit is told. */
int getrlimit(int resource, struct rlimit *limit)
{
    *limit = (struct rlimit){.rlim_cur = ~0ull, .rlim_max = ~0ull};
    return 0;
}

long sysconf(int name)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return (long)system.dwPageSize;
}

static struct timeval time_of(const FILETIME *time)
{
    const uint64_t us = ((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime) / 10;
    return (struct timeval){.tv_sec = (long)(us / 1000000), .tv_usec = (long)(us % 1000000)};
}

int getrusage(int which, struct rusage *used)
{
    FILETIME created, ended, kernel, user;
    *used = (struct rusage){0};
    if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user))
        return -1;
    used->ru_stime = time_of(&kernel);
    used->ru_utime = time_of(&user);
    return 0;
}

int ioctl(int file, int request, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO console;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(file), &console))
        return -1;
    size->ws_col = (unsigned short)(console.srWindow.Right - console.srWindow.Left + 1);
    size->ws_row = (unsigned short)(console.srWindow.Bottom - console.srWindow.Top + 1);
    return 0;
}
