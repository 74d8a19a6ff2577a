#include "programs/library/library.h"

#include "base/random.h"
#include "conclude/complete.h"
#include "document/json.h"
#include "machine/cgroup.h"
#include "machine/files.h"
#include "machine/os.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* --- the key --- */

/* Two hashes of one text (FNV-1a by Fowler, Noll and Vo, finished by random_mix()) make 128 bits,
 * so two machines get the same key only by a negligible chance. The text, which has the machine's
 * id, is not kept. */
struct hash {
    uint64_t a, b;
};

/* Includes the final NUL, so that "ab" "c" differs from "a" "bc". */
static void add_text(struct hash *hash, const char *text)
{
    const char *bytes = text ? text : "?";
    const size_t count = strlen(text ? text : "?") + 1;
    for (size_t i = 0; i < count; i++) {
        hash->a = (hash->a ^ (unsigned char)bytes[i]) * 0x100000001b3u;
        hash->b = random_mix(hash->b ^ (unsigned char)bytes[i]);
    }
}

static void add_file(struct hash *hash, const char *path)
{
    char *text = files_text(NULL, "%s", path);
    add_text(hash, text);
    free(text);
}

/* The first processor of /proc/cpuinfo: name, stepping, microcode and features. Reading the whole
 * file would take a millisecond for every ten CPUs. Values that change between two readings are
 * left out. */
static void add_processor(struct hash *hash)
{
    static const char *const changing[] = {"cpu MHz", "bogomips", "BogoMIPS", "clock"};
    char text[8192] = "";
    const int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    char *end = strstr(text, "\n\n");
    if (end)
        *end = '\0';
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        bool changes = false;
        for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
            changes = changes || strncmp(line, changing[i], strlen(changing[i])) == 0;
        if (!changes)
            add_text(hash, line);
    }
}

/* If there are several kinds of cores, the result depends on which CPUs the thread may run on. */
static void add_kinds(struct hash *hash)
{
    char text[1024];
    struct cpulist cpus;
    const bool kinds = access("/sys/devices/cpu_atom/cpus", F_OK) == 0 ||
                       access("/sys/devices/system/cpu/cpu0/cpu_capacity", F_OK) == 0;
    if (!kinds || os_affinity(&cpus, NULL) < 0)
        return;
    add_text(hash, cpulist_format(&cpus, text, sizeof text));
    cpulist_free(&cpus);
}

/* 32 hexadecimal digits. Reads a few small system files; takes about a millisecond. */
static void cache_key(char key[CACHE_KEY_BYTES])
{
    struct hash hash = {0xcbf29ce484222325u, 0x243f6a8885a308d3u};
    add_text(&hash, FATHOM_VERSION " " FATHOM_COMMIT);
    /* The id distinguishes two machines of one model. A container gets a new host name at each
     * start, so the name counts only if there is no id. */
    char *id = files_text(NULL, "/etc/machine-id"), text[1024];
    struct utsname names;
    const bool named = uname(&names) == 0;
    add_text(&hash, id && *id ? id : named ? names.nodename : NULL);
    free(id);
    add_file(&hash, "/sys/class/dmi/id/product_name");
    add_file(&hash, "/sys/firmware/devicetree/base/model");
    add_text(&hash, named ? names.sysname : NULL);
    add_text(&hash, named ? names.release : NULL);
    add_text(&hash, named ? names.version : NULL);
    add_text(&hash, named ? names.machine : NULL);
    add_processor(&hash);
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        add_file(&hash, text);
    }
    add_file(&hash, "/sys/devices/system/cpu/online");
    struct cgroup_limits limits;
    struct pool pool = {0};
    cgroup_read(&limits, &pool, NULL);
    add_text(&hash, limits.cpus_known ? cpulist_format(&limits.cpus, text, sizeof text) : "all");
    pool_free(&pool);
    snprintf(text, sizeof text, "%g", limits.cpu_quota);
    add_text(&hash, text);
    add_kinds(&hash);
    snprintf(key, CACHE_KEY_BYTES, "%016llx%016llx", (unsigned long long)random_mix(hash.a),
             (unsigned long long)hash.b);
}

/* --- the cache --- */

enum { WAIT_MS = 5 };

void cache_find(struct cache_slot *slot, const struct fathom *fathom, const char *question)
{
    *slot = (struct cache_slot){.lock = -1};
    cache_key(slot->key);
    if (!fathom->cache_folder)
        return;
    const int length = snprintf(slot->path, sizeof slot->path, "%s/%s-%s.json",
                                fathom->cache_folder, question, slot->key);
    const int other = snprintf(slot->lock_path, sizeof slot->lock_path, "%s/%s.lock",
                               fathom->cache_folder, slot->key);
    if (length < 0 || other < 0 || (size_t)length >= sizeof slot->path ||
        (size_t)other >= sizeof slot->lock_path)
        slot->path[0] = slot->lock_path[0] = '\0';
}

/* NULL unless it is a file of this user or of root: in a folder that several users may write to,
 * another user could answer the question, or let a pipe wait for ever. */
static FILE *open_answer(const char *path, double *age_s)
{
    struct stat there;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0 && fstat(file, &there) == 0 && S_ISREG(there.st_mode) &&
        (there.st_uid == geteuid() || there.st_uid == 0)) {
        *age_s = fmax(difftime(time(NULL), there.st_mtime), 0);
        FILE *stream = fdopen(file, "r");
        if (stream)
            return stream;
    }
    if (file >= 0)
        close(file);
    return NULL;
}

bool cache_read(const struct cache_slot *slot, struct document *document, double *age_s)
{
    FILE *stream = slot->path[0] ? open_answer(slot->path, age_s) : NULL;
    if (!stream)
        return false;
    const struct run_facts *run = &document->run;
    const bool good = document_read_stream(document, stream, slot->path, NULL) == 0 &&
                      experiments_complete(document, NULL) == 0 && run->command_count >= 2 &&
                      run->command[1] && strcmp(run->command[1], slot->key) == 0;
    fclose(stream);
    if (!good)
        document_free(document);
    return good;
}

/* Makes the folder and its parents, accessible to the user only. */
static bool make_folder(const struct cache_slot *slot)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", slot->path);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

bool cache_lock(struct cache_slot *slot, uint64_t until_ns, const volatile sig_atomic_t *stop,
                bool *waited)
{
    *waited = false;
    if (!slot->path[0] || !make_folder(slot))
        return true;
    slot->lock = open(slot->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (slot->lock < 0)
        return true;
    for (;;) {
        if (flock(slot->lock, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR) /* no locks, as on some network mounts */
            return true;
        *waited = true;
        if (__atomic_load_n(stop, __ATOMIC_RELAXED) || os_raw_ns() >= until_ns)
            break;
        nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
    }
    cache_unlock(slot);
    return false;
}

void cache_unlock(struct cache_slot *slot)
{
    if (slot->lock >= 0)
        close(slot->lock);
    slot->lock = -1;
}

int cache_write(const struct cache_slot *slot, const struct document *document, struct error *error)
{
    struct stat there;
    if (!slot->path[0])
        return 0;
    if (lstat(slot->path, &there) == 0 && !S_ISREG(there.st_mode)) /* a pipe would be waited for */
        return error_set(error, ERROR_USAGE, "%s: it is not a regular file: remove it", slot->path);
    return document_save(document, slot->path, error);
}
