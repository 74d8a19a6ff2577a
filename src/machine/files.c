#include "machine/files.h"

#include "base/sort.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool join_path(char path[FILES_PATH_MAX], const char *root, const char *format,
                      va_list arguments)
{
    int prefix = snprintf(path, FILES_PATH_MAX, "%s", root ? root : "");
    if (prefix < 0 || prefix >= FILES_PATH_MAX)
        return false;
    int rest = vsnprintf(path + prefix, (size_t)(FILES_PATH_MAX - prefix), format, arguments);
    return rest >= 0 && rest < FILES_PATH_MAX - prefix;
}

/* O_NONBLOCK and the check of the type prevent that a FIFO or a device in a recorded tree blocks.
 */
static int open_regular(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        return -1;
    }
    return file;
}

/* Files in /proc and /sys report a size of 0 or of a page, so only reading shows the size. Puts a
 * NUL after the last byte. */
static char *read_all(int file, size_t *length)
{
    size_t used = 0, size = 4096;
    char *text = malloc(size);
    while (text) {
        if (used + 1 == size) {
            char *larger = size < FILES_TEXT_MAX ? realloc(text, size *= 2) : NULL;
            if (!larger)
                break; /* at the limit, or memory is short: returns the part that was read */
            text = larger;
        }
        ssize_t got = read(file, text + used, size - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) { /* a part is no fact: sysfs returns EINVAL or EIO for "unknown" */
            free(text);
            return NULL;
        }
        if (got == 0)
            break;
        used += (size_t)got;
    }
    if (!text)
        return NULL;
    text[used] = '\0';
    *length = used;
    return text;
}

static char *bytes_at(size_t *size, const char *root, const char *format, va_list arguments)
{
    char path[FILES_PATH_MAX];
    int file = join_path(path, root, format, arguments) ? open_regular(path) : -1;
    if (file < 0)
        return NULL;
    char *bytes = read_all(file, size);
    close(file);
    return bytes;
}

static char *text_at(const char *root, const char *format, va_list arguments)
{
    size_t size;
    char *text = bytes_at(&size, root, format, arguments);
    if (!text)
        return NULL;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

struct copy {
    struct pool *pool;
    const char *bytes;
    size_t size;
    char *copy;
};

static int copy_bytes(void *with)
{
    struct copy *copy = with;
    copy->copy = pool_alloc(copy->pool, copy->size + 1, 1);
    memcpy(copy->copy, copy->bytes, copy->size);
    return 0;
}

/* Copies the bytes into the pool with a NUL after them, and frees them, also if the pool leaves. */
static char *to_pool(struct pool *pool, char *bytes, size_t size)
{
    struct copy copy = {.pool = pool, .bytes = bytes, .size = size};
    const int code = bytes ? pool_enter(pool, copy_bytes, &copy, pool_error(pool)) : 0;
    free(bytes);
    pool_check(pool, code);
    return copy.copy;
}

unsigned char *files_bytes(struct pool *pool, size_t *size, const char *root,
                           const char *path_format, ...)
{
    va_list arguments;
    va_start(arguments, path_format);
    char *bytes = bytes_at(size, root, path_format, arguments);
    va_end(arguments);
    return (unsigned char *)to_pool(pool, bytes, *size);
}

char *files_pooled(struct pool *pool, const char *root, const char *path_format, ...)
{
    va_list arguments;
    va_start(arguments, path_format);
    char *text = text_at(root, path_format, arguments);
    va_end(arguments);
    return to_pool(pool, text, text ? strlen(text) : 0);
}

char *files_text(const char *root, const char *path_format, ...)
{
    va_list arguments;
    va_start(arguments, path_format);
    char *text = text_at(root, path_format, arguments);
    va_end(arguments);
    return text;
}

/* A file's text goes into documents and onto terminals, so it becomes one line without control
 * characters. */
static void make_inert(char line[FILES_LINE_MAX], const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= FILES_LINE_MAX)
        length = FILES_LINE_MAX - 1;
    for (size_t i = 0; i < length; i++)
        line[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    line[length] = '\0';
}

const char *text_inert(struct pool *pool, const char *text, size_t length)
{
    char line[FILES_LINE_MAX];
    make_inert(line, text, length);
    return *line ? pool_strdup(pool, line) : NULL;
}

const char *files_line(struct pool *pool, const char *root, const char *path_format, ...)
{
    va_list arguments;
    va_start(arguments, path_format);
    char *text = text_at(root, path_format, arguments);
    va_end(arguments);
    char line[FILES_LINE_MAX];
    make_inert(line, text ? text : "", text ? strcspn(text, "\n") : 0);
    free(text); /* before the pool may leave */
    return *line ? pool_strdup(pool, line) : NULL;
}

/* Reads digits that fit 64 bits; *end is after the last. strtoull() would accept signs and wrap. */
static bool read_digits(uint64_t *value, const char *text, const char **end)
{
    uint64_t number = 0;
    const char *digit = text;
    for (; isdigit((unsigned char)*digit); digit++)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*digit - '0'), &number))
            return false;
    *end = digit;
    if (digit == text)
        return false;
    *value = number;
    return true;
}

bool files_number(uint64_t *value, const char *root, const char *path_format, ...)
{
    va_list arguments;
    va_start(arguments, path_format);
    char *text = text_at(root, path_format, arguments);
    va_end(arguments);
    uint64_t number;
    const char *end;
    bool good = text && read_digits(&number, text, &end) && !*end;
    if (good)
        *value = number;
    free(text);
    return good;
}

/* Returns the number of ids in a list and puts them into `ids`, unless that is NULL; -1 for
 * garbage, as a list is that does not ascend: the kernel's do. */
static int read_ids(const char *text, int *ids)
{
    uint64_t next = 0;
    int count = 0;
    while (*text && *text != '\n') {
        uint64_t first, last;
        bool good = read_digits(&first, text, &text);
        last = first;
        if (good && *text == '-')
            good = read_digits(&last, text + 1, &text);
        if (!good || first < next || last < first || last > CPU_ID_MAX ||
            (*text && *text != '\n' && (*text != ',' || !isdigit((unsigned char)text[1]))))
            return -1;
        for (next = first; next <= last; next++, count++)
            if (ids)
                ids[count] = (int)next;
        text += *text == ',';
    }
    return count;
}

static bool read_cpulist(struct pool *pool, struct cpulist *list, const char *text)
{
    const int count = text ? read_ids(text, NULL) : -1;
    int *ids = count > 0 ? pool_alloc(pool, (size_t)count, sizeof *ids) : NULL;
    *list = (struct cpulist){ids, ids ? (size_t)read_ids(text, ids) : 0};
    return count == 0 || ids;
}

bool files_cpulist(struct pool *pool, struct cpulist *list, const char *root,
                   const char *path_format, ...)
{
    va_list arguments;
    va_start(arguments, path_format);
    char *text = text_at(root, path_format, arguments);
    va_end(arguments);
    text = to_pool(pool, text, text ? strlen(text) : 0);
    const bool good = read_cpulist(pool, list, text);
    pool_give_back(pool, text);
    return good;
}

struct names {
    struct pool *pool;
    DIR *directory;
    char **list;
    size_t count;
};

static int read_names(void *with)
{
    struct names *names = with;
    for (struct dirent *entry; (entry = readdir(names->directory));) {
        if (entry->d_name[0] == '.')
            continue;
        char *name = pool_strdup(names->pool, entry->d_name);
        char **slot = pool_append(names->pool, (void **)&names->list, &names->count, sizeof *slot);
        *slot = name;
    }
    return 0;
}

/* Closes the directory before it leaves the pool's step if memory is short. */
size_t files_names(struct pool *pool, char ***list, const char *root, const char *path)
{
    char full[FILES_PATH_MAX];
    int length = snprintf(full, sizeof full, "%s%s", root ? root : "", path);
    struct names names = {.pool = pool};
    if (length > 0 && (size_t)length < sizeof full)
        names.directory = opendir(full);
    *list = NULL;
    if (!names.directory)
        return 0;
    const int code = pool_enter(pool, read_names, &names, pool_error(pool));
    closedir(names.directory);
    if (pool_check(pool, code) < 0)
        return 0;
    if (names.count)
        qsort(names.list, names.count, sizeof *names.list, by_text);
    *list = names.list;
    return names.count;
}

/* The text after the key and a colon at the beginning of a line; if `bare`, blanks may replace the
 * colon. NULL: no line has the key. Without the colon "cpu" would find "cpu family". */
static const char *after_key(const char *text, const char *key, bool bare)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0)
            continue;
        const char *rest = line + length + strspn(line + length, " \t");
        if (*rest == ':')
            return rest + 1;
        if (bare && rest > line + length)
            return rest;
    }
    return NULL;
}

const char *text_value(struct pool *pool, const char *text, const char *key)
{
    const char *rest = after_key(text, key, false);
    return rest ? text_inert(pool, rest, strcspn(rest, "\n")) : NULL;
}

bool text_number(uint64_t *value, const char *text, const char *key)
{
    const char *rest = after_key(text, key, true);
    uint64_t number;
    if (!rest || !read_digits(&number, rest + strspn(rest, " \t"), &rest))
        return false;
    rest += strspn(rest, " \t");
    if (strncmp(rest, "kB", 2) == 0) {
        if (__builtin_mul_overflow(number, 1024u, &number))
            return false;
        rest += 2;
    }
    if (*rest && *rest != '\n')
        return false;
    *value = number;
    return true;
}

bool text_cpulist(struct pool *pool, struct cpulist *list, const char *text, const char *key)
{
    const char *rest = after_key(text, key, false);
    return read_cpulist(pool, list, rest ? rest + strspn(rest, " \t") : NULL);
}

bool text_has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        bool begins = at == text || isspace((unsigned char)at[-1]);
        if (begins && (!at[length] || isspace((unsigned char)at[length])))
            return true;
    }
    return false;
}
