/* Bytes to and from files in a folder of the test's own. */
#ifndef FATHOM_TESTS_FILES_H
#define FATHOM_TESTS_FILES_H

#include "document/json.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A new folder, and the path of a file in it that is not there yet. */
struct place {
    char folder[256];
    char file[300];
};

static inline struct place place_make(void)
{
    struct place place;
    const char *parent = getenv("TMPDIR");
    snprintf(place.folder, sizeof place.folder, "%s/fathom-test-XXXXXX", parent ? parent : "/tmp");
    assert_non_null(mkdtemp(place.folder));
    snprintf(place.file, sizeof place.file, "%s/results.json", place.folder);
    return place;
}

/* How many files lie in the folder. */
static inline int place_count(const struct place *place)
{
    int count = 0;
    DIR *folder = opendir(place->folder);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static inline void place_remove(const struct place *place)
{
    unlink(place->file);
    assert_int_equal(rmdir(place->folder), 0);
}

static inline void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The document as the writer has it; the caller frees. */
static inline char *document_text(const struct document *document, size_t *size)
{
    char *text = NULL;
    FILE *memory = open_memstream(&text, size);
    assert_non_null(memory);
    assert_int_equal(document_write(document, memory, NULL), 0);
    assert_int_equal(fclose(memory), 0);
    return text;
}

#endif
