#include "files.h"
#include "sample.h"

#include "base/random.h"

/* Checks every member by reading again what was written. */
static struct document round_trip(const struct document *document)
{
    struct place place = place_make();
    struct error error = {0};
    struct document again;
    assert_int_equal(document_save(document, place.file, &error), 0);
    if (document_read(&again, place.file, &error) < 0)
        fail_msg("%s", error.text);
    place_remove(&place);
    return again;
}

static void assert_near(double a, double b)
{
    if (isnan(a) || isnan(b))
        assert_true(isnan(a) && isnan(b));
    else
        assert_true(fabs(a - b) <= 1e-8 * fabs(b));
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void assert_same_summary(const struct summary *a, const struct summary *b)
{
    assert_near(a->median, b->median);
    assert_near(a->low, b->low);
    assert_near(a->high, b->high);
    assert_near(a->coverage, b->coverage);
    assert_near(a->min, b->min);
    assert_near(a->p10, b->p10);
    assert_near(a->p25, b->p25);
    assert_near(a->p90, b->p90);
    assert_near(a->p75, b->p75);
    assert_near(a->max, b->max);
    assert_int_equal(a->n, b->n);
}

static void assert_same_series(const struct series *a, const struct series *b)
{
    assert_same_text(a->name, b->name);
    assert_int_equal(a->matrix, b->matrix);
    assert_same_text(a->x.name, b->x.name);
    assert_same_text(a->y.unit, b->y.unit);
    assert_int_equal(a->factor_count, b->factor_count);
    for (size_t i = 0; i < a->factor_count; i++) {
        assert_same_text(a->factors[i].name, b->factors[i].name);
        assert_same_text(a->factors[i].text, b->factors[i].text);
        assert_near(a->factors[i].number, b->factors[i].number);
    }
    assert_int_equal(a->point_count, b->point_count);
    for (size_t i = 0; i < a->point_count; i++) {
        const struct point *p = &a->points[i], *q = &b->points[i];
        assert_true(a->matrix || p->x == q->x);
        assert_int_equal(p->from, q->from);
        assert_int_equal(p->to, q->to);
        assert_same_summary(&p->y, &q->y);
        assert_near(p->cycles.median, q->cycles.median);
        assert_near(p->cycles.low, q->cycles.low);
        assert_near(p->cycles.high, q->cycles.high);
        assert_near(p->scatter.line, q->scatter.line);
        assert_near(p->scatter.drift, q->scatter.drift);
        assert_near(p->scatter.residual, q->scatter.residual);
        assert_same_text(p->failed, q->failed);
        assert_int_equal(p->flags, q->flags);
        assert_int_equal(p->redone, q->redone);
    }
}

static void assert_same_probe(const struct probe_result *a, const struct probe_result *b)
{
    assert_same_text(a->name, b->name);
    assert_same_text(a->title, b->title);
    assert_int_equal(a->status, b->status);
    assert_same_text(a->reason, b->reason);
    assert_near(a->elapsed_s, b->elapsed_s);
    assert_int_equal(a->parameter_count, b->parameter_count);
    for (size_t i = 0; i < a->parameter_count; i++)
        assert_true(factor_same_value(&a->parameters[i], &b->parameters[i]));
    assert_int_equal(a->series_count, b->series_count);
    for (size_t i = 0; i < a->series_count; i++)
        assert_same_series(&a->series[i], &b->series[i]);
    assert_int_equal(a->finding_count, b->finding_count);
    for (size_t i = 0; i < a->finding_count; i++) {
        const struct finding *f = &a->findings[i], *g = &b->findings[i];
        assert_same_text(f->name, g->name);
        assert_same_text(f->unit, g->unit);
        assert_same_text(f->text, g->text);
        assert_same_text(f->cpus, g->cpus);
        assert_near(f->value, g->value);
        assert_near(f->low, g->low);
        assert_near(f->high, g->high);
        assert_near(f->declared, g->declared);
        assert_int_equal(f->flags, g->flags);
    }
}

static void assert_same_machine(const struct machine_facts *a, const struct machine_facts *b)
{
    assert_same_text(a->hostname, b->hostname);
    assert_same_text(a->hypervisor, b->hypervisor);
    assert_same_text(a->cpu_model, b->cpu_model);
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->memory_bytes, b->memory_bytes);
    assert_int_equal(a->kind_count, b->kind_count);
    assert_same_text(a->kinds[0].name, b->kinds[0].name);
    assert_int_equal(a->cache_count, b->cache_count);
    for (size_t i = 0; i < a->cache_count; i++) {
        assert_int_equal(a->caches[i].level, b->caches[i].level);
        assert_same_text(a->caches[i].type, b->caches[i].type);
        assert_int_equal(a->caches[i].size_bytes, b->caches[i].size_bytes);
        assert_int_equal(a->caches[i].ways, b->caches[i].ways);
        assert_same_text(a->caches[i].shared_cpus, b->caches[i].shared_cpus);
    }
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->nodes[0].memory_bytes, b->nodes[0].memory_bytes);
    assert_int_equal(a->page_size_count, b->page_size_count);
    assert_int_equal(a->page_sizes[2], b->page_sizes[2]);
}

static void what_is_written_is_read_again(void **state)
{
    struct document document;
    sample_document(&document, 4, 8);
    struct factor elements[] = {{.text = "L1"}, {.number = 24576}};
    document.probes[0].parameters[0].list = elements;
    document.probes[0].parameters[0].list_count = 2;
    struct document again = round_trip(&document);
    assert_same_text(document.tool.version, again.tool.version);
    assert_same_text(document.run.id, again.run.id);
    assert_int_equal(document.run.seed, again.run.seed);
    assert_int_equal(document.run.complete, again.run.complete);
    assert_int_equal(document.run.command_count, again.run.command_count);
    assert_same_text(document.run.command[3], again.run.command[3]);
    assert_same_machine(&document.machine, &again.machine);
    assert_near(document.conditions.core_hz, again.conditions.core_hz);
    assert_true(isnan(again.conditions.stolen_s));
    assert_null(again.conditions.governor);
    assert_int_equal(again.conditions.remark_count, 1);
    const struct remark *remark = &document.conditions.remarks[0];
    assert_same_text(remark->what, again.conditions.remarks[0].what);
    assert_same_text(remark->why, again.conditions.remarks[0].why);
    assert_same_text(remark->remedy, again.conditions.remarks[0].remedy);
    assert_int_equal(document.probe_count, again.probe_count);
    for (size_t i = 0; i < document.probe_count; i++)
        assert_same_probe(&document.probes[i], &again.probes[i]);
    document_free(&document);
    document_free(&again);
}

static void a_text_written_twice_is_the_same(void **state)
{
    struct document document;
    sample_document(&document, 3, 4);
    struct document again = round_trip(&document);
    size_t size, size_again;
    char *text = document_text(&document, &size), *text_again = document_text(&again, &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(text, text_again, size);
    free(text);
    free(text_again);
    document_free(&document);
    document_free(&again);
}

static void absent_values_have_no_key(void **state)
{
    struct document document;
    sample_document(&document, 2, 1);
    document.conditions.load1 = NAN;
    document.machine.hypervisor = NULL;
    size_t size;
    char *text = document_text(&document, &size);
    assert_null(strstr(text, "load1"));
    assert_null(strstr(text, "stolen_s"));
    assert_null(strstr(text, "hypervisor"));
    assert_null(strstr(text, "null"));
    assert_null(strstr(text, "nan"));
    free(text);
    document_free(&document);
}

static void bytes_that_are_no_text_are_written_as_question_marks(void **state)
{
    struct document document;
    sample_document(&document, 2, 1);
    document.machine.hostname = "a\xffz\xc3\xa9\xe2\x94";
    struct document again = round_trip(&document);
    assert_string_equal(again.machine.hostname, "a?z\xc3\xa9??");
    document_free(&again);
    document_free(&document);
}

static void control_characters_are_written_as_escapes(void **state)
{
    struct document document = {0};
    size_t size;
    document.machine.hostname = "\"\\/\b\f\n\r\t\x01\x1f\x7f\xf0\x9f\x98\x80";
    char *text = document_text(&document, &size);
    assert_non_null(
        strstr(text, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\xf0\x9f\x98\x80\""));
    free(text);
    struct document again = round_trip(&document);
    assert_string_equal(again.machine.hostname, document.machine.hostname);
    document_free(&again);
}

/* Texts longer than the writer's buffer, at every place in it. */
static void long_texts_are_written_whole(void **state)
{
    enum { LONG = 300000 };
    struct document document = {0};
    char *name = malloc(LONG + 1);
    assert_non_null(name);
    for (int i = 0; i < LONG; i++)
        name[i] = (char)('a' + i % 23);
    name[LONG] = '\0';
    document.machine.hostname = document.machine.kernel = name;
    struct document again = round_trip(&document);
    assert_string_equal(again.machine.hostname, name);
    assert_string_equal(again.machine.kernel, name);
    document_free(&again);
    free(name);
}

static void a_float_is_read_as_the_float_it_was(void **state)
{
    struct random random = {20261121};
    struct point points[1000];
    struct series series = {"s", .points = points, .point_count = 1000};
    struct probe_result probe = {.name = "p", .series = &series, .series_count = 1};
    struct document document = {.probes = &probe, .probe_count = 1};
    for (int i = 0; i < 1000; i++) {
        /* All exponents that a float has, both signs. */
        uint32_t bits = (uint32_t)random_next(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        points[i] = (struct point){.x = i, .y = summary_of_nothing()};
        points[i].y.median = isfinite(value) ? value : 0.0f;
        points[i].y.low = (float)random_below(&random, 1 << 30) / 1024;
        points[i].y.high = (float)random_below(&random, 1 << 30) / (float)(1 << 26);
    }
    struct document again = round_trip(&document);
    for (int i = 0; i < 1000; i++) {
        const struct summary *a = &points[i].y, *b = &again.probes[0].series[0].points[i].y;
        assert_true(a->median == b->median && a->low == b->low && a->high == b->high);
    }
    document_free(&again);
}

static void what_has_to_be_there_and_is_no_number_is_reported(void **state)
{
    struct point point = {.x = NAN, .y = summary_of_nothing()};
    struct series series = {"s", .points = &point, .point_count = 1};
    struct probe_result probe = {.name = "p", .series = &series, .series_count = 1};
    struct document document = {.probes = &probe, .probe_count = 1};
    struct error error = {0};
    FILE *null = fopen("/dev/null", "w");
    assert_non_null(null);
    assert_int_equal(document_write(&document, null, &error), ERROR_SYSTEM);
    fclose(null);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_text_written_twice_is_the_same),
        cmocka_unit_test(absent_values_have_no_key),
        cmocka_unit_test(bytes_that_are_no_text_are_written_as_question_marks),
        cmocka_unit_test(control_characters_are_written_as_escapes),
        cmocka_unit_test(long_texts_are_written_whole),
        cmocka_unit_test(a_float_is_read_as_the_float_it_was),
        cmocka_unit_test(what_has_to_be_there_and_is_no_number_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
