/*
 * Unpacks a machine of tests/machines/ into a temporary directory, for one test. All in a header,
 * because a unit test is one file. The work is done by tests/machines/unpack, so that the format
 * is read in one place.
 */
#ifndef FATHOM_TESTS_MACHINES_TREE_H
#define FATHOM_TESTS_MACHINES_TREE_H

#include <ftw.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct tree {
    char root[256];
};

/* An empty tree, to be filled by tree_put(). In memory where that is to be had: some disks take
 * half a second for the thousand files of a server. */
static inline bool tree_new(struct tree *tree)
{
    const char *const scratch[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++) {
        if (!scratch[i])
            continue;
        snprintf(tree->root, sizeof tree->root, "%.200s/fathom-tree-XXXXXX", scratch[i]);
        if (mkdtemp(tree->root))
            return true;
    }
    return false;
}

static inline int tree_remove_one(const char *path, const struct stat *status, int type,
                                  struct FTW *place)
{
    return remove(path);
}

static inline void tree_remove(struct tree *tree)
{
    nftw(tree->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes a file and the directories above it; `path` begins with a slash. */
static inline bool tree_put(const struct tree *tree, const char *path, const void *content,
                            size_t size)
{
    char full[1024];
    snprintf(full, sizeof full, "%s%s", tree->root, path);
    for (char *slash = full + strlen(tree->root) + 1; (slash = strchr(slash, '/'));
         *slash++ = '/') {
        *slash = '\0';
        mkdir(full, 0755);
    }
    FILE *file = fopen(full, "w");
    bool written = file && fwrite(content, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

static inline bool tree_put_text(const struct tree *tree, const char *path, const char *text)
{
    return tree_put(tree, path, text, strlen(text));
}

/* The machine tests/machines/NAME.tree; false where it can't be unpacked. */
static inline bool tree_unpack(struct tree *tree, const char *name)
{
    extern char **environ;
    const char *source = getenv("FATHOM_SOURCE");
    char script[512], file[512];
    snprintf(script, sizeof script, "%s/tests/machines/unpack", source ? source : ".");
    snprintf(file, sizeof file, "%s/tests/machines/%s.tree", source ? source : ".", name);
    if (!tree_new(tree))
        return false;
    char python[] = "python3";
    char *const arguments[] = {python, script, file, tree->root, NULL};
    pid_t child;
    int status;
    return posix_spawnp(&child, python, NULL, NULL, arguments, environ) == 0 &&
           waitpid(child, &status, 0) == child && status == 0;
}

#endif
