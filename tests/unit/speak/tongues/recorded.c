/*
 * What the tools really printed (tests/data/recorded) and what their tongues print have the same
 * form: the same lines in the same order, where numbers have the same width and decimals.
 */
#include "booth.h"

#include "measure/probes/loaded/loaded.h"

#include <ctype.h>

enum { TEXT_BYTES = 1 << 16, LINE_BYTES = 1024, LINES_MOST = 512, CPUS = 10, NODES = 4 };

static char *read_recorded(const char *name)
{
    static char text[TEXT_BYTES];
    char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/recorded/%s.txt", source ? source : ".", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s can't be read", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* A number with the blanks before it becomes its width and its decimals: "  77.3" becomes <6.1>. */
static void form_of(const char *line, size_t length, char form[LINE_BYTES])
{
    size_t at = 0;
    for (size_t i = 0; i < length;) {
        const size_t begin = i;
        while (i < length && line[i] == ' ')
            i++;
        if (i == length || !isdigit((unsigned char)line[i])) {
            const size_t end = i > begin ? i : i + 1;
            for (i = begin; i < end; i++)
                form[at++] = line[i];
            continue;
        }
        size_t point = 0;
        for (; i < length && (isdigit((unsigned char)line[i]) ||
                              (line[i] == '.' && isdigit((unsigned char)line[i + 1])));
             i++)
            point = line[i] == '.' ? i : point;
        at += (size_t)snprintf(form + at, LINE_BYTES - at, "<%zu.%zu>", i - begin,
                               point ? i - point - 1 : 0);
        assert_true(at + 32 < LINE_BYTES);
    }
    while (at && strchr(" \t", form[at - 1]))
        at--;
    form[at] = '\0';
}

/* The forms of a text's lines, each at its first place. */
struct forms {
    char lines[LINES_MOST][LINE_BYTES];
    size_t count;
};

static void list_forms(const char *text, struct forms *forms)
{
    forms->count = 0;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        assert_true(forms->count < LINES_MOST);
        form_of(line, length, forms->lines[forms->count]);
        size_t same = 0;
        while (strcmp(forms->lines[same], forms->lines[forms->count]) != 0)
            same++;
        forms->count += same == forms->count;
        line += length + (line[length] == '\n');
    }
}

static void assert_same_form(const char *ours, const char *theirs)
{
    static struct forms printed, recorded;
    list_forms(ours, &printed);
    list_forms(theirs, &recorded);
    for (size_t i = 0; i < printed.count && i < recorded.count; i++)
        assert_string_equal(printed.lines[i], recorded.lines[i]);
    assert_int_equal(printed.count, recorded.count);
    assert_true(recorded.count > 5);
}

static void forms_tell_widths_and_decimals(void **state)
{
    char form[LINE_BYTES];
    form_of(" 00\t 77.3  x 1.", 15, form);
    assert_string_equal(form, "<3.0>\t<5.1>  x<2.0>.");
}

static void core_to_core_latency(void **state)
{
    static struct made_up values[2 * CPUS * CPUS];
    size_t count = 0;
    for (size_t op = 0; op < 2; op++)
        for (int from = 0; from < CPUS; from++)
            for (int to = 0; to < CPUS; to++)
                if (from != to)
                    values[count++] = (struct made_up){.probe = "cores",
                                                       .series = "hand-off",
                                                       .factor = "op",
                                                       .text = op ? "readwrite" : "cas",
                                                       .from = from,
                                                       .to = to,
                                                       .matrix = true,
                                                       .value = 40 + from,
                                                       .low = 39 + from,
                                                       .high = 41 + from};
    assert_int_equal(
        speak_of(*state, values, count, "core-to-core-latency", "-b", "1,2", (char *)NULL), 0);
    assert_same_form(here->out, read_recorded("core-to-core-latency"));
}

/* Given the latencies that the tool printed, it is the same text. */
static void lat_mem_rd(void **state)
{
    static struct made_up values[LINES_MOST];
    const char *recorded = read_recorded("lat_mem_rd");
    size_t count = 0;
    for (const char *line = strchr(recorded, '\n'); line && line[1];
         line = strchr(line + 1, '\n')) {
        char *end;
        const double mib = strtod(line + 1, &end), ns = strtod(end, NULL);
        values[count++] = (struct made_up){.probe = "latency",
                                           .series = "latency",
                                           .x = floor(mib * 1048576 / 64 + 0.5) * 64,
                                           .value = ns};
    }
    assert_int_equal(count, 59);
    assert_int_equal(speak_of(*state, values, count, "lat_mem_rd", "1", (char *)NULL), 0);
    assert_string_equal(here->out, recorded);
}

#define CELL(PROBE, FACTOR, TEXT, OP, X, FROM, TO, VALUE)                                          \
    {                                                                                              \
        PROBE, PROBE, FACTOR, TEXT, X, FROM, TO, false, VALUE, 0, 0, 0, NULL, OP                   \
    }
#define MIX(TEXT)             CELL("bandwidth", "mix", TEXT, NULL, 2, 0, 0, 200000e6)
#define STEP(X, SHOWS, VALUE) CELL("loaded", "shows", SHOWS, NULL, X, 0, 0, VALUE)
#define LINE(STATE)           CELL("coherence", "state", STATE, "load", 0, 0, 1, 45)

static void mlc(void **state)
{
    static struct numa_facts nodes[NODES];
    static struct made_up values[2 * NODES * NODES + 16] = {
        MIX("1:0"),
        MIX("3:1"),
        MIX("2:1"),
        MIX("1:1"),
        CELL("bandwidth", "kernel", "triad", NULL, 2, 0, 0, 200000e6),
        STEP(LOADED_FULL, "latency by step of the traffic", 242.8),
        STEP(LOADED_FULL, "bandwidth by step of the traffic", 232000e6),
        STEP(1, "latency by step of the traffic", 76.1),
        STEP(1, "bandwidth by step of the traffic", 2911e6),
        LINE("exclusive"),
        LINE("modified"),
    };
    size_t count = 11;
    for (int from = 0; from < NODES; from++)
        for (int to = 0; to < NODES; to++) {
            const struct made_up latency = CELL("numa", "shows", "latency of one CPU", NULL, 0,
                                                from, to, from == to ? 77 : 130);
            const struct made_up width =
                CELL("numa", "shows", "bandwidth of all CPUs of the node, reading", NULL, 0, from,
                     to, 58908.9e6);
            values[count++] = latency;
            values[count++] = width;
        }
    for (int i = 0; i < NODES; i++)
        nodes[i] = (struct numa_facts){i, "0", 1 << 30};
    for (size_t i = 0; i < count; i++) {
        values[i].matrix =
            strcmp(values[i].probe, "numa") == 0 || strcmp(values[i].probe, "coherence") == 0;
        if (strcmp(values[i].probe, "bandwidth") == 0)
            values[i].series = "bandwidth by threads";
    }
    here->machine.facts.nodes = nodes;
    here->machine.facts.node_count = NODES;
    assert_int_equal(speak_of(*state, values, count, "mlc", (char *)NULL), 0);
    /* From 3.10 on the first heading names the order. */
    static const char first[] = "Intel(R) Memory Latency Checker - v3.11\n"
                                "Measuring idle latencies for random access (in ns)...\n";
    assert_memory_equal(here->out, first, sizeof first - 1);
    assert_same_form(here->out + sizeof first - 1, strchr(read_recorded("mlc"), '\n') + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOOTH_TEST(forms_tell_widths_and_decimals),
        BOOTH_TEST(core_to_core_latency),
        BOOTH_TEST(lat_mem_rd),
        BOOTH_TEST(mlc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
