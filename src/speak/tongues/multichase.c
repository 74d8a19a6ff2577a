/* Google's multichase: nanoseconds per load, alone on a line or below its settings. */
#include "speak/tongues/tongue.h"

#include <string.h>

#include "multichase.help.h"

enum { MEMORY = 256 << 20, STRIDE = 256, LOCALITY = 256 << 10, SAMPLES = 5, MIB = 1 << 20 };
static const double sample_s = 0.5;

enum measure { BY_LATENCY, BY_CHAINS, BY_WORK };

static const struct chase {
    const char *name; /* followed by a number for "parallel" and "work:" */
    enum measure measure;
    bool modify;
} chases[] = {
    {"simple", BY_LATENCY, false},
    {"incr", BY_LATENCY, true},
    {"parallel", BY_CHAINS, false},
    {"work:", BY_WORK, false},
};
enum { CHASES = sizeof chases / sizeof *chases };

struct wish {
    const struct chase *chase;
    const char *name, *number; /* "parallel4", "4" */
    uint64_t bytes, stride, block, samples, threads, page;
};

static uint64_t read_size(const struct talk *talk, char letter, uint64_t fallback)
{
    const char what[] = {'-', letter, '\0'}, *text = talk_value(talk, letter);
    return text ? talk_size(talk, what, text, 1) : fallback;
}

/* Chases that fathom lacks, each with the nearest alternative. They are refused, because another
 * chase's number under their name would be wrong. */
static const struct {
    const char *name; /* a prefix of the chase's name */
    const char *why;
} others[] = {
#include "multichase.texts.h"
};

_Noreturn static void refuse_chase(const struct talk *talk, const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(others[i].name, name, strlen(others[i].name)) == 0)
            talk_refuse(talk, "-c '%s' is not measured: %s", name, others[i].why);
    talk_refuse(talk,
                "-c '%s': fathom has simple, incr, parallelN and work:N; 'fathom latency --help' "
                "lists other chases",
                name);
}

static void read_chase(const struct talk *talk, struct wish *wish)
{
    wish->name = talk_value(talk, 'c') ? talk_value(talk, 'c') : chases[0].name;
    for (size_t i = 0; i < CHASES; i++) {
        const size_t length = strlen(chases[i].name);
        const bool plain = chases[i].measure == BY_LATENCY;
        if (strncmp(chases[i].name, wish->name, length) != 0 || (plain && wish->name[length]))
            continue;
        wish->chase = &chases[i];
        wish->number = wish->name + length;
        if (!plain)
            talk_whole(talk, chases[i].name, wish->number, 1,
                       chases[i].measure == BY_CHAINS ? 64 : 1024);
        return;
    }
    refuse_chase(talk, wish->name);
}

/* --- measuring --- */

static const char *pages_of(const struct talk *talk, const struct wish *wish)
{
    return talk_value(talk, 'H')      ? "thp"
           : wish->page >= 1024 * MIB ? "huge1g"
           : wish->page >= 2 * MIB    ? "huge2m"
                                      : "small";
}

static const struct point *measure(struct talk *talk, const struct wish *wish)
{
    const bool whole = wish->block == wish->bytes;
    const struct talk_option chase[] = {
        {"size", talk_digits(talk, wish->bytes)},
        {"stride", talk_digits(talk, wish->stride)},
        {"pages", pages_of(talk, wish)},
        {"access", wish->chase->modify ? "modify" : "read"},
        {"state", "chased"},
        {"order", talk_value(talk, 'o') ? "forward"
                  : whole               ? "random"
                                        : pool_printf(&talk->document->pool, "random-in-block:%llu",
                                                      (unsigned long long)wish->block)},
        {wish->threads > 1 ? "threads" : NULL, talk_digits(talk, wish->threads)},
        {"ring", "shared"},
        {.name = NULL}};
    const bool work = wish->chase->measure == BY_WORK;
    const struct talk_option chains[] = {{"sizes", talk_digits(talk, wish->bytes)},
                                         {"pages", pages_of(talk, wish)},
                                         {"chains", work ? "1" : wish->number},
                                         {work ? "work" : NULL, wish->number},
                                         {.name = NULL}};
    const bool latency = wish->chase->measure == BY_LATENCY;
    const struct probe_result *result =
        talk_measure(talk, latency ? "latency" : "parallelism", latency ? chase : chains,
                     sample_s * (double)(wish->samples + 1));
    if (!latency && wish->stride != machine_line_bytes(talk->machine))
        talk_aside(talk, "several chains, and chains with work, go a line at a time: -s does "
                         "nothing here");
    const struct point *point =
        result->series_count && result->series[0].point_count ? &result->series[0].points[0] : NULL;
    talk_need(talk, point && point->y.n, "the latency");
    return point;
}

/* --- printing --- */

static void print_ns(FILE *out, const char *before, double ns, const char *behind)
{
    fprintf(out, "%s%6.*f%s", before, ns < 100 ? 3 : 1, ns, behind);
}

static void print_settings(FILE *out, const struct wish *wish, const struct point *point,
                           const struct talk *talk)
{
    const double rows[] = {(double)point->y.min, (double)point->y.median, (double)point->y.max};
    fprintf(out, "nr_mixer_indices = %llu\nbase_object_size = 8\nnr_threads = %llu\n",
            (unsigned long long)(wish->stride / 8), (unsigned long long)wish->threads);
    const struct machine_facts *facts = &talk->machine->facts;
    const bool huge = talk_value(talk, 'H') && facts->page_size_count > 1;
    fprintf(out, "page_size = %llu bytes%s\n",
            (unsigned long long)(huge ? facts->page_sizes[1] : wish->page), huge ? " (THP)" : "");
    fprintf(out, "total_memory = %llu (%.1f MiB)\nstride = %llu\ntlb_locality = %llu\nchase = %s\n",
            (unsigned long long)wish->bytes, (double)wish->bytes / (double)MIB,
            (unsigned long long)wish->stride, (unsigned long long)wish->block, wish->name);
    fputs("samples (one column per thread, one row per sample):\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        print_ns(out, " ", rows[i], "");
        fprintf(out, "  avg=%.*f\n", rows[i] < 100 ? 3 : 1, rows[i]);
    }
}

static void speak(struct talk *talk)
{
    struct wish wish = {.chase = NULL};
    read_chase(talk, &wish);
    wish.bytes = read_size(talk, 'm', MEMORY);
    wish.stride = read_size(talk, 's', STRIDE);
    wish.block = read_size(talk, 'T', LOCALITY);
    wish.page = read_size(talk, 'p', 4096);
    wish.samples = talk_number(talk, 'n', 1, 7200, SAMPLES);
    wish.threads = talk_number(talk, 't', 1, 65536, 1);
    if (wish.stride % 8 != 0 || wish.bytes < wish.stride)
        talk_refuse(talk, "give a stride that is a multiple of 8 and a memory of at least one "
                          "stride");
    if (wish.threads > 1 && wish.chase->measure != BY_LATENCY)
        talk_refuse(talk, "-t goes with simple and incr here; for several chains on several CPUs: "
                          "fathom parallelism --threads");
    /* Rounded as by the tool: whole strides in a block, whole blocks. */
    wish.block = wish.block < wish.stride ? wish.stride : wish.block / wish.stride * wish.stride;
    const uint64_t unit = wish.bytes < wish.block ? wish.stride : wish.block;
    wish.bytes = wish.bytes / unit * unit;
    wish.block = wish.block < wish.bytes ? wish.block : wish.bytes;
    const struct point *point = measure(talk, &wish);
    if (talk_value(talk, 'v')) {
        print_settings(talk->out, &wish, point, talk);
        talk_aside(talk, "the rows are the least, the median and the greatest of %u trials%s",
                   point->y.n, wish.threads > 1 ? ", of the slowest thread each" : "");
    }
    print_ns(talk->out, "", (double)(talk_value(talk, 'a') ? point->y.median : point->y.min), "\n");
}

const struct tongue multichase_tongue = {
    .name = "multichase",
    .place = 55,
    .help = &help,
    .speak = speak,
};
