/* Written and read again: what `fathom check` gets of a fleet. */
#include "nodes.h"

#include "compare/fleet/document.h"

#include <stdlib.h>
#include <unistd.h>

/* Writes a judged fleet to a file of its own, whose name is then in `path`. */
static void write_fleet(struct fleet *fleet, char *path)
{
    struct error error = {0};
    const int file = mkstemp(path);
    FILE *out = fdopen(file, "w");
    assert_non_null(out);
    assert_int_equal(fleet_write(fleet, out, &error), 0);
    fclose(out);
}

static void make_fleet(struct fleet *fleet, char *path)
{
    struct node_plan other = ordinary, slow = ordinary;
    other.bios = "0.9";
    slow.faults[0] = (struct node_fault){"DRAM.latency", 1.4};
    add_nodes(fleet, &ordinary, 0, 10);
    add_nodes(fleet, &slow, 10, 1);
    other.faults[0] = (struct node_fault){"DRAM.latency", 2};
    add_nodes(fleet, &other, 20, 10);
    judge_fleet(fleet);
    write_fleet(fleet, path);
}

static double latency_in(const struct document *document)
{
    const struct finding *finding = document_finding(document, "DRAM.latency");
    assert_non_null(finding);
    return finding->value;
}

static void each_node_finds_its_group(void **state)
{
    char path[] = "/tmp/fathom-fleet-XXXXXX";
    struct fleet fleet = {.nodes = NULL};
    struct fleet_reference reference;
    struct error error = {0};
    struct node_paper paper;
    const struct document *baseline;
    make_fleet(&fleet, path);
    assert_true(fleet_is_document(path));
    if (fleet_reference_read(&reference, path, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(reference.group_count, 2);
    struct node_plan plan = ordinary;
    assert_int_equal(
        fleet_reference_for(&reference, node_document(&paper, &plan, 40), &baseline, &error), 0);
    assert_true(fabs(latency_in(baseline) / 400 - 1) < 0.02);
    /* The odd node is no part of what others are judged by. */
    assert_int_equal(baseline->run.documents, 10);
    plan.bios = "0.9";
    assert_int_equal(
        fleet_reference_for(&reference, node_document(&paper, &plan, 40), &baseline, &error), 0);
    assert_true(fabs(latency_in(baseline) / 800 - 1) < 0.02);
    plan.model = "Xeon";
    assert_int_equal(
        fleet_reference_for(&reference, node_document(&paper, &plan, 40), &baseline, &error),
        ERROR_USAGE);
    assert_non_null(strstr(error.text, "no group of the fleet is of this processor (Xeon)"));
    fleet_reference_free(&reference);
    fleet_free(&fleet);
    unlink(path);
}

/* A file that ends at any byte is refused with a line, and never read past its end. */
static void cut_files_are_refused(void **state)
{
    char path[] = "/tmp/fathom-fleet-XXXXXX";
    struct fleet fleet = {.nodes = NULL};
    make_fleet(&fleet, path);
    FILE *file = fopen(path, "r");
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    for (long cut = size - 2; cut >= 0; cut = cut * 4 / 5 - 1) {
        struct fleet_reference reference;
        struct error error = {0};
        assert_int_equal(truncate(path, cut), 0);
        assert_int_equal(fleet_reference_read(&reference, path, &error), ERROR_USAGE);
        assert_non_null(strstr(error.text, "give a document that 'fathom fleet' wrote"));
        fleet_reference_free(&reference);
    }
    fleet_free(&fleet);
    unlink(path);
}

static void other_files_are_distinguished(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } files[] = {{"{\"schema\":\"fathom-fleet/1\"}", true},
                 {" {\n  \"schema\" : \"fathom-fleet/1\"}", true},
                 {"{\"schema\":\"fathom/1\"}", false},
                 {"[]", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[] = "/tmp/fathom-fleet-XXXXXX";
        FILE *out = fdopen(mkstemp(path), "w");
        fputs(files[i].text, out);
        fclose(out);
        assert_int_equal(fleet_is_document(path), files[i].is);
        struct fleet_reference reference;
        struct error error = {0};
        assert_int_equal(fleet_reference_read(&reference, path, &error), ERROR_USAGE);
        fleet_reference_free(&reference);
        unlink(path);
    }
    assert_false(fleet_is_document("/tmp/no-such-file"));
    assert_false(fleet_is_document("-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_finds_its_group),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(other_files_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
