#include "programs/library/cache.h"

#include "conclude/complete.h"
#include "document/json.h"
#include "machine/os.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

static bool is_of_key(const struct document *document, const char *key)
{
    return document->run.command_count >= 2 && document->run.command[1] &&
           strcmp(document->run.command[1], key) == 0;
}

bool cache_read(const struct cache_slot *slot, struct document *document, double *age_s)
{
    struct stat there;
    if (!slot->path[0] || stat(slot->path, &there) < 0 || !S_ISREG(there.st_mode))
        return false;
    const double age = difftime(time(NULL), there.st_mtime);
    *age_s = age > 0 ? age : 0;
    if (experiment_read(document, slot->path, NULL) == 0 && is_of_key(document, slot->key))
        return true;
    document_free(document);
    return false;
}

/* The folder and those above it, for the user alone. */
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

static void sleep_ms(unsigned ms)
{
    struct timespec nap = {.tv_nsec = (long)ms * 1000000L};
    nanosleep(&nap, NULL);
}

bool cache_lock(struct cache_slot *slot, uint64_t until_ns, bool *waited)
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
        if (errno != EWOULDBLOCK && errno != EINTR) /* no locks here, as on some network mounts */
            return true;
        *waited = true;
        if (os_raw_ns() >= until_ns)
            break;
        sleep_ms(WAIT_MS);
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
    if (!slot->path[0])
        return 0;
    return document_save(document, slot->path, error);
}
