/*
 * The whole road, from the driver's calls to findings, on many random devices of the stand-in
 * driver: whether every level's capacity and latency is found. Then the same with faults planted,
 * which the figures have to show.
 *
 * models DRIVER COUNT [FIRST-SEED]: a hundred for the promise. Time is the stand-in's, so the same
 * seeds give the same figures on every machine. Every second device's clock wobbles.
 */
#include "measure/run/run.h"

#include "measure/probes/gpu/gpu.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEVELS = 4 };
enum { PROCESSES_MOST = 16, DEVICES_WITH_FAULTS = 2, TEXT_BYTES = 128 };

extern const struct probe gpu_probe;

static const double capacity_tolerance = 0.05, latency_tolerance = 0.01;
static const char wobbling[] = ",wobble=4";

enum fault {
    NO_FAULT,
    MODEL_LIES,     /* the device is slower than the truth says: the test of the comparison */
    MISCOUNTED,     /* 17 loads are reported where 16 were done */
    EVERY_OTHER,    /* a ring that touches every other line of its working set */
    DECLARED_CLOCK, /* cycles from the time and a clock that was read once */
    FAULTS
};

struct outcome {
    bool done;
    unsigned capacities, capacities_right, latencies, latencies_right, clocks, clocks_right;
    unsigned extra; /* levels that there are not */
};

/* --- a device, and what it is in truth --- */

struct level_truth {
    const char *name;
    double cycles, capacity; /* capacity: NAN for memory */
};

struct device_truth {
    double clock_hz;
    bool halves;                       /* of L2, of which one is far */
    struct level_truth levels[LEVELS]; /* those that there are; the others have no name */
};

/* The number behind " key=" in a description; NAN where it isn't in it. */
static double described(const char *description, const char *key)
{
    char pattern[TEXT_BYTES];
    snprintf(pattern, sizeof pattern, " %s=", key);
    const char *at = strstr(description, pattern);
    return at ? strtod(at + strlen(pattern), NULL) : NAN;
}

/* What the driver says that it models: asked of a copy of the library that is closed again, because
 * a driver reads its environment once. */
static bool read_truth(struct device_truth *truth, const char *driver, const char *device)
{
    setenv("FATHOM_GPU_MODEL", device, 1);
    void *library = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    const char *(*describe)(void) = NULL;
    if (library)
        *(void **)&describe = dlsym(library, "fathomModel");
    if (!describe) {
        fprintf(stderr, "# %s is no stand-in driver: %s\n", driver, dlerror());
        return false;
    }
    const char *description = describe();
    const double near = described(description, "l2_latency"),
                 far = described(description, "l2_far_latency");
    /* A kernel without wishes gets the smallest scratchpad. */
    const double scratchpad = described(description, "carve_out");
    truth->halves = far > 0;
    truth->clock_hz = described(description, "clock_mhz") * 1e6;
    truth->levels[0] = (struct level_truth){"L1", described(description, "l1_latency"),
                                            described(description, "l1") - scratchpad};
    const double l2 = described(description, "l2"), dram = described(description, "dram_latency");
    const bool copies = described(description, "l2_copies") > 0;
    truth->levels[1] = (struct level_truth){"L2", far > 0 && !copies ? (near + far) / 2 : near,
                                            copies ? l2 / 2 : l2};
    truth->levels[2] = (struct level_truth){"DRAM", dram, NAN};
    /* Beyond the near half: far lines from the other one, near ones from memory by the near way. */
    if (copies)
        truth->levels[3] =
            (struct level_truth){"L2.outer", (far + dram + near - (near + far) / 2) / 2, l2};
    dlclose(library);
    return true;
}

/* Of the devices with two halves of L2 every second one keeps copies in both, and every third
 * device has an L2 of an odd size: sets that are no power of two. */
static bool describe_device(char device[TEXT_BYTES], const char *driver, uint64_t seed,
                            bool wobbles)
{
    const double l2_set = 16 * 128;
    char base[TEXT_BYTES / 4];
    struct device_truth truth = {.clock_hz = NAN};
    snprintf(base, sizeof base, "random:%" PRIu64, seed);
    if (!read_truth(&truth, driver, base))
        return false;
    const double l2 = truth.levels[1].capacity;
    char odd[TEXT_BYTES / 4] = "";
    if (seed % 3 == 0)
        snprintf(odd, sizeof odd, ",l2=%.0f",
                 (floor(0.9 * l2 / (4 * l2_set)) * 2 + 1) * 2 * l2_set);
    snprintf(device, TEXT_BYTES, "%s%s%s%s", base, odd,
             truth.halves && seed % 3 != 0 ? ",l2_copies=1" : "", wobbles ? wobbling : "");
    return true;
}

/* --- faults --- */

static int run_miscounted(struct gpu *gpu, const struct gpu_work *work, uint64_t repeats,
                          uint64_t *did, struct gpu_time *time, struct error *error)
{
    int code = gpu_cuda.run(gpu, work, repeats, did, time, error);
    *did += *did / 16;
    return code;
}

static int prepare_every_other(struct gpu *gpu, const struct gpu_work *work, uint64_t seed,
                               struct error *error)
{
    struct gpu_work thinned = *work;
    thinned.stride *= thinned.bytes >= 2 * thinned.stride ? 2 : 1;
    return gpu_cuda.prepare(gpu, &thinned, seed, error);
}

static double declared_hz; /* of the device of this process */

static int run_by_declared_clock(struct gpu *gpu, const struct gpu_work *work, uint64_t repeats,
                                 uint64_t *did, struct gpu_time *time, struct error *error)
{
    int code = gpu_cuda.run(gpu, work, repeats, did, time, error);
    time->cycles = time->ns * declared_hz * 1e-9;
    return code;
}

static const struct gpu_backend *faulty(enum fault fault, struct gpu_backend *backend)
{
    *backend = gpu_cuda;
    if (fault == MISCOUNTED)
        backend->run = run_miscounted;
    if (fault == EVERY_OTHER)
        backend->prepare = prepare_every_other;
    if (fault == DECLARED_CLOCK)
        backend->run = run_by_declared_clock;
    return backend;
}

/* --- measuring --- */

struct measurement {
    struct document document;
    struct settings settings;
    struct error error;
};

static struct gpu_backend backend_to_use;

static void plan(struct probe_task *task)
{
    const struct gpu_backend *const backends[] = {&backend_to_use, NULL};
    gpu_plan_with(task, backends);
}

static int choose_options(struct measurement *measurement)
{
    static const char *const options[][2] = {
        {"what", "latency"}, {"path", "l1"}, {"order", "random"}, {"seed", "1"}, {"budget", "1e6"}};
    struct settings *settings = &measurement->settings;
    int code = settings_add(settings, probe_common_options, &measurement->error);
    if (code == 0)
        code = settings_add(settings, gpu_probe.help->options, &measurement->error);
    for (size_t i = 0; i < sizeof options / sizeof *options && code == 0; i++)
        code = settings_set(settings, options[i][0], options[i][1], &measurement->error);
    return code;
}

/* The real probe, engine and backend; only the driver is none, and the time is the stand-in's. */
static int measure(struct measurement *measurement)
{
    static const struct timing_model time_of_the_model;
    int cpu = 0;
    const struct machine machine = {.allowed = {&cpu, 1}};
    struct probe probe = gpu_probe;
    const struct probe *const chosen[] = {&probe, NULL};
    struct run run = {.machine = &machine,
                      .settings = &measurement->settings,
                      .probes = chosen,
                      .document = &measurement->document,
                      .model = &time_of_the_model};
    probe.plan = plan;
    int code = choose_options(measurement);
    if (code == 0)
        code = run_plan(&run, &measurement->error);
    if (code == 0)
        code = run_measure(&run, &measurement->error);
    run_release(&run);
    return code;
}

/* --- judging --- */

static const struct finding *find(const struct probe_result *result, const char *level,
                                  const char *what)
{
    char name[TEXT_BYTES];
    snprintf(name, sizeof name, "gpu0.%s%s", level, what);
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0)
            return &result->findings[i];
    return NULL;
}

static bool is_near(const struct probe_result *result, const char *level, const char *what,
                    double truth, double tolerance, bool reported, const char *device)
{
    const struct finding *finding = find(result, level, what);
    const double value = finding ? finding->value : NAN;
    const bool near = fabs(value / truth - 1) <= tolerance;
    if (!near && reported)
        fprintf(stderr, "# %s: %s%s is %g, found %g\n", device, level, what, truth, value);
    return near;
}

static void judge(struct outcome *outcome, const struct probe_result *result,
                  const struct device_truth *truth, bool reported, const char *device)
{
    for (size_t i = 0; i < LEVELS && truth->levels[i].name; i++) {
        const struct level_truth *level = &truth->levels[i];
        outcome->latencies++;
        outcome->latencies_right += is_near(result, level->name, ".latency", level->cycles,
                                            latency_tolerance, reported, device);
        if (isnan(level->capacity))
            continue;
        outcome->capacities++;
        outcome->capacities_right += is_near(result, level->name, ".capacity", level->capacity,
                                             capacity_tolerance, reported, device);
    }
    outcome->extra += find(result, "L3", ".latency") != NULL ||
                      (!truth->levels[3].name && find(result, "L2.outer", ".latency"));
    outcome->done = true;
}

static void examine(struct outcome *outcome, const char *driver, uint64_t seed, enum fault fault)
{
    struct measurement measurement = {0};
    struct device_truth truth = {.clock_hz = NAN};
    char device[TEXT_BYTES], modelled[2 * TEXT_BYTES];
    const bool wobbles = seed % 2 == 0 || fault == DECLARED_CLOCK;
    if (!describe_device(device, driver, seed, wobbles) || !read_truth(&truth, driver, device))
        return;
    declared_hz = truth.clock_hz;
    snprintf(modelled, sizeof modelled, "%s", device);
    if (fault == MODEL_LIES)
        snprintf(modelled, sizeof modelled, "%s,dram_latency=%.0f", device,
                 truth.levels[2].cycles * (1 + 2 * latency_tolerance));
    setenv("FATHOM_LIBCUDA", driver, 1);
    setenv("FATHOM_GPU_MODEL", modelled, 1);
    faulty(fault, &backend_to_use);
    const int code = measure(&measurement);
    const struct probe_result *result = code == 0 ? &measurement.document.probes[0] : NULL;
    if (result && result->status == PROBE_OK)
        judge(outcome, result, &truth, fault == NO_FAULT, device);
    else
        fprintf(stderr, "# %s: %s\n", device, result ? result->reason : measurement.error.text);
    settings_free(&measurement.settings);
    document_free(&measurement.document);
}

/* Each device in a process of its own: a driver reads its environment once. */
static void examine_all(struct outcome *outcomes, const char *driver, unsigned count,
                        uint64_t first_seed, enum fault fault)
{
    long processes = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
    processes = processes < 1 ? 1 : processes > PROCESSES_MOST ? PROCESSES_MOST : processes;
    for (unsigned i = 0; i < count; i++) {
        if (running == processes && wait(NULL) > 0)
            running--;
        if (fork() == 0) {
            examine(&outcomes[i], driver, first_seed + i, fault);
            _exit(0);
        }
        running++;
    }
    while (wait(NULL) > 0)
        ;
}

/* --- figures --- */

static unsigned points_reported, points_failed;

static void tell(bool passed, const char *what)
{
    points_reported++;
    points_failed += !passed;
    printf("%s %u - %s\n", passed ? "ok" : "not ok", points_reported, what);
}

/* P(X >= count) of a binomial. */
static double at_least(unsigned count, unsigned of, double share)
{
    double sum = 0;
    const double n = of;
    for (unsigned k = count; k <= of; k++)
        sum += exp(lgamma(n + 1) - lgamma(k + 1.0) - lgamma(n - k + 1) + k * log(share) +
                   (k < of ? (n - k) * log1p(-share) : 0));
    return sum;
}

/* The lower end of the share's interval of 95 %: Clopper and Pearson, "The use of confidence or
 * fiducial limits illustrated in the case of the binomial", Biometrika 26(4), 1934. */
static double least_share(unsigned count, unsigned of)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60 && count > 0; i++) {
        const double middle = (low + high) / 2;
        *(at_least(count, of, middle) < 0.025 ? &low : &high) = middle;
    }
    return low;
}

static void show(const char *what, unsigned count, unsigned of)
{
    printf("# %-34s %6.2f %%  (%u of %u: at least %.2f %% of all such devices)\n", what,
           of ? 100.0 * count / of : NAN, count, of, 100 * least_share(count, of));
}

static struct outcome add_up(const struct outcome *outcomes, unsigned count, unsigned *done)
{
    struct outcome sum = {0};
    *done = 0;
    for (unsigned i = 0; i < count; i++) {
        *done += outcomes[i].done;
        sum.capacities += outcomes[i].capacities;
        sum.capacities_right += outcomes[i].capacities_right;
        sum.latencies += outcomes[i].latencies;
        sum.latencies_right += outcomes[i].latencies_right;
        sum.extra += outcomes[i].extra;
    }
    return sum;
}

static void tell_promise(const struct outcome *outcomes, unsigned count)
{
    unsigned done;
    const struct outcome sum = add_up(outcomes, count, &done);
    show("capacity within 5 %", sum.capacities_right, sum.capacities);
    show("latency within 1 %", sum.latencies_right, sum.latencies);
    show("no level that isn't there", done - sum.extra, done);
    tell(done == count, "every device was measured to the end");
    tell(done && sum.capacities_right == sum.capacities, "every capacity is within 5 %");
    tell(done && sum.latencies_right == sum.latencies, "every latency is within 1 %");
    tell(done && sum.extra == 0, "no device has a level that isn't there");
}

static void tell_fault(const struct outcome *outcomes, unsigned count, const char *what)
{
    unsigned done;
    const struct outcome sum = add_up(outcomes, count, &done);
    show("... capacity within 5 %", sum.capacities_right, sum.capacities);
    show("... latency within 1 %", sum.latencies_right, sum.latencies);
    tell(done == count &&
             (sum.capacities_right < sum.capacities || sum.latencies_right < sum.latencies),
         what);
}

int main(int count, char **arguments)
{
    static const char *const caught[FAULTS] = {
        [MODEL_LIES] = "a latency that is 2 % off is caught",
        [MISCOUNTED] = "miscounted loads are caught",
        [EVERY_OTHER] = "a ring of every other line is caught",
        [DECLARED_CLOCK] = "cycles by a declared clock are caught",
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    const unsigned devices = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : 0;
    const uint64_t first_seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    struct outcome *outcomes = mmap(NULL, (devices + DEVICES_WITH_FAULTS) * sizeof *outcomes,
                                    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (devices == 0 || outcomes == MAP_FAILED) {
        fprintf(stderr, "models DRIVER COUNT [FIRST-SEED]: no devices, or no memory for them\n");
        return 2;
    }
    examine_all(outcomes, arguments[1], devices, first_seed, NO_FAULT);
    tell_promise(outcomes, devices);
    for (enum fault fault = MODEL_LIES; fault < FAULTS; fault++) {
        const unsigned few = devices < DEVICES_WITH_FAULTS ? devices : DEVICES_WITH_FAULTS;
        memset(outcomes, 0, few * sizeof *outcomes);
        examine_all(outcomes, arguments[1], few, first_seed, fault);
        tell_fault(outcomes, few, caught[fault]);
    }
    printf("1..%u\n", points_reported);
    return points_failed > 0;
}
