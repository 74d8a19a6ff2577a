/*
 * An oracle for the first contact with a GPU: the same quantities as `fathom gpu`, by other means.
 * It shares no line with fathom, neither source nor kernel, and needs the driver alone.
 *
 *   oracle [SECONDS]
 *
 * prints, each on a line of its own, as far as the seconds (90) last:
 *   device NAME, multiprocessors N, l2 BYTES, memory BYTES
 *   size BYTES plain X cg X noalloc X     cycles of a load in a random ring, a pointer each 128
 * bytes line N SM:X SM:X ...                  cycles of a load (.cg) of a line that points to
 * itself atom N SM:X SM:X ...                  the same by an atomic addition read BYTES plain X cg
 * X noalloc X     10^9 bytes a second, by all multiprocessors copy to_device X, copy to_host X the
 * same, of pinned memory X is "-" where the device or the driver can't do it. Exit status 3: no GPU
 * that can be reached.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAYS = 3, LINE = 128, GROUP = 8, SEEN_WORDS = 4, OLD = 60, NEW = 70 };
static const char *const way_names[WAYS] = {"plain", "cg", "noalloc"};
static const char *const way_loads[WAYS] = {"ld.global", "ld.global.cg",
                                            "ld.global.L1::no_allocate"};

/* --- the driver --- */

static struct {
    int (*init)(unsigned), (*get)(int *, int), (*attribute)(int *, int, int);
    int (*name)(char *, int, int), (*memory)(size_t *, int), (*retain)(void **, int);
    int (*current)(void *), (*load)(void **, const void *, unsigned, int *, void **);
    int (*function)(void **, void *, const char *), (*space)(size_t *, size_t *);
    int (*take)(uint64_t *, size_t), (*drop)(uint64_t), (*pin)(void **, size_t, unsigned);
    int (*put)(uint64_t, const void *, size_t), (*fetch)(void *, uint64_t, size_t);
    int (*put_later)(uint64_t, const void *, size_t, void *);
    int (*fetch_later)(void *, uint64_t, size_t, void *);
    int (*clear)(uint64_t, unsigned, size_t), (*wait)(void);
    int (*event)(void **, unsigned), (*record)(void *, void *), (*reached)(void *);
    int (*between)(float *, void *, void *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
} cu;

static bool find_calls(void *handle)
{
    const struct {
        void *to;
        const char *name;
    } calls[] = {{&cu.init, "cuInit"},
                 {&cu.get, "cuDeviceGet"},
                 {&cu.attribute, "cuDeviceGetAttribute"},
                 {&cu.name, "cuDeviceGetName"},
                 {&cu.memory, "cuDeviceTotalMem_v2"},
                 {&cu.retain, "cuDevicePrimaryCtxRetain"},
                 {&cu.current, "cuCtxSetCurrent"},
                 {&cu.load, "cuModuleLoadDataEx"},
                 {&cu.function, "cuModuleGetFunction"},
                 {&cu.space, "cuMemGetInfo_v2"},
                 {&cu.take, "cuMemAlloc_v2"},
                 {&cu.drop, "cuMemFree_v2"},
                 {&cu.pin, "cuMemHostAlloc"},
                 {&cu.put, "cuMemcpyHtoD_v2"},
                 {&cu.fetch, "cuMemcpyDtoH_v2"},
                 {&cu.put_later, "cuMemcpyHtoDAsync_v2"},
                 {&cu.fetch_later, "cuMemcpyDtoHAsync_v2"},
                 {&cu.clear, "cuMemsetD32_v2"},
                 {&cu.wait, "cuCtxSynchronize"},
                 {&cu.event, "cuEventCreate"},
                 {&cu.record, "cuEventRecord"},
                 {&cu.reached, "cuEventSynchronize"},
                 {&cu.between, "cuEventElapsedTime"},
                 {&cu.launch, "cuLaunchKernel"}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!(*(void **)calls[i].to = dlsym(handle, calls[i].name)))
            return false;
    return true;
}

static void must(int result, const char *what)
{
    if (result == 0)
        return;
    printf("failed: %s: CUDA error %d\n", what, result);
    exit(1);
}

/* --- kernels --- */

static const char chase_text[] = ".visible .entry %s(.param .u64 a, .param .u64 n, .param .u64 w,\n"
                                 "  .param .u64 want, .param .u64 out)\n"
                                 "{\n"
                                 "  .reg .b64 %%p, %%n, %%w, %%want, %%out, %%x, %%c, %%d;\n"
                                 "  .reg .b32 %%r;\n"
                                 "  .reg .pred %%k;\n"
                                 "  ld.param.u64 %%out, [out];\n"
                                 "  ld.param.u64 %%want, [want];\n"
                                 "  ld.param.u64 %%p, [a];\n"
                                 "  ld.param.u64 %%n, [n];\n"
                                 "  ld.param.u64 %%w, [w];\n"
                                 "  mov.u32 %%r, %%tid.x;\n"
                                 "  setp.ne.u32 %%k, %%r, 0;\n"
                                 "  @%%k bra END;\n"
                                 "  mov.u32 %%r, %%smid;\n"
                                 "  cvt.u64.u32 %%x, %%r;\n"
                                 "  setp.eq.u64 %%k, %%want, 65535;\n"
                                 "  @%%k bra TAKE;\n"
                                 "  setp.ne.u64 %%k, %%x, %%want;\n"
                                 "  @%%k bra END;\n"
                                 "TAKE:\n"
                                 "  atom.global.exch.b64 %%x, [%%out], 1;\n"
                                 "  setp.ne.u64 %%k, %%x, 0;\n"
                                 "  @%%k bra END;\n"
                                 "W:\n"
                                 "  .pragma \"nounroll\";\n"
                                 "%s"
                                 "  sub.u64 %%w, %%w, 1;\n"
                                 "  setp.ne.u64 %%k, %%w, 0;\n"
                                 "  @%%k bra W;\n"
                                 "  setp.eq.u64 %%k, %%p, 1;\n"
                                 "  @%%k bra END;\n"
                                 "  mov.u64 %%c, %%clock64;\n"
                                 "L:\n"
                                 "  .pragma \"nounroll\";\n"
                                 "%s"
                                 "  sub.u64 %%n, %%n, 1;\n"
                                 "  setp.ne.u64 %%k, %%n, 0;\n"
                                 "  @%%k bra L;\n"
                                 "  setp.eq.u64 %%k, %%p, 1;\n"
                                 "  @%%k bra END;\n"
                                 "  mov.u64 %%d, %%clock64;\n"
                                 "  sub.u64 %%d, %%d, %%c;\n"
                                 "  st.global.u64 [%%out+8], %%d;\n"
                                 "  st.global.u64 [%%out+16], %%p;\n"
                                 "END:\n"
                                 "  ret;\n"
                                 "}\n";

static const char read_text[] =
    ".visible .entry %s(.param .u64 a, .param .u64 n, .param .u64 w, .param .u64 want,\n"
    "  .param .u64 out)\n"
    "{\n"
    "  .reg .b64 %%p, %%n, %%w, %%out, %%x, %%y, %%s, %%at, %%end, %%step;\n"
    "  .reg .b32 %%r, %%q, %%t;\n"
    "  .reg .pred %%k;\n"
    "  ld.param.u64 %%p, [a];\n"
    "  ld.param.u64 %%n, [n];\n"
    "  ld.param.u64 %%w, [w];\n"
    "  ld.param.u64 %%out, [out];\n"
    "  mov.u32 %%r, %%ctaid.x;\n"
    "  mov.u32 %%q, %%ntid.x;\n"
    "  mov.u32 %%t, %%tid.x;\n"
    "  mad.lo.u32 %%r, %%r, %%q, %%t;\n"
    "  mov.u32 %%t, %%nctaid.x;\n"
    "  mul.lo.u32 %%q, %%q, %%t;\n"
    "  mul.wide.u32 %%step, %%q, 16;\n"
    "  mul.wide.u32 %%x, %%r, 16;\n"
    "  add.u64 %%x, %%x, %%p;\n"
    "  add.u64 %%end, %%p, %%n;\n"
    "  mov.u64 %%s, 0;\n"
    "R:\n"
    "  mov.u64 %%at, %%x;\n"
    "I:\n"
    "  .pragma \"nounroll\";\n"
    "  %s.v2.u64 {%%y, %%p}, [%%at];\n"
    "  xor.b64 %%s, %%s, %%y;\n"
    "  xor.b64 %%s, %%s, %%p;\n"
    "  add.u64 %%at, %%at, %%step;\n"
    "  setp.lt.u64 %%k, %%at, %%end;\n"
    "  @%%k bra I;\n"
    "  sub.u64 %%w, %%w, 1;\n"
    "  setp.ne.u64 %%k, %%w, 0;\n"
    "  @%%k bra R;\n"
    "  setp.ne.u64 %%k, %%s, 12345;\n"
    "  @%%k bra END;\n"
    "  st.global.u64 [%%out], %%s;\n"
    "END:\n"
    "  ret;\n"
    "}\n";

/* One way's kernels in a module of their own: an old driver refuses the newest way alone. */
struct way {
    void *chase, *read, *atom;
};

static void load_way(struct way *way, const char *load, bool newer)
{
    char text[16384], body[2][2048] = {"", ""};
    void *module;
    for (int i = 0; i < GROUP; i++) {
        snprintf(body[0] + strlen(body[0]), sizeof body[0] - strlen(body[0]),
                 "  %s.u64 %%p, [%%p];\n", load);
        snprintf(body[1] + strlen(body[1]), sizeof body[1] - strlen(body[1]),
                 "  atom.global.add.u64 %%p, [%%p], 0;\n");
    }
    int at = snprintf(text, sizeof text, ".version %s\n.target sm_%d\n.address_size 64\n",
                      newer ? "7.4" : "6.0", newer ? NEW : OLD);
    at += snprintf(text + at, sizeof text - (size_t)at, chase_text, "chase", body[0], body[0]);
    at += snprintf(text + at, sizeof text - (size_t)at, chase_text, "atom", body[1], body[1]);
    snprintf(text + at, sizeof text - (size_t)at, read_text, "read", load);
    *way = (struct way){NULL, NULL, NULL};
    if (cu.load(&module, text, 0, NULL, NULL) != 0)
        return;
    if (cu.function(&way->chase, module, "chase") != 0)
        way->chase = NULL;
    if (cu.function(&way->read, module, "read") != 0)
        way->read = NULL;
    if (cu.function(&way->atom, module, "atom") != 0)
        way->atom = NULL;
}

/* --- measuring --- */

static struct {
    int sms;
    size_t l2, bytes; /* of the buffer */
    uint64_t buffer, out;
    struct way ways[WAYS];
    void *events[2];
    double until_s;
} it;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_late(void)
{
    return now_s() > it.until_s;
}

static int start(void *function, unsigned blocks, unsigned threads, uint64_t a, uint64_t n,
                 uint64_t w, uint64_t want)
{
    uint64_t values[] = {a, n, w, want, it.out};
    void *parameters[] = {&values[0], &values[1], &values[2], &values[3], &values[4]};
    return cu.launch(function, blocks, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL);
}

/* Cycles of a load; less than 0: it could not be had. */
static double chase(void *function, uint64_t ring, size_t lines, int sm)
{
    const uint64_t loads = lines < 4096 ? 4096 : lines < 65536 ? lines : 65536;
    const uint64_t warm = (lines < 131072 ? 2 * lines : 262144) / GROUP + 1;
    uint64_t seen[SEEN_WORDS] = {0};
    for (unsigned blocks = sm < 0 ? 1 : 4; function && blocks <= 64; blocks *= 2) {
        must(cu.clear(it.out, 0, 2 * SEEN_WORDS), "clear");
        if (start(function, sm < 0 ? 1 : blocks * (unsigned)it.sms, 32, ring, loads / GROUP, warm,
                  sm < 0 ? 65535 : (uint64_t)sm) != 0)
            return -1;
        must(cu.wait(), "a chase");
        must(cu.fetch(seen, it.out, sizeof seen), "fetch");
        if (seen[0])
            return (double)seen[1] / (double)(loads / GROUP * GROUP);
        if (sm < 0)
            break;
    }
    return -1;
}

static void show(double value)
{
    if (value < 0)
        printf(" -");
    else
        printf(" %.1f", value);
}

static uint64_t dice = 88172645463325252u; /* G. Marsaglia, "Xorshift RNGs" */

static uint64_t roll(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    return dice ^= dice << 17;
}

static bool make_ring(size_t lines)
{
    uint32_t *order = malloc(lines * sizeof *order);
    uint64_t *memory = calloc(lines, LINE);
    const bool has = order && memory;
    for (size_t i = 0; has && i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; has && i > 0; i--) {
        const size_t other = (size_t)(roll() % (i + 1));
        const uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; has && i < lines; i++)
        memory[(size_t)order[i] * (LINE / 8)] =
            it.buffer + (uint64_t)order[i + 1 < lines ? i + 1 : 0] * LINE;
    if (has)
        must(cu.put(it.buffer, memory, lines * LINE), "send a ring");
    free(order);
    free(memory);
    return has;
}

static void sweep_sizes(void)
{
    for (size_t bytes = 8 << 10; bytes <= it.bytes && !is_late();
         bytes += bytes / (bytes > 4 * it.l2 ? 1 : 3) / LINE * LINE) {
        if (!make_ring(bytes / LINE))
            break;
        printf("size %zu", bytes);
        for (int way = 0; way < WAYS; way++) {
            printf(" %s", way_names[way]);
            show(chase(it.ways[way].chase, it.buffer, bytes / LINE, -1));
        }
        printf("\n");
        fflush(stdout);
    }
}

static void visit_lines(const char *word, void *function)
{
    enum { LINES = 8 };
    for (size_t line = 0; line < LINES && !is_late(); line++) {
        const uint64_t at = it.buffer + it.bytes / LINES / LINE * LINE * line + LINE * (line * 7);
        must(cu.put(at, &at, sizeof at), "send a line");
        printf("%s %zu", word, line);
        for (int sm = 0; sm < it.sms && !is_late(); sm++) {
            printf(" %d:", sm);
            const double cycles = chase(function, at, 1, sm);
            cycles < 0 ? printf("-") : printf("%.0f", cycles);
        }
        printf("\n");
        fflush(stdout);
    }
}

static double timed_read(void *function, size_t bytes, uint64_t repeats)
{
    float ms = 0;
    must(cu.record(it.events[0], NULL), "an event");
    if (start(function, (unsigned)it.sms * 8, 256, it.buffer, bytes, repeats, 0) != 0)
        return -1;
    must(cu.record(it.events[1], NULL), "an event");
    must(cu.reached(it.events[1]), "a read");
    must(cu.between(&ms, it.events[0], it.events[1]), "time");
    return ms * 1e-3;
}

/* The best of five, of some 5 ms each. */
static double rate(void *function, size_t bytes)
{
    double best = 0, first = function ? timed_read(function, bytes, 2) : -1;
    if (first <= 0)
        return -1;
    const double wanted = 5e-3 / first * 2;
    const uint64_t repeats = wanted < 2 ? 2 : (uint64_t)wanted;
    for (int i = 0; i < 5 && (i == 0 || !is_late()); i++) {
        const double s = timed_read(function, bytes, repeats);
        const double here = (double)bytes * (double)repeats / s / 1e9;
        best = here > best ? here : best;
    }
    return best;
}

static void read_sizes(void)
{
    const size_t sizes[] = {it.l2 / 4, it.l2 / 2, it.l2 / 5 * 4, it.bytes};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !is_late(); i++) {
        const size_t bytes = sizes[i] / 4096 * 4096;
        if (bytes == 0)
            continue;
        printf("read %zu", bytes);
        for (int way = 0; way < WAYS; way++) {
            printf(" %s", way_names[way]);
            show(rate(it.ways[way].read, bytes));
        }
        printf("\n");
        fflush(stdout);
    }
}

static void copy_both_ways(void)
{
    size_t bytes = (size_t)256 << 20;
    void *host = NULL;
    while (bytes > it.bytes)
        bytes /= 2;
    if (cu.pin(&host, bytes, 0) != 0)
        return;
    memset(host, 1, bytes);
    for (int out = 0; out < 2; out++) {
        double best = 0;
        for (int i = 0; i < 5; i++) {
            float ms = 0;
            must(cu.record(it.events[0], NULL), "an event");
            must(out ? cu.fetch_later(host, it.buffer, bytes, NULL)
                     : cu.put_later(it.buffer, host, bytes, NULL),
                 "a copy");
            must(cu.record(it.events[1], NULL), "an event");
            must(cu.reached(it.events[1]), "a copy");
            must(cu.between(&ms, it.events[0], it.events[1]), "time");
            const double here = (double)bytes / (double)ms / 1e6;
            best = here > best ? here : best;
        }
        printf("copy %s %.2f\n", out ? "to_host" : "to_device", best);
    }
}

static int open_device(void)
{
    const char *named = getenv("FATHOM_LIBCUDA");
    void *handle = dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW), *context;
    int device, value = 0;
    char name[256] = "";
    size_t memory = 0, left = 0;
    if (!handle || !find_calls(handle) || cu.init(0) != 0 || cu.get(&device, 0) != 0) {
        printf("no device: %s\n", handle ? "the driver does not start" : dlerror());
        return 3;
    }
    must(cu.name(name, sizeof name, device), "name");
    must(cu.attribute(&it.sms, 16, device), "multiprocessors");
    must(cu.attribute(&value, 38, device), "L2");
    must(cu.memory(&memory, device), "memory");
    must(cu.retain(&context, device), "a context");
    must(cu.current(context), "a context");
    must(cu.space(&left, &memory), "free memory");
    it.l2 = value > 0 ? (size_t)value : (size_t)4 << 20;
    it.bytes = (size_t)2 << 30;
    while (it.bytes > left / 2)
        it.bytes /= 2;
    must(cu.take(&it.buffer, it.bytes), "memory");
    must(cu.take(&it.out, 4096), "memory");
    for (int i = 0; i < 2; i++)
        must(cu.event(&it.events[i], 0), "an event");
    printf("device %s, multiprocessors %d, l2 %zu, memory %zu\n", name, it.sms, it.l2, memory);
    return 0;
}

int main(int count, char **arguments)
{
    const double seconds = count > 1 ? strtod(arguments[1], NULL) : 90, began_s = now_s();
    const int code = open_device();
    if (code != 0)
        return code;
    for (int way = 0; way < WAYS; way++)
        load_way(&it.ways[way], way_loads[way], way == 2);
    /* The sweep takes longest, so what comes after it has its share. */
    it.until_s = began_s + 0.25 * seconds;
    read_sizes();
    it.until_s = began_s + 0.3 * seconds;
    copy_both_ways();
    it.until_s = began_s + 0.45 * seconds;
    visit_lines("line", it.ways[1].chase);
    it.until_s = began_s + 0.6 * seconds;
    visit_lines("atom", it.ways[1].atom);
    it.until_s = began_s + seconds;
    sweep_sizes();
    return 0;
}
