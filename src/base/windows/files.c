/* Files and folders as posix.h declares them. */
#include <windows.h>

#include <io.h>

#undef rename

/* The error of POSIX for the one that Windows has just reported. */
static int fail(void)
{
    static const DWORD errors[][2] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                                      {ERROR_PATH_NOT_FOUND, ENOENT},
                                      {ERROR_BAD_NETPATH, ENOENT},
                                      {ERROR_INVALID_NAME, ENOENT},
                                      {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
                                      {ERROR_FILE_EXISTS, EEXIST},
                                      {ERROR_ALREADY_EXISTS, EEXIST},
                                      {ERROR_ACCESS_DENIED, EACCES},
                                      {ERROR_SHARING_VIOLATION, EACCES},
                                      {ERROR_DISK_FULL, ENOSPC}};
    const DWORD reported = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        errno = errors[i][0] == reported ? (int)errors[i][1] : errno;
    return -1;
}

/* Folders of these names on a drive aren't the system's. */
static bool is_of_linux(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

int posix_fstat(int file, struct posix_stat *status)
{
    const int64_t from_1601_to_1970 = 116444736000000000;
    BY_HANDLE_FILE_INFORMATION found;
    struct _stat64 kept;
    if (_fstat64(file, &kept) < 0)
        return -1;
    *status = (struct posix_stat){.st_size = kept.st_size, .st_mode = kept.st_mode};
    if (GetFileInformationByHandle((HANDLE)_get_osfhandle(file), &found)) {
        const int64_t ticks = ((int64_t)found.ftLastWriteTime.dwHighDateTime << 32 |
                               found.ftLastWriteTime.dwLowDateTime) -
                              from_1601_to_1970;
        status->st_mtim = (struct timespec){ticks / 10000000, (long)(ticks % 10000000) * 100};
        status->st_dev = found.dwVolumeSerialNumber;
        status->st_ino = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    }
    return 0;
}

/* A folder can be opened for its attributes alone. */
int posix_stat(const char *path, struct posix_stat *status)
{
    if (is_of_linux(path)) {
        errno = ENOENT;
        return -1;
    }
    const HANDLE handle = CreateFileA(path, FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return fail();
    const DWORD attributes = GetFileAttributesA(path);
    const int file = _open_osfhandle((intptr_t)handle, 0), code = posix_fstat(file, status);
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY)
        status->st_mode = S_IFDIR | 0777;
    close(file);
    return code;
}

#undef opendir
DIR *posix_opendir(const char *path)
{
    errno = ENOENT;
    return is_of_linux(path) ? NULL : opendir(path);
}

int open(const char *path, int flags, ...)
{
    if (is_of_linux(path)) {
        errno = ENOENT;
        return -1;
    }
    const DWORD access = flags & O_RDWR     ? GENERIC_READ | GENERIC_WRITE
                         : flags & O_WRONLY ? GENERIC_WRITE
                                            : GENERIC_READ,
                how = flags & O_EXCL    ? CREATE_NEW
                      : flags & O_TRUNC ? CREATE_ALWAYS
                      : flags & O_CREAT ? OPEN_ALWAYS
                                        : OPEN_EXISTING;
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited,
                                     .bInheritHandle = !(flags & O_NOINHERIT)};
    const HANDLE file = CreateFileA(strcmp(path, "/dev/null") == 0 ? "NUL" : path, access,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                    &inherited, how, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file != INVALID_HANDLE_VALUE)
        return _open_osfhandle((intptr_t)file, flags | O_BINARY);
    fail();
    const DWORD attributes = errno == EACCES ? GetFileAttributesA(path) : 0;
    errno = attributes + 1 && attributes & FILE_ATTRIBUTE_DIRECTORY ? EISDIR : errno;
    return -1;
}

int posix_rename(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 : fail();
}

int link(const char *from, const char *to)
{
    return CreateHardLinkA(to, from, NULL) ? 0 : fail();
}

ssize_t readlink(const char *path, char *to, size_t size)
{
    errno = EINVAL;
    return -1;
}

/* --- names in a folder --- */

int alphasort(const struct dirent **a, const struct dirent **b)
{
    return strcoll((*a)->d_name, (*b)->d_name);
}

int scandir(const char *path, struct dirent ***names, int (*wanted)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **))
{
    DIR *folder = opendir(path);
    struct dirent **list = NULL;
    size_t count = 0;
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct dirent **longer = wanted(entry) ? realloc(list, (count + 1) * sizeof *list) : NULL;
        if (!longer)
            continue;
        list = longer;
        list[count] = malloc(sizeof *entry);
        if (list[count])
            *list[count++] = *entry;
    }
    closedir(folder);
    qsort(list, count, sizeof *list, (int (*)(const void *, const void *))order);
    *names = list;
    return (int)count;
}

char *realpath(const char *path, char *resolved)
{
    char *full = access(path, F_OK) == 0 ? _fullpath(resolved, path, MAX_PATH) : NULL;
    for (char *at = full; at && (at = strchr(at, '\\'));)
        *at = '/';
    return full;
}

/* --- descriptors --- */

int fchmod(int file, unsigned mode)
{
    return 0;
}

int fchown(int file, int user, int group)
{
    return 0;
}

int fcntl(int file, int command, ...)
{
    return command == F_DUPFD_CLOEXEC                               ? dup(file)
           : _get_osfhandle(file) == (intptr_t)INVALID_HANDLE_VALUE ? -1
           : command == F_GETFL                                     ? O_RDWR
                                                                    : 0;
}

/* A lock that Linux holds on a shared folder isn't seen here, so none can be had. */
int flock(int file, int operation)
{
    errno = ENOLCK;
    return -1;
}
