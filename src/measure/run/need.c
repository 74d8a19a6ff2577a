#include "measure/run/need.h"

#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "conclude/verdict.h"
#include "machine/os.h"
#include "measure/run/progress.h"
#include "stats/order.h"

#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A program that takes less spends most of it on its start, which uses little memory. */
static const double cpu_least_s = 0.02;
/* Starting a program and its pressure. */
static const double around_run_s = 0.1;
/* The same traffic beside each known traffic, and what is around it. */
static const double known_s = 0.11;
/* Between two questions how far the program is. */
static const double ask_s = 0.05;
/* The size that traffic goes through where no L3 is declared. */
static const uint64_t cache_assumed = 64 << 20;
/* The levels of pressure: shares of the most that can be held, and the pauses of traffic, in turns
 * of an empty loop. */
enum { SHARES = 3, HOLD_SIZES = 8, HUGE_PAGE = 2 << 20, LOOKS = 250 };
static const double shares[SHARES] = {1.0 / 3, 2.0 / 3, 1};
static const uint64_t pauses[NEED_KNOWN - 1] = {200, 50, 1};
/* Shares of the declared cache that holders try to hold: in a guest others have most of it, and a
 * holder of a set larger than the rest keeps none of it. */
static const double hold_most = 0.75;

struct need_state {
    struct probe_result *result;
    struct cpulist program, pressers;
    bool holds; /* the pressers share the program's L3 */
    struct pressure pressure;
    uint64_t cache_bytes, held_most; /* of the cache; the set of which the most is held */
    double traffic_most;
    const char *not_measured;
    /* A core's two threads, and a thread of each of two cores; empty: no core has two. */
    struct cpulist together, apart;
    bool parallel;
    uint64_t nodes;         /* a bit for each that may be used */
    int far_node;           /* -1: there is a single node */
    bool unbound;           /* the system binds no memory to nodes, as in many containers */
    struct arena memory[2]; /* for timed loads: the program's own, and the far node's */
    /* The program. */
    /* GLIBC_TUNABLES, as the caller has them (NULL: not), and so that malloc() asks for huge pages
     */
    const char *tunables, *with_huge;
    /* fathom's own, before it took the program's CPUs, which the program inherits */
    struct cpulist affinity;
    int nothing;      /* descriptor of /dev/null */
    off_t in_at;      /* where its standard input begins; -1: it has none */
    bool ran;         /* its first run is over: it has no output any more */
    double used_cpus; /* by its first run; 0: it was not run */
    struct child_plan plan;
    struct child child;
    /* One long run. */
    struct progress progress;
    uint64_t started_ns;
    bool ended; /* by itself, without a failure */
    /* What was seen. The program ran alone before and after taken[c][b]: alone[after[c][b]] and the
     * element before it; 0: there is no taken[c][b]. */
    struct need_seen alone[NEED_BLOCKS_MOST * NEED_CONDITIONS + 1],
        taken[NEED_CONDITIONS][NEED_BLOCKS_MOST];
    size_t alone_count, after[NEED_CONDITIONS][NEED_BLOCKS_MOST];
    uint64_t began_ns;
};

static const char tunables[] = "GLIBC_TUNABLES";

/* --- a run of the program --- */

static double elapsed_s(const struct need *need)
{
    return (double)(os_raw_ns() - need->state->began_ns) * 1e-9;
}

struct one {
    struct need *need;
    struct error *error;
    struct need_seen *seen;
    int code, stopped;
    bool far, late, ended, enough;
    uint64_t began_ns, until_ns;
    /* Of a part: the program's CPU time when progress was first seen, and last. */
    uint64_t lasts_ns, next_ns;
    double from_s, to_s, from, to; /* less than 0: not seen yet */
};

/* Starts the program when it is first called; then whether it has ended, or has to be. It waits for
 * its end, half a second at a time: what presses longer than the program runs takes nothing from
 * it. */
static bool is_over(void *argument)
{
    struct one *one = argument;
    struct need_state *state = one->need->state;
    atomic_uint word = 0;
    if (!one->began_ns) {
        one->seen->load_ticks = pressure_load_ticks(&state->pressure, &state->memory[one->far]);
        one->began_ns = os_raw_ns();
        one->until_ns = one->began_ns + one->lasts_ns;
        one->code = child_start(&state->child, &state->plan, one->error);
    }
    for (int look = 0; look < LOOKS && one->code == 0 && !one->ended && !*one->need->stop; look++) {
        os_sleep_while(&word, 0, 2000000);
        one->ended = child_ended(&state->child, &one->stopped);
    }
    one->late = !one->ended && os_raw_ns() > one->until_ns;
    return one->code < 0 || one->late || one->ended;
}

/* A program that goes on has a second to clean up. */
static void end_program(struct child *child, struct child_end *end)
{
    const uint64_t until_ns = os_raw_ns() + UINT64_C(1000000000);
    atomic_uint word = 0;
    int stopped;
    if (child->id && !child_ended(child, &stopped)) {
        child_signal(child, SIGTERM);
        while (!child_ended(child, &stopped) && os_raw_ns() < until_ns)
            os_sleep_while(&word, 0, 5000000);
    }
    child_reap(child, end);
}

/* Why a run that has ended tells nothing. */
static int judge_end(const struct need *need, const struct one *one, const struct child_end *end,
                     int code, double limit_s, struct error *error)
{
    const char *name = need->arguments[0],
               *again = need->state->ran && !(need->every_s > 0) ? ", and once did not" : "";
    char limit[UNIT_TEXT];
    if (code < 0 || one->code < 0)
        return code < 0 ? code : one->code;
    if (one->late)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "'%s' did not end within %s: give it less to do, or more time (--budget)",
                         name, duration_format(limit_s, limit));
    if (one->stopped)
        return error_set(error, ERROR_IMPOSSIBLE, "'%s' asks a terminal (%s), and nobody answers",
                         name, strsignal(one->stopped));
    if (end->signal)
        return error_set(error, ERROR_IMPOSSIBLE, "'%s' was ended by a signal (%s)%s", name,
                         strsignal(end->signal), again);
    if (end->status)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "'%s' fails, with exit status %d%s: what a program needs shows only "
                         "while it does its work",
                         name, end->status, again);
    return 0;
}

static int run_program(struct need *need, const struct need_condition *condition,
                       struct need_seen *seen, struct error *error)
{
    struct need_state *state = need->state;
    const double limit_s = need->run_s > 0 ? 10 * need->run_s + 1 : need->budget_s / 4;
    const bool pages = condition->taken == NEED_PAGES;
    struct one one = {need, error, seen, .far = condition->taken == NEED_NEAR};
    struct child_end end;
    one.lasts_ns = (uint64_t)(limit_s * 1e9);
    state->plan.small_pages = pages && condition->share >= 1;
    state->plan.interleaved = condition->taken == NEED_SPREAD;
    state->plan.nodes = condition->nodes;
    if (state->in_at >= 0)
        lseek(STDIN_FILENO, state->in_at, SEEK_SET);
    if (pages && condition->share < 1)
        setenv(tunables, state->with_huge, 1);
    int code = 0;
    if (condition->taken == NEED_L3 && condition->level.bytes == state->held_most) {
        code = pressure_beside(&state->pressure, &condition->level, 0, &seen->pressed, error);
        seen->room = seen->pressed.held;
    }
    const bool most = condition->taken == NEED_TRAFFIC && condition->share >= 1;
    for (int i = 0; i < NEED_KNOWN && most && code >= 0; i++)
        code = pressure_beside(&state->pressure, &condition->level, i ? pauses[i - 1] : 0,
                               &seen->known[i], error);
    if (condition->cpus && code >= 0)
        code = os_set_affinity(condition->cpus, error);
    if (code >= 0)
        code =
            pressure_run(&state->pressure, &condition->level, is_over, &one, &seen->pressed, error);
    if (condition->cpus)
        os_set_affinity(&state->program, NULL);
    if (state->tunables)
        setenv(tunables, state->tunables, 1);
    else
        unsetenv(tunables);
    end_program(&state->child, &end);
    seen->wall_s = (double)(os_raw_ns() - one.began_ns) * 1e-9;
    seen->cpu_s = end.cpu_s;
    return judge_end(need, &one, &end, code, limit_s, error);
}

/* --- a part of a long run --- */

/* A part's CPU time goes from one change of progress to another, so progress from before the part
 * that is told late does not count. Of the first part two changes are all that is waited for. */
static bool is_part_over(void *argument)
{
    struct one *one = argument;
    struct need_state *state = one->need->state;
    const uint64_t now_ns = os_raw_ns();
    const bool first = !one->until_ns;
    if (now_ns < one->next_ns)
        return false;
    one->next_ns = now_ns + (uint64_t)(ask_s * 1e9);
    one->until_ns = first ? now_ns + one->lasts_ns : one->until_ns;
    one->ended = child_ended(&state->child, &one->stopped);
    one->code = progress_read(&state->progress, one->error);
    if (one->code > 0 && !first) {
        one->to = state->progress.value;
        one->to_s = child_cpu_s(&state->child);
        one->from_s = one->from < 0 ? one->to_s : one->from_s;
        one->from = one->from < 0 ? one->to : one->from;
    }
    /* Where others have the CPU a part may take longer. */
    one->enough = one->to > one->from && (!state->ran || one->to_s - one->from_s > cpu_least_s / 2);
    return one->ended || one->code < 0 ||
           (one->enough && (!state->ran || now_ns > one->until_ns)) ||
           now_ns > one->until_ns + (state->ran ? 9 * one->lasts_ns : 0);
}

static int run_part(struct need *need, const struct need_condition *condition,
                    struct need_seen *seen, struct error *error)
{
    struct need_state *state = need->state;
    const double limit_s = state->ran ? need->every_s : need->budget_s / 4;
    struct one one = {need, error, seen, .from = -1, .to = -1};
    struct child_end end = {0};
    char took[UNIT_TEXT];
    one.lasts_ns = (uint64_t)(limit_s * 1e9);
    int code = pressure_run(&state->pressure, &condition->level, is_part_over, &one, &seen->pressed,
                            error);
    if (one.ended)
        child_reap(&state->child, &end);
    code = judge_end(need, &one, &end, code, limit_s, error);
    state->ended = code == 0 && one.ended;
    if (state->ended)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "'%s' ended after %s: give it more to do, or shorter parts (--every)",
                         need->arguments[0],
                         duration_format((double)(os_raw_ns() - state->started_ns) * 1e-9, took));
    seen->cpu_s = one.enough ? (one.to_s - one.from_s) / (one.to - one.from) : NAN;
    if (code == 0 && !one.enough)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "'%s' shows no two steps of progress with 10 ms of CPU time of '%s' "
                         "between them within %s%s",
                         state->progress.told, need->arguments[0],
                         duration_format(state->ran ? 10 * limit_s : limit_s, took),
                         state->progress.value < 0 ? ": nothing is there" : "");
    return code;
}

/* Its progress is asked for, and pressure is directed, from the CPUs that press. */
static int begin_long_run(struct need *need, struct error *error)
{
    struct need_state *state = need->state;
    state->started_ns = os_raw_ns();
    int code = child_start(&state->child, &state->plan, error);
    if (code == 0 && state->pressers.count)
        code = os_set_affinity(&state->pressers, error);
    if (code == 0)
        code = progress_open(&state->progress, need->progress_file, need->progress_command,
                             state->nothing, error);
    if (code == 0)
        code = run_part(need, &(struct need_condition){0}, state->alone, error);
    state->ran = state->progress.begun = true;
    return code;
}

/* --- which CPUs --- */

/* Whether a CPU of the list is on the core. */
static bool has_core(const struct machine *machine, const struct cpulist *list, int core)
{
    for (size_t i = 0; i < list->count; i++)
        if (machine_core(machine, list->ids[i]) == core)
            return true;
    return false;
}

/* Cores alternate: one is the program's with all its threads, unless its CPUs are given, and one
 * thread of the next one makes pressure. */
static int share_out(struct need *need, const struct cpulist *group, struct error *error)
{
    struct need_state *state = need->state;
    const struct cpulist *allowed = &need->machine->allowed;
    bool turn = !need->cpus;
    int code = 0;
    for (size_t i = 0; i < allowed->count && code == 0; i++) {
        const int cpu = allowed->ids[i], core = machine_core(need->machine, cpu);
        const bool own = has_core(need->machine, &state->program, core);
        if (!cpulist_has(group, cpu) || has_core(need->machine, &state->pressers, core) ||
            cpulist_has(&state->program, cpu) || (own && need->cpus))
            continue;
        code = cpulist_add(own || turn ? &state->program : &state->pressers, cpu);
        turn = own ? turn : !turn && !need->cpus;
    }
    return code < 0 ? error_out_of_memory(error) : 0;
}

/* Within the CPUs that share the last cache, if they have two cores. */
static int choose_cpus(struct need *need, struct error *error)
{
    struct need_state *state = need->state;
    const struct machine *machine = need->machine;
    const struct cpulist *group = &machine->allowed;
    int code = 0;
    for (size_t i = 0; need->cpus && i < need->cpus->count && code == 0; i++)
        code = cpulist_has(&machine->allowed, need->cpus->ids[i])
                   ? cpulist_add(&state->program, need->cpus->ids[i])
                   : error_set(error, ERROR_USAGE, "--cpus: CPU %d is not one that may be used",
                               need->cpus->ids[i]);
    const int first = need->cpus ? need->cpus->ids[0] : machine->allowed.ids[0];
    for (size_t i = 0; i < machine->cache_count; i++)
        if (cpulist_has(&machine->caches[i].cpus, first))
            group = &machine->caches[i].cpus;
    if (code == 0)
        code = share_out(need, group, error);
    state->holds = state->pressers.count;
    return code < 0 || state->holds ? code : share_out(need, &machine->allowed, error);
}

/* --- which conditions --- */

static void add_condition(struct need *need, enum need_taken taken, double share,
                          struct pressure_level level)
{
    need->conditions[need->condition_count++] =
        (struct need_condition){.taken = taken, .level = level, .share = share};
}

/* The set of which the holders keep the most while the program does not run. Where memory is short,
 * only sets that it has room for are tried. */
static int add_holds(struct need *need, bool all, const char **why, struct error *error)
{
    struct need_state *state = need->state;
    uint64_t bytes = (uint64_t)fmin(hold_most * (double)state->cache_bytes,
                                    (double)(state->pressure.room * state->pressure.count));
    double most = 0;
    state->held_most = 0;
    if (!state->pressure.slow_ticks)
        *why = "loads from it can't be told from loads from memory";
    for (int i = 0; i < HOLD_SIZES && !*why; i++, bytes = bytes * 5 / 8) {
        const struct pressure_level level = {.kind = PRESSURE_HOLD, .bytes = bytes};
        struct pressed pressed;
        const int code = pressure_beside(&state->pressure, &level, 0, &pressed, error);
        if (code < 0)
            return code;
        state->held_most = pressed.held > most ? bytes : state->held_most;
        most = fmax(most, pressed.held);
    }
    if (!*why && !state->held_most)
        *why = "nothing of it can be held: others use it";
    for (int i = all ? 0 : SHARES - 1; i < SHARES && !*why; i++)
        add_condition(need, NEED_L3, shares[i] * most / (double)state->cache_bytes,
                      (struct pressure_level){PRESSURE_HOLD,
                                              (uint64_t)(shares[i] * (double)state->held_most)});
    return 0;
}

/* The farthest node is the one that the firmware declares so. */
static void find_nodes(struct need_state *state, const struct machine *machine)
{
    const struct cpu_place *own = machine_cpu(machine, state->program.ids[0]);
    const struct numa_facts *nodes = machine->facts.nodes;
    const size_t count = machine->facts.node_count, near = node_index(&machine->facts, own->node);
    size_t far = count;
    for (size_t i = 0; i < count && near < count; i++) {
        const unsigned *distances = machine->nodes[near].distances;
        if (!machine->nodes[i].allowed || !machine->nodes[i].free_bytes || nodes[i].id > 63)
            continue;
        state->nodes |= UINT64_C(1) << nodes[i].id;
        if (i != near && (far == count || (distances && distances[i] > distances[far])))
            far = i;
    }
    state->far_node = far < count ? nodes[far].id : -1;
}

/* Cores and nodes, where there are several. */
static int choose_places(struct need *need, struct error *error)
{
    struct need_state *state = need->state;
    const struct machine *machine = need->machine;
    const struct cpu_place *own = machine_cpu(machine, state->program.ids[0]);
    const bool far = state->far_node >= 0 && !state->unbound;
    const struct need_condition places[] = {
        {.taken = NEED_CORES, .cpus = &state->apart},
        {.taken = NEED_CORES, .share = 1, .cpus = &state->together},
        {.taken = NEED_NEAR, .share = 1, .nodes = far ? UINT64_C(1) << state->far_node : 0},
        {.taken = NEED_SPREAD, .share = 1, .nodes = state->nodes}};
    int code = 0;
    state->together.count = state->apart.count = 0;
    for (size_t i = 0; i < machine->allowed.count && code == 0 && state->parallel; i++) {
        const int cpu = machine->allowed.ids[i];
        const bool mate = machine_core(machine, cpu) == own->core;
        if (mate && state->together.count < 2)
            code = cpulist_add(&state->together, cpu);
        if (code == 0 && (cpu == own->id || (!mate && state->apart.count < 2)))
            code = cpulist_add(&state->apart, cpu);
    }
    for (size_t i = state->together.count + state->apart.count == 4 ? 0 : 2; i < (far ? 4 : 2); i++)
        need->conditions[need->condition_count++] = places[i];
    return code < 0 ? error_out_of_memory(error) : 0;
}

/* All levels of pressure; only the strongest ones where there is no time for all. */
static int choose_conditions(struct need *need, bool all, struct error *error)
{
    struct need_state *state = need->state;
    struct pool *pool = &need->document->pool;
    const char *no_l3 = NULL, *no_traffic = NULL, *thp = need->document->conditions.thp;
    need->condition_count = 0;
    if (!state->pressers.count)
        no_l3 = no_traffic = "pressure needs a CPU on another core than the program's";
    else if (!cache_of_cpu(&need->machine->facts, 3, state->program.ids[0]))
        no_l3 = "no L3 is declared";
    else if (!state->holds)
        no_l3 = "no other core shares the program's L3";
    int code = no_l3 ? 0 : add_holds(need, all, &no_l3, error);
    /* The most traffic; what each level of it really moves is measured beside the program. */
    const struct pressure_level level = {.kind = PRESSURE_TRAFFIC, .pause = pauses[SHARES - 1]};
    struct pressed pressed = {.traffic = NAN};
    if (code == 0 && !no_traffic)
        code = pressure_beside(&state->pressure, &level, 0, &pressed, error);
    state->traffic_most = pressed.traffic;
    for (int i = all ? 0 : SHARES - 1; i < SHARES && !no_traffic; i++)
        add_condition(need, NEED_TRAFFIC, shares[i],
                      (struct pressure_level){.kind = PRESSURE_TRAFFIC, .pause = pauses[i]});
    const char *no_pages = need->every_s > 0 ? "a program that runs has them already"
                           : thp && strcmp(thp, "never") == 0 ? "the system gives no huge ones"
                                                              : NULL;
    for (int share = 0; share < 2 && !no_pages; share++)
        add_condition(need, NEED_PAGES, share, (struct pressure_level){0});
    if (code == 0 && !(need->every_s > 0))
        code = choose_places(need, error);
    state->not_measured = pool_printf(
        pool, "%s%s%s%s%s%s%s%s", no_l3 ? "L3: " : "", no_l3 ? no_l3 : "",
        no_l3 && no_traffic ? "; " : "", no_traffic ? "traffic: " : "",
        no_traffic ? no_traffic : "", no_pages ? "; pages: " : "", no_pages ? no_pages : "",
        state->unbound ? "; nodes: the system binds no memory to them (numactl --membind)" : "");
    return code;
}

/* --- planning --- */

static int find_program(struct need *need, struct error *error)
{
    struct need_state *state = need->state;
    struct stat in;
    const char *set = state->tunables = getenv(tunables);
    state->with_huge = pool_printf(&need->document->pool, "%s%sglibc.malloc.hugetlb=1",
                                   set ? set : "", set ? ":" : "");
    state->nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (!state->with_huge)
        return error_out_of_memory(error);
    if (state->nothing < 0)
        return error_set(error, ERROR_SYSTEM, "/dev/null can't be opened");
    /* Input that can't be read twice is not read at all. */
    state->in_at = fstat(STDIN_FILENO, &in) == 0 && S_ISREG(in.st_mode)
                       ? lseek(STDIN_FILENO, 0, SEEK_CUR)
                       : -1;
    const bool reads = state->in_at >= 0 || need->every_s > 0;
    state->plan = (struct child_plan){.arguments = need->arguments,
                                      .streams = {reads ? STDIN_FILENO : state->nothing,
                                                  need->aside ? STDERR_FILENO : STDOUT_FILENO,
                                                  STDERR_FILENO}};
    return 0;
}

/* Runs the program twice: with its streams, wherever it may; and where it will be measured. One
 * that runs once begins later. */
static int meet_program(struct need *need, struct error *error)
{
    struct need_state *state = need->state;
    const struct need_condition nothing = {0};
    struct need_seen first = {0}, second = {0};
    int code = need->every_s > 0 ? 0 : run_program(need, &nothing, &first, error);
    state->ran = !(need->every_s > 0);
    if (state->ran)
        state->plan.streams[1] = state->plan.streams[2] = state->nothing;
    if (code == 0 && state->ran && first.cpu_s < cpu_least_s) {
        char text[UNIT_TEXT];
        return error_set(error, ERROR_IMPOSSIBLE,
                         "'%s' takes %s of CPU time, too little to show an effect: give it "
                         "more to do, well over 20 ms%s",
                         need->arguments[0], duration_format(first.cpu_s, text),
                         state->in_at < 0 && !isatty(STDIN_FILENO)
                             ? " (it runs many times, so its standard input is empty unless it is "
                               "a file)"
                             : "");
    }
    if (code == 0)
        code = os_affinity(&state->affinity, error);
    if (code == 0)
        code = os_set_affinity(&state->program, error);
    if (code == 0)
        code = state->ran ? run_program(need, &nothing, &second, error) : 0;
    need->run_s = (state->ran ? 1.1 * second.wall_s : need->every_s) + around_run_s;
    state->used_cpus = state->ran ? first.cpu_s / first.wall_s : 0;
    state->parallel = state->used_cpus > 1.25; /* one that is not parallel uses one CPU */
    return code;
}

static double block_s(const struct need *need)
{
    const bool known = need->state->traffic_most > 0 && !(need->every_s > 0);
    return 2 * (double)need->condition_count * need->run_s + (known ? NEED_KNOWN * known_s : 0);
}

static int plan(struct need *need, struct error *error)
{
    struct need_state *state = need->state;
    const struct cache_facts *cache = cache_of_cpu(&need->machine->facts, 3, state->program.ids[0]);
    state->cache_bytes = cache ? cache->size_bytes : cache_assumed;
    int code = pressure_open(&state->pressure, need->machine, state->pressers.ids,
                             state->pressers.count, need->stop, error);
    if (code == 0)
        code = meet_program(need, error);
    if (code == 0)
        code = pressure_map(&state->pressure, state->cache_bytes, state->holds,
                            (uint64_t)(hold_most * (double)state->cache_bytes), error);
    if (code == 0)
        code = arena_map(&state->memory[0], HUGE_PAGE, PAGES_AUTO, -1, error);
    if (code == 0 && state->far_node >= 0)
        state->unbound =
            arena_map(&state->memory[1], HUGE_PAGE, PAGES_AUTO, state->far_node, NULL) < 0;
    for (int far = 0; far < 2 && code == 0; far++)
        arena_touch_part(&state->memory[far], 0, HUGE_PAGE);
    if (code == 0)
        code = choose_conditions(need, true, error);
    if (code == 0 && NEED_BLOCKS_LEAST * block_s(need) > need->budget_s - elapsed_s(need))
        code = choose_conditions(need, false, error);
    if (code < 0)
        return code;
    const double left_s = need->budget_s - elapsed_s(need),
                 least_s = NEED_BLOCKS_LEAST * block_s(need),
                 all_s = ceil(elapsed_s(need) + 1.1 * least_s);
    if (!need->condition_count)
        return error_set(error, ERROR_IMPOSSIBLE, "nothing can be taken away here: %s",
                         state->not_measured);
    char once[UNIT_TEXT];
    if (least_s > left_s)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "to measure '%s' once takes %s, and %zu times are needed at least: give "
                         "it %.0f s (--budget %.0f), less to do, or a shorter --every",
                         need->arguments[0], duration_format(need->run_s, once),
                         2 * NEED_BLOCKS_LEAST * need->condition_count, all_s, all_s);
    need->blocks = (unsigned)fmin(left_s / block_s(need), NEED_BLOCKS_MOST);
    return need->every_s > 0 ? begin_long_run(need, error) : 0;
}

/* --- the document --- */

struct describing {
    struct need *need;
    double values[NEED_BLOCKS_MOST * NEED_CONDITIONS + 1];
    size_t count;
};

static struct series *add_series(struct describing *d, const char *name, enum need_taken taken,
                                 const char *y, const char *unit)
{
    struct probe_result *result = d->need->state->result;
    struct pool *pool = &d->need->document->pool;
    struct series *series =
        pool_append(pool, (void **)&result->series, &result->series_count, sizeof *series);
    *series = (struct series){
        .name = name, .headline = name == need_name, .x = {"taken", "%"}, .y = {y, unit}};
    struct factor *factor =
        pool_append(pool, (void **)&series->factors, &series->factor_count, sizeof *factor);
    *factor = (struct factor){.name = "taken", .text = need_taken_names[taken], .number = NAN};
    return series;
}

static void add_value(struct describing *d, double value)
{
    if (isfinite(value))
        d->values[d->count++] = value;
}

/* The values so far are a point at `x`; points stay in the order of x. */
static void add_point(struct describing *d, struct series *series, double x)
{
    if (d->count) {
        struct point *point = pool_append(&d->need->document->pool, (void **)&series->points,
                                          &series->point_count, sizeof *point);
        *point = point_bare();
        point->x = x;
        summarize(d->values, d->count, d->values, &point->y);
        qsort(series->points, series->point_count, sizeof *point, point_by_x);
    }
    d->count = 0;
}

/* What a run with something taken away tells: its time, and loads just before it, over those of the
 * runs alone before and after it; how much was taken; what the holders hold without it; and what
 * the program moves alone. */
enum told { TIME, LOADS, MOVES, HELD, TRAFFIC, ROOM };
static const struct {
    const char *name, *y, *unit;
} told_series[] = {[TIME] = {need_name, "time", ""},  [LOADS] = {need_loads, "time", ""},
                   [HELD] = {"held", "held", "B"},    [TRAFFIC] = {"traffic", "traffic", "B/s"},
                   [ROOM] = {need_room, "held", "B"}, [MOVES] = {need_moves, "traffic", "B/s"}};

/* The known traffic beside which the others' would be what it was beside the program, by a line of
 * least squares with one slope in all blocks. What a block adds to that is its pseudo-value of the
 * jackknife (Tukey 1958), whose scatter has the slope's in it. NAN: others lose nothing to known
 * traffic. */
static double moved_by(const struct need_state *state, size_t c, size_t block)
{
    double known = 0, without = NAN, missing = 0, both = 0, square = 0;
    for (size_t i = 1; i <= NEED_BLOCKS_MOST; i++) {
        const size_t b = (block + i) % NEED_BLOCKS_MOST; /* the block in question comes last */
        const struct need_seen *seen = &state->taken[c][b];
        if (!state->after[c][b])
            continue;
        double own = 0, others = 0;
        without = missing * square / both;
        for (int k = 0; k < NEED_KNOWN; k++) {
            own += seen->known[k].own / NEED_KNOWN;
            others += seen->known[k].traffic / NEED_KNOWN;
            both += seen->known[k].own * seen->known[k].traffic;
            square += pow(seen->known[k].own, 2);
        }
        both -= NEED_KNOWN * own * others;
        square -= NEED_KNOWN * pow(own, 2);
        missing += seen->pressed.traffic - others;
        known = own;
    }
    return both < 0 ? known + missing * square / both - without : NAN;
}

/* NAN: nothing yet. */
static double told_by(const struct need_state *state, enum told told, size_t c, size_t block)
{
    const size_t after = state->after[c][block];
    if (!after || (after >= state->alone_count && told <= MOVES))
        return NAN;
    const struct need_seen *taken = &state->taken[c][block], *alone = &state->alone[after];
    const double all[] = {[TIME] = taken->cpu_s / sqrt(alone[-1].cpu_s * alone->cpu_s),
                          [LOADS] =
                              taken->load_ticks / sqrt(alone[-1].load_ticks * alone->load_ticks),
                          [HELD] = taken->pressed.held,
                          [TRAFFIC] = taken->pressed.traffic,
                          [ROOM] = taken->room > 0 ? taken->room : NAN,
                          [MOVES] = moved_by(state, c, block)};
    return all[told] * (told == MOVES ? all[TIME] : 1);
}

/* The share of the most that was really taken, in percent. */
static double percent_of(struct describing *d, const struct need_condition *condition)
{
    const struct need_state *state = d->need->state;
    const bool held = condition->taken == NEED_L3;
    const double most = held ? (double)state->cache_bytes : state->traffic_most;
    for (size_t b = 0; b < NEED_BLOCKS_MOST; b++)
        add_value(
            d, told_by(state, held ? HELD : TRAFFIC, (size_t)(condition - d->need->conditions), b));
    const double amount = median_of(d->values, d->count);
    d->count = 0;
    return 100 * (amount >= 0 && most > 0 ? amount / most : condition->share);
}

/* Times where all is taken are over those where nothing is, which stand before them. Rooms, loads
 * and what the program moves are of all that can be taken. */
static void describe_taken(struct describing *d, enum told told, enum need_taken taken)
{
    const struct need *need = d->need;
    struct series *series =
        add_series(d, told_series[told].name, taken, told_series[told].y, told_series[told].unit);
    size_t none = NEED_CONDITIONS;
    for (size_t c = 0; c < need->condition_count; c++) {
        const struct need_condition *condition = &need->conditions[c];
        if (condition->taken != taken || (told == LOADS && condition->share < 1))
            continue;
        if (!(condition->share > 0)) {
            none = c;
            continue;
        }
        const bool of_all = told == LOADS || told == MOVES || told == ROOM;
        const double x = of_all ? 100 : percent_of(d, condition);
        for (size_t b = 0; b < NEED_BLOCKS_MOST; b++)
            add_value(d, told_by(need->state, told, c, b) /
                             (none < c ? told_by(need->state, told, none, b) : 1));
        add_point(d, series, x);
    }
    if (!series->point_count)
        need->state->result->series_count--;
}

static int describe(void *with)
{
    struct describing *d = with;
    const struct need *need = d->need;
    const struct need_state *state = need->state;
    state->result->series = NULL;
    state->result->series_count = 0;
    describe_taken(d, TIME, NEED_L3);
    describe_taken(d, HELD, NEED_L3);
    describe_taken(d, TIME, NEED_TRAFFIC);
    describe_taken(d, TRAFFIC, NEED_TRAFFIC);
    describe_taken(d, ROOM, NEED_L3);
    for (enum need_taken taken = NEED_PAGES; taken < NEED_TAKEN; taken++)
        describe_taken(d, TIME, taken);
    describe_taken(d, MOVES, NEED_TRAFFIC);
    describe_taken(d, LOADS, NEED_TRAFFIC);
    describe_taken(d, LOADS, NEED_NEAR);
    for (size_t i = 0; i < state->alone_count; i++)
        add_value(d, state->alone[i].cpu_s);
    add_point(d, add_series(d, "alone", NEED_NOTHING, "time", "s"), 0);
    for (size_t i = 1; i + 1 < state->alone_count; i++)
        add_value(d, state->alone[i].cpu_s /
                         sqrt(state->alone[i - 1].cpu_s * state->alone[i + 1].cpu_s));
    add_point(d, add_series(d, need_name, NEED_NOTHING, "time", ""), 0);
    return 0;
}

static void note(struct need *need, const char *name, const char *text, double number)
{
    struct probe_result *result = need->state->result;
    struct factor *factor = pool_append(&need->document->pool, (void **)&result->parameters,
                                        &result->parameter_count, sizeof *factor);
    *factor = (struct factor){.name = name, .text = text, .number = number};
}

/* A step of the document's pool. */
static int begin_result(void *with)
{
    struct need *need = with;
    struct need_state *state = need->state;
    struct pool *pool = &need->document->pool;
    state->result =
        document_add_probe(need->document, pool, need_name, "What a program needs of memory");
    state->result->about =
        "The program is run again and again, alone and with something taken away: the shared "
        "cache, which others hold, memory's bandwidth, which others use, huge pages, own cores or "
        "near memory. Its CPU time is a ratio to that of the runs alone just before and after. "
        "With --every these are parts of one run, and the time that of a unit of progress.";
    note(need, "program", pool_strdup(pool, path_name(need->arguments[0])), NAN);
    note(need, "cpus", cpulist_pooled(pool, &state->program), NAN);
    if (state->pressers.count)
        note(need, "pressure_cpus", cpulist_pooled(pool, &state->pressers), NAN);
    if (need->every_s > 0)
        note(need, need_every, NULL, need->every_s);
    if (state->used_cpus > 0) {
        note(need, "used_cpus", NULL, state->used_cpus);
        note(need, "given_cpus", NULL, (double)state->program.count);
    }
    if (state->not_measured && *state->not_measured)
        note(need, parameter_not_measured, state->not_measured, NAN);
    return 0;
}

/* All that is known so far: the series, and the findings that follow from them. */
static int sum_up(struct need *need, struct error *error)
{
    struct document *document = need->document;
    struct describing describing = {.need = need};
    struct analysis analysis = {need->state->result, document,   &document->machine,
                                &document->pool,     need->here, need->there};
    need->state->result->elapsed_s = document->run.elapsed_s = elapsed_s(need);
    int code = pool_enter(&document->pool, describe, &describing, error);
    if (code == 0)
        code = analysis_run(&analysis, need_analyse, error);
    if (code == 0)
        code = verdict_note(document, error);
    return code == 0 && need->save ? need->save(need->argument, document, error) : code;
}

/* --- measuring --- */

static int run_alone(struct need *need, struct error *error)
{
    struct need_state *state = need->state;
    const int code =
        need->once(need, &(struct need_condition){0}, &state->alone[state->alone_count], error);
    state->alone_count += code == 0;
    return code;
}

static int measure_block(struct need *need, struct random *random, unsigned block,
                         struct error *error)
{
    size_t order[NEED_CONDITIONS];
    const size_t count = need->condition_count;
    for (size_t i = 0; i < count; i++) {
        const size_t k = (size_t)random_below(random, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        struct need_state *state = need->state;
        const size_t c = order[i];
        code = need->once(need, &need->conditions[c], &state->taken[c][block], error);
        state->after[c][block] = code == 0 ? state->alone_count : 0;
        if (code == 0)
            code = run_alone(need, error);
        const double done =
            ((double)block + (double)(i + 1) / (double)count) / (double)need->blocks;
        if (need->progress)
            need->progress(need->argument, done, block_s(need) * need->blocks * (1 - done));
    }
    return code;
}

int need_measure(struct need *need, struct error *error)
{
    struct need_state *state = need->state = calloc(1, sizeof *need->state);
    if (!state)
        return error_out_of_memory(error);
    state->nothing = -1;
    state->began_ns = os_raw_ns();
    state->far_node = -1;
    const bool modelled = state->parallel = need->once != NULL;
    struct random random = {need->seed};
    int code = modelled ? 0 : find_program(need, error);
    if (code == 0)
        code = choose_cpus(need, error);
    if (!modelled)
        need->once = need->every_s > 0 ? run_part : run_program;
    if (code == 0 && !(need->every_s > 0))
        find_nodes(state, need->machine);
    if (code == 0)
        code = modelled ? choose_places(need, error) : plan(need, error);
    if (code == 0 && need->planned)
        need->planned(need->argument, need);
    if (code == 0)
        code = pool_enter(&need->document->pool, begin_result, need, error);
    if (code == 0)
        code = run_alone(need, error);
    for (unsigned block = 0; block < need->blocks && code == 0; block++) {
        if (block >= NEED_BLOCKS_LEAST && elapsed_s(need) + block_s(need) > need->budget_s)
            break;
        code = measure_block(need, &random, block, error);
        /* A program that ends by itself has told enough by then, or not. */
        if (code < 0 && state->ended && block >= NEED_BLOCKS_LEAST) {
            code = 0;
            need->blocks = block;
        }
        need->document->run.complete = code == 0 && block + 1 >= NEED_BLOCKS_LEAST;
        struct error why = {0};
        const int summed = sum_up(need, code == 0 ? error : &why);
        code = code == 0 ? summed : code;
    }
    end_program(&state->child, &(struct child_end){0});
    progress_close(&state->progress);
    pressure_close(&state->pressure);
    if (state->affinity.count)
        os_set_affinity(&state->affinity, NULL);
    cpulist_free(&state->affinity);
    cpulist_free(&state->program);
    cpulist_free(&state->pressers);
    cpulist_free(&state->together);
    cpulist_free(&state->apart);
    for (int far = 0; far < 2; far++)
        arena_unmap(&state->memory[far]);
    close(state->nothing);
    free(state);
    need->state = NULL;
    return code;
}
