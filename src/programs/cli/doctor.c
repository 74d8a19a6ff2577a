#include "base/line.h"
#include "base/units.h"
#include "conclude/channels.h"
#include "machine/conditions.h"
#include "measure/gpu/gpu.h"
#include "measure/run/measure.h"
#include "programs/cli/measure.h"
#include "programs/cli/output.h"
#include "show/report/figure.h"

#include <string.h>

enum { REMARK_INDENT = 7 }; /* columns that a mark takes */

/* By weight: fine, worth knowing, spoils measurements. */
static const struct {
    const char *mark, *colour;
} weights[] = {
    [REMARK_FINE] = {"ok", "32"},
    [REMARK_KNOW] = {"note", "33"},
    [REMARK_SPOILS] = {"SPOILS", "31"},
};

static void print_machine(const struct machine *machine)
{
    const struct machine_facts *facts = &machine->facts;
    char memory[UNIT_TEXT], available[UNIT_TEXT], cpus[64];
    printf("%s, ", facts->cpu_model ? facts->cpu_model : "unknown processor");
    if (facts->cores) /* 0: unknown */
        printf("%u cores, ", facts->cores);
    printf("%u threads, %s", facts->threads, size_format((double)facts->memory_bytes, memory));
    printf(", %s\n", facts->hypervisor ? facts->hypervisor : "no hypervisor noticed");
    printf("usable: CPUs %s and up to %s of memory\n",
           cpulist_format(&machine->allowed, cpus, sizeof cpus),
           size_format((double)(machine_memory_budget(machine) >> 20 << 20), available));
    for (size_t i = 0; i < facts->cache_count; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        char size[UNIT_TEXT];
        if (strcmp(cache->type, "instruction") == 0)
            continue;
        printf("declared L%d %s", cache->level, size_format((double)cache->size_bytes, size));
        if (cache->line_bytes)
            printf(", %u-byte lines", cache->line_bytes);
        if (cache->ways)
            printf(", %u ways", cache->ways);
        if (cache->shared_cpus && strpbrk(cache->shared_cpus, ",-"))
            printf(", shared by CPUs %s", cache->shared_cpus);
        puts(facts->caches_by ? " (by CPUID)" : "");
    }
}

/* "declares node 2 (no CPU, tier 22) 250 ns, 25.6 GB/s from node 0" */
static void print_way(const struct machine_facts *facts, const struct declared_way *way)
{
    char figure[UNIT_TEXT];
    printf("declared node %d", way->node);
    for (size_t i = 0; i < facts->declared.tier_count; i++)
        if (cpulist_text_has(facts->declared.tiers[i].nodes, way->node))
            printf(" (tier %d)", facts->declared.tiers[i].id);
    if (way->read_latency_ns)
        printf(" %llu ns", (unsigned long long)way->read_latency_ns);
    if (way->read_bandwidth)
        printf("%s %s GB/s", way->read_latency_ns ? "," : "",
               figure_format((double)way->read_bandwidth * 1e-9, 3, figure));
    printf(" from node%s %s\n", strpbrk(way->from, ",-") ? "s" : "", way->from);
}

struct declaring {
    const struct machine_facts *facts;
    struct pool *pool;
};

/* What firmware and kernel declare about the memory. */
static int print_declared(void *with)
{
    struct declaring *declaring = with;
    const struct declared_facts *declared = &declaring->facts->declared;
    struct channels channels;
    char figure[UNIT_TEXT];
    channels_read(&channels, declared, declaring->pool);
    for (size_t i = 0; i < declared->way_count; i++) {
        const bool again =
            i + 1 < declared->way_count && declared->ways[i + 1].node == declared->ways[i].node;
        if (!again) /* of a node's classes of access the last is the one from CPUs */
            print_way(declaring->facts, &declared->ways[i]);
    }
    if (channels.sentence)
        printf("declared memory modules: %s%s%s\n", channels.sentence,
               channels.bytes_per_second > 0 ? "; all channels could carry " : "",
               channels.bytes_per_second > 0
                   ? figure_valued(channels.bytes_per_second, "B/s", figure)
                   : "");
    puts("");
    return 0;
}

static void print_mark(const char *mark, const char *colour, const struct text_style *style)
{
    const char *ink = style->colour ? colour : NULL;
    printf("%s%s%s%-6s%s ", ink ? "\033[" : "", ink ? ink : "", ink ? "m" : "", mark,
           ink ? "\033[0m" : "");
}

static void print_more(const char *text, const struct text_style *style)
{
    if (!text)
        return;
    printf("%*s", REMARK_INDENT, "");
    render_sentence(stdout, text, REMARK_INDENT, style);
}

/* Drops "gpu0: " from a backend's error, because the line has it already. */
static void print_why(const char *why, int id, const struct text_style *style)
{
    char device[24];
    struct line line = {0};
    snprintf(device, sizeof device, "gpu%d: ", id);
    line_add(&line, "it can't be measured: %s",
             why + (strncmp(why, device, strlen(device)) ? 0 : strlen(device)));
    print_more(line.text, style);
}

/* What 'fathom gpu' could measure, or why it can't. Only these two commands open the libraries,
 * because some take a tenth of a second to load. */
static void print_devices(const struct gpu_backend *backend, const struct text_style *style)
{
    struct gpu_library *library = NULL;
    struct gpu_facts *gpus = NULL;
    struct pool pool = {0};
    struct error why = {0};
    size_t count = 0;
    if (backend->open(&library, &pool, &gpus, &count, &why) < 0) {
        print_mark("none", NULL, style);
        const int column = printf("GPUs by %s: ", backend->title);
        render_sentence(stdout, why.text, (size_t)column + REMARK_INDENT, style);
    }
    for (size_t i = 0; i < count; i++) {
        const bool usable = !backend->usable || backend->usable(library, i, &why) == 0;
        const bool good =
            usable && !gpus[i].modelled && gpus[i].kind && strcmp(gpus[i].kind, "cpu") != 0;
        enum remark_weight weight = good ? REMARK_FINE : REMARK_KNOW;
        print_mark(weights[weight].mark, weights[weight].colour, style);
        int column = printf("gpu%d by %s: ", gpus[i].id, backend->name);
        render_gpu(stdout, &gpus[i], (size_t)column + REMARK_INDENT, style);
        if (!usable)
            print_why(why.text, gpus[i].id, style);
    }
    backend->close(library);
    pool_free(&pool);
}

/* --- what takes CPU time --- */

/* In percent of CPU time. If a tenth of the batches is spoiled, medians move
 * (measure/engine/record.c); below a hundredth no measurement with a precision of 1 % changes. */
static const double spoils_from = 10, know_from = 1;
static const char watch_s[] = "1";

static const struct finding *fact_of(const struct document *document, enum finding_fact fact)
{
    for (size_t i = 0; i < document->probe_count; i++)
        for (size_t f = 0; f < document->probes[i].finding_count; f++)
            if (finding_meaning(&document->probes[i].findings[f]).fact == fact)
                return &document->probes[i].findings[f];
    return NULL;
}

static enum remark_weight weight_of(double taken)
{
    return taken >= spoils_from ? REMARK_SPOILS : taken >= know_from ? REMARK_KNOW : REMARK_FINE;
}

static void print_taken(const struct document *document, const struct text_style *style)
{
    const struct finding *taken = fact_of(document, FACT_TAKEN);
    const struct finding *longest = fact_of(document, FACT_LONGEST);
    const struct finding *quietest = fact_of(document, FACT_QUIETEST);
    char share[UNIT_TEXT], length[UNIT_TEXT];
    if (!taken || !longest || !quietest) {
        print_mark("none", NULL, style);
        printf("taken time: %s\n", document->probe_count && document->probes[0].reason
                                       ? document->probes[0].reason
                                       : "it could not be measured");
        return;
    }
    const enum remark_weight weight = weight_of(taken->value);
    print_mark(weights[weight].mark, weights[weight].colour, style);
    printf("taken time: in %s s others took %s %% of CPU time, up to %s at a time\n", watch_s,
           figure_format(taken->value, 2, share),
           figure_valued(longest->value, longest->unit, length));
    if (weight != REMARK_FINE)
        printf("%*s'fathom noise' shows its causes%s%s\n", REMARK_INDENT, "",
               strcmp(quietest->cpus, taken->cpus) == 0 ? "" : "; there is least of it on --cpus ",
               strcmp(quietest->cpus, taken->cpus) == 0 ? "" : quietest->cpus);
}

/* Watches all CPUs for a second. A signal during that second ends the command. */
static int watch(const struct machine *machine, struct document *document, struct error *error)
{
    const struct probe *const list[] = {probe_by_name("noise"), NULL};
    struct settings settings = {0};
    struct run run = {.machine = machine,
                      .settings = &settings,
                      .probes = list,
                      .document = document,
                      .stop = &measure_signal};
    measure_catch_signals();
    int code = settings_add(&settings, list[0]->help->options, error);
    if (code == 0)
        code = settings_set(&settings, "for", watch_s, error);
    if (code == 0)
        code = run_plan(&run, error);
    if (code == 0)
        code = run_measure(&run, error);
    if (code == ERROR_INTERRUPTED)
        code = EXIT_SIGNAL + (int)measure_signal;
    pool_take(&document->pool, &settings.pool);
    for (size_t i = 0; i < run.turn_count; i++)
        pool_take(&document->pool, &run.turns[i].settings.pool);
    run_release(&run);
    settings_free(&settings);
    return code;
}

/* The answer first: whether it is worth measuring now. */
static void print_worth(const struct checks *checks, const struct document *document,
                        const struct text_style *style)
{
    const struct finding *taken = fact_of(document, FACT_TAKEN);
    struct line line = {0};
    size_t causes = 0;
    for (size_t i = 0; i < checks->count; i++)
        if (checks->list[i].weight == REMARK_SPOILS && causes++ == 0)
            line_add_between(&line, "Not worth measuring now: ", checks->list[i].remark.what, "");
    if (taken && taken->value >= spoils_from && causes++ == 0)
        line_add(&line, "Not worth measuring now: other programs take %.0f %% of CPU time",
                 taken->value);
    if (causes > 1)
        line_add(&line, ", and %zu more", causes - 1);
    if (!causes)
        line_add(&line, "Worth measuring now");
    render_sentence(stdout, line.text, 0, style);
    puts("");
}

/* What this machine is, what was found of its condition, and what was watched. */
struct examined {
    struct machine machine;
    struct conditions conditions;
    struct checks checks;
    struct document document;
    struct pool pool;
    int watched; /* the result of watch(); the rest is told even if nothing could be watched */
};

static int examine(struct examined *examined, const char *smbios, struct error *error)
{
    const struct machine_source source = measure_source(smbios);
    *examined = (struct examined){.watched = 0};
    int code = machine_read(&examined->machine, &source, error);
    if (code == 0)
        code = conditions_read(&examined->machine, &source, &examined->pool, &examined->conditions,
                               &examined->checks, error);
    if (code == 0 && examined->machine.live)
        examined->watched = watch(&examined->machine, &examined->document, error);
    return code;
}

static void examined_free(struct examined *examined)
{
    document_free(&examined->document);
    machine_free(&examined->machine);
    pool_free(&examined->pool);
}

/* --- whether to benchmark here: fathom check --fit --- */

/* "threads 77.8, interrupts 0.3": the causes of the taken time, by findings named after it. */
static void line_add_causes(struct line *line, const struct document *document,
                            const struct finding *taken)
{
    const size_t length = strlen(taken->name);
    const char *separator = ": ";
    char share[UNIT_TEXT];
    for (size_t f = 0; f < document->probes[0].finding_count; f++) {
        const struct finding *finding = &document->probes[0].findings[f];
        if (strncmp(finding->name, taken->name, length) == 0 && finding->name[length] == '.' &&
            finding->value >= 0.05) {
            line_add(line, "%s%s %s", separator, finding->name + length + 1,
                     figure_format(finding->value, 2, share));
            separator = ", ";
        }
    }
}

/* Means of the past, such as the load average, don't count: a job compiles before it benchmarks,
 * and the second that was watched shows what runs now. */
static enum remark_weight fitness_of(struct line *line, const struct checks *checks,
                                     const struct document *document)
{
    const struct finding *taken = fact_of(document, FACT_TAKEN),
                         *longest = fact_of(document, FACT_LONGEST);
    enum remark_weight weight = REMARK_KNOW;
    char share[UNIT_TEXT], length[UNIT_TEXT];
    if (taken && longest) {
        weight = weight_of(taken->value);
        line_add(line, "in %s s others took %s %% of CPU time, up to %s us at once", watch_s,
                 figure_format(taken->value, 2, share), figure_format(longest->value, 3, length));
        line_add_causes(line, document, taken);
    } else {
        line_add(line, "what others take could not be watched");
    }
    for (size_t i = 0; i < checks->count; i++) {
        const struct checked *checked = &checks->list[i];
        if (checked->weight != REMARK_SPOILS || checked->past)
            continue;
        weight = REMARK_SPOILS;
        line_add_between(line, "; ", checked->remark.what, "");
    }
    return weight;
}

int doctor_fit(struct error *error)
{
    static const char *const words[] = {
        [REMARK_FINE] = "FIT", [REMARK_KNOW] = "DOUBTFUL", [REMARK_SPOILS] = "UNFIT"};
    static const int statuses[] = {[REMARK_FINE] = EXIT_DONE,
                                   [REMARK_KNOW] = EXIT_DOUBTFUL,
                                   [REMARK_SPOILS] = EXIT_CHECK_FAILED};
    struct examined examined;
    struct line line = {0};
    int code = examine(&examined, NULL, error);
    if (code == 0)
        code = examined.watched;
    if (code == 0) {
        const enum remark_weight weight = fitness_of(&line, &examined.checks, &examined.document);
        printf("%s to benchmark on: %s\n", words[weight], line.text);
        code = statuses[weight];
    }
    examined_free(&examined);
    return code;
}

static int doctor(struct invocation *invocation, struct error *error)
{
    struct examined examined;
    const struct machine *machine = &examined.machine;
    const struct checks *checks = &examined.checks;
    int code = examine(&examined, invocation->options.smbios.text, error);
    const int watched = examined.watched;
    if (code == 0 && watched <= 0) {
        struct text_style style = output_style(stdout);
        struct declaring declaring = {&machine->facts, &examined.pool};
        print_worth(checks, &examined.document, &style);
        print_machine(machine);
        code = pool_enter(&examined.pool, print_declared, &declaring, error);
        for (size_t i = 0; i < checks->count; i++) {
            const struct checked *checked = &checks->list[i];
            const struct remark *remark = &checked->remark;
            print_mark(weights[checked->weight].mark, weights[checked->weight].colour, &style);
            const int column = printf("%s: ", checked->subject);
            render_sentence(stdout, remark->what, (size_t)column + REMARK_INDENT, &style);
            print_more(remark->why, &style);
            print_more(remark->remedy, &style);
        }
        /* A recorded machine's devices are not in this computer. */
        for (size_t i = 0; machine->live && gpu_backends[i]; i++)
            print_devices(gpu_backends[i], &style);
        if (machine->live && !gpu_backends[0]) {
            print_mark("none", NULL, &style);
            printf("GPUs: %s\n", probe_absent("gpu"));
        }
        if (machine->live && watched == 0)
            print_taken(&examined.document, &style);
    }
    code = code == 0 ? watched : code;
    examined_free(&examined);
    return code;
}

static const struct option_spec *const options[] = {machine_options, NULL};

#include "doctor.help.h"

const struct command doctor_command = {
    .name = "doctor",
    .help = &help,
    .options = options,
    .run = doctor,
};
