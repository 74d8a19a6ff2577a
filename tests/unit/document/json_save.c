#include "files.h"
#include "sample.h"

static struct document sample;

static int make_sample(void **state)
{
    (void)state;
    sample_document(&sample, 2, 1);
    return 0;
}

static int free_sample(void **state)
{
    (void)state;
    document_free(&sample);
    return 0;
}

static void assert_refused(const char *path, const char *why)
{
    struct error error = {0};
    assert_int_equal(document_save(&sample, path, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, why));
    assert_null(strchr(error.text, '\n'));
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 0777;
}

static void a_new_file_has_the_mode_of_the_umask(void **state)
{
    (void)state;
    struct place place = place_make();
    mode_t old = umask(0027);
    assert_int_equal(document_save(&sample, place.file, NULL), 0);
    umask(old);
    assert_int_equal(mode_of(place.file), 0640);
    assert_int_equal(place_count(&place), 1);
    place_remove(&place);
}

static void an_old_file_is_replaced_and_keeps_its_mode(void **state)
{
    (void)state;
    struct place place = place_make();
    struct document again;
    file_write(place.file, "old", 3);
    assert_int_equal(chmod(place.file, 0600), 0);
    assert_int_equal(document_save(&sample, place.file, NULL), 0);
    assert_int_equal(mode_of(place.file), 0600);
    assert_int_equal(place_count(&place), 1);
    assert_int_equal(document_read(&again, place.file, NULL), 0);
    document_free(&again);
    place_remove(&place);
}

static void the_file_behind_a_link_is_replaced_and_not_the_link(void **state)
{
    (void)state;
    struct place place = place_make();
    char link[320];
    struct stat status;
    snprintf(link, sizeof link, "%s/link", place.folder);
    file_write(place.file, "old", 3);
    assert_int_equal(symlink("results.json", link), 0);
    assert_int_equal(document_save(&sample, link, NULL), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(place.file, &status), 0);
    assert_true(status.st_size > 1000);
    unlink(link);
    place_remove(&place);
}

static void a_file_in_the_working_folder_needs_no_path(void **state)
{
    (void)state;
    struct place place = place_make();
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(place.folder), 0);
    assert_int_equal(document_save(&sample, "results.json", NULL), 0);
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_int_equal(place_count(&place), 1);
    place_remove(&place);
}

static void places_that_cannot_be_written_are_named(void **state)
{
    (void)state;
    struct place place = place_make();
    char missing[320];
    snprintf(missing, sizeof missing, "%s/no/such/folder.json", place.folder);
    assert_refused(missing, "No such file");
    assert_refused(place.folder, "directory");
    assert_refused("", "No such file");
    file_write(place.file, "old", 3);
    snprintf(missing, sizeof missing, "%s/below-a-file", place.file);
    assert_refused(missing, "Not a directory");
    assert_int_equal(place_count(&place), 1);
    place_remove(&place);
}

static void a_full_disk_is_named(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_refused("/dev/full", "No space left");
}

static void a_folder_without_permission_is_named(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may write anywhere */
    struct place place = place_make();
    assert_int_equal(chmod(place.folder, 0500), 0);
    assert_refused(place.file, "Permission denied");
    assert_int_equal(place_count(&place), 0);
    place_remove(&place);
}

static void a_pipe_is_written_directly(void **state)
{
    (void)state;
    int ends[2];
    char path[64], begin[12] = "";
    struct document small = {0};
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    if (access(path, W_OK) != 0)
        skip();
    assert_int_equal(document_save(&small, path, NULL), 0);
    assert_int_equal(read(ends[0], begin, 10), 10);
    assert_string_equal(begin, "{\"schema\":");
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_has_the_mode_of_the_umask),
        cmocka_unit_test(an_old_file_is_replaced_and_keeps_its_mode),
        cmocka_unit_test(the_file_behind_a_link_is_replaced_and_not_the_link),
        cmocka_unit_test(a_file_in_the_working_folder_needs_no_path),
        cmocka_unit_test(places_that_cannot_be_written_are_named),
        cmocka_unit_test(a_full_disk_is_named),
        cmocka_unit_test(a_folder_without_permission_is_named),
        cmocka_unit_test(a_pipe_is_written_directly),
    };
    return cmocka_run_group_tests(tests, make_sample, free_sample);
}
