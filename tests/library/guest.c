/*
 * The library as a guest of another program: it knows include/fathom.h and nothing else. What a
 * program has (threads, files, signals, affinity, environment, locale) is the same after each call
 * as before, whatever the call came to.
 */
#include <dirent.h>
#include <errno.h>
#include <fathom.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#endif

extern char **environ;

/* --- what a program has --- */

struct belongings {
    size_t threads, files, variables;
    struct sigaction actions[65];
    sigset_t blocked;
    cpu_set_t cpus;
    locale_t locale;
    char names[256];
};

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void look(struct belongings *has)
{
    memset(has, 0, sizeof *has);
    has->threads = count_entries("/proc/self/task");
    has->files = count_entries("/proc/self/fd");
    while (environ[has->variables])
        has->variables++;
    for (int number = 1; number <= 64; number++)
        sigaction(number, NULL, &has->actions[number]);
    pthread_sigmask(SIG_SETMASK, NULL, &has->blocked);
    sched_getaffinity(0, sizeof has->cpus, &has->cpus);
    has->locale = uselocale((locale_t)0);
    snprintf(has->names, sizeof has->names, "%s", setlocale(LC_ALL, NULL));
}

/* Whoever calls sigaction(), to look or to put back, gets this flag of glibc's own. */
enum { restorer = 0x04000000 };

static void assert_nothing_left(const struct belongings *before)
{
    struct belongings now;
    /* A thread that was joined may stand in /proc for another moment. */
    for (int i = 0; i < 2000 && count_entries("/proc/self/task") > before->threads; i++)
        usleep(1000);
    look(&now);
    assert_true(now.threads <= before->threads); /* `before` may have had a joined one, too */
    assert_int_equal(now.files, before->files);
    assert_int_equal(now.variables, before->variables);
    for (int number = 1; number <= 64; number++) {
        assert_ptr_equal(now.actions[number].sa_handler, before->actions[number].sa_handler);
        assert_int_equal(now.actions[number].sa_flags & ~restorer,
                         before->actions[number].sa_flags & ~restorer);
    }
    assert_memory_equal(&now.blocked, &before->blocked, sizeof now.blocked);
    assert_memory_equal(&now.cpus, &before->cpus, sizeof now.cpus);
    assert_ptr_equal(now.locale, before->locale);
    assert_string_equal(now.names, before->names);
}

/* --- handles --- */

static const char *cache; /* a folder of this test's own */

static struct fathom *open_own(const char *folder)
{
    const struct fathom_options options = {.size = sizeof options, .cache_folder = folder};
    struct fathom_error error;
    struct fathom *fathom = fathom_open(&options, &error);
    assert_non_null(fathom);
    assert_int_equal(error.code, 0);
    return fathom;
}

static const char *const quick[] = {"quick", NULL};
static const char *const latency[] = {"latency", NULL};

static struct fathom_plan plan_latency(void)
{
    return (struct fathom_plan){
        .size = sizeof(struct fathom_plan), .probes = latency, .settings = quick, .budget_ms = 300};
}

/* --- the tests --- */

static void measure_all(struct fathom *fathom)
{
    struct fathom_error error = {0};
    struct fathom_document *document = NULL;
    const struct fathom_plan plan = plan_latency();
    char *text = NULL;
    assert_int_equal(fathom_run(fathom, &plan, &document, &error), 0);
    assert_string_equal(error.text, "");
    assert_int_equal(fathom_render(document, "csv", &text, &error), 0);
    assert_true(strlen(text) > 100);
    fathom_free(text);
    fathom_document_free(document);
}

static void leaves_nothing_behind(void **state)
{
    struct belongings before;
    look(&before);
    struct fathom *fathom = open_own("");
    errno = 77;
    measure_all(fathom);
    struct fathom_level levels[8] = {{.size = sizeof levels[0]}};
    struct fathom_error error;
    const int count = fathom_levels(fathom, levels, 8, 500, &error);
    assert_true(count > 0 || count == FATHOM_IMPOSSIBLE);
    assert_int_equal(errno, 77);
    fathom_close(fathom);
    assert_nothing_left(&before);
}

static void *in_a_thread(void *argument)
{
    leaves_nothing_behind(argument);
    return NULL;
}

static void serves_any_thread(void **state)
{
    struct belongings before;
    pthread_t thread;
    look(&before);
    assert_int_equal(pthread_create(&thread, NULL, in_a_thread, state), 0);
    pthread_join(thread, NULL);
    assert_nothing_left(&before);
}

static volatile sig_atomic_t heard;

static void hear(int number)
{
    heard++;
}

static int raise_urgent(void *argument, const char *probe, double done, double left_s)
{
    (*(int *)argument)++;
    raise(SIGURG);
    return 0;
}

static void passes_on_signals_that_are_not_for_it(void **state)
{
    int raised = 0;
    struct sigaction before, action = {.sa_handler = hear};
    struct fathom_plan plan = plan_latency();
    struct fathom_document *document = NULL;
    sigaction(SIGURG, &action, &before);
    plan.progress = raise_urgent;
    plan.argument = &raised;
    heard = 0;
    struct fathom *fathom = open_own("");
    assert_int_equal(fathom_run(fathom, &plan, &document, NULL), 0);
    assert_true(raised > 0);
    assert_int_equal(heard, raised);
    raise(SIGURG);
    assert_int_equal(heard, raised + 1);
    fathom_document_free(document);
    fathom_close(fathom);
    sigaction(SIGURG, &before, NULL);
}

static int measure_inside(void *argument, const char *probe, double done, double left_s)
{
    struct fathom *other = argument;
    struct fathom_document *document = NULL;
    struct fathom_error error;
    const struct fathom_plan plan = plan_latency();
    assert_int_equal(fathom_run(other, &plan, &document, &error), FATHOM_BUSY);
    assert_non_null(strstr(error.text, "another thread"));
    assert_null(document);
    /* A question waits for its time and then says what is declared, and why. */
    struct fathom_level level = {.size = sizeof level};
    const int count = fathom_levels(other, &level, 1, 120, &error);
    assert_true(count == FATHOM_IMPOSSIBLE || level.source == FATHOM_DECLARED);
    assert_true(*error.text != '\0');
    double ns; /* FATHOM_USAGE where these are not two CPUs of this thread */
    if (fathom_distance(other, 0, 1, &ns, 120, &error) == FATHOM_IMPOSSIBLE) {
        assert_non_null(strstr(error.text, "apart: another measurement of this program used up"));
        assert_null(strstr(strchr(error.text, ':'), "apart"));
    }
    return 1;
}

static void one_call_measures_at_a_time_and_may_be_cancelled(void **state)
{
    struct fathom *fathom = open_own(""), *other = open_own("");
    struct fathom_plan plan = plan_latency();
    struct fathom_document *document = NULL;
    struct fathom_error error;
    plan.progress = measure_inside;
    plan.argument = other;
    plan.budget_ms = 60000;
    assert_int_equal(fathom_run(fathom, &plan, &document, &error), FATHOM_CANCELLED);
    assert_non_null(document);
    fathom_document_free(document);
    /* It is over: the next one may. */
    measure_all(other);
    fathom_close(fathom);
    fathom_close(other);
}

static int fork_once(void *argument, const char *probe, double done, double left_s)
{
    int *status = argument;
    if (*status >= 0)
        return 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct fathom *own = open_own("");
        struct fathom_document *document = NULL;
        const struct fathom_plan plan = plan_latency();
        const int code = fathom_run(own, &plan, &document, NULL);
        _exit(code == 0 && document ? 0 : 1);
    }
    assert_int_equal(waitpid(child, status, 0), child);
    return 0;
}

static void a_child_opens_its_own(void **state)
{
    struct fathom *fathom = open_own("");
    struct fathom_plan plan = plan_latency();
    struct fathom_document *document = NULL;
    int status = -1;
#ifdef UNDER_TSAN
    print_message("skipped: the thread sanitizer starts no threads in a child\n");
    fathom_close(fathom);
    skip();
#endif
    plan.progress = fork_once;
    plan.argument = &status;
    plan.budget_ms = 1000;
    assert_int_equal(fathom_run(fathom, &plan, &document, NULL), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    fathom_document_free(document);
    const pid_t child = fork();
    if (child == 0) {
        struct fathom_error error;
        size_t bytes;
        const int code = fathom_padding(fathom, &bytes, 0, &error);
        _exit(code == FATHOM_USAGE && strstr(error.text, "fork") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    fathom_close(fathom);
}

static atomic_int reading;

static void *read_the_machine(void *argument)
{
    while (atomic_load(&reading)) {
        struct fathom *fathom = open_own(argument);
        struct fathom_level level = {.size = sizeof level};
        fathom_levels(fathom, &level, 1, 0, NULL);
        fathom_close(fathom);
    }
    return NULL;
}

/* hwloc has a lock of its own, which these threads hold at most times. */
static void a_child_reads_the_machine_while_others_did(void **state)
{
    enum { THREADS = 8, CHILDREN = 40, AT_MOST_S = 60 };
    const char *each = getenv("FATHOM_EACH"); /* one of so many, where it was tested before */
    const int children = CHILDREN / (each && atoi(each) > 1 ? atoi(each) : 1);
    pthread_t threads[THREADS];
#if defined UNDER_TSAN || defined __SANITIZE_ADDRESS__
    print_message("skipped: a sanitizer's own locks stay held in a child of several threads\n");
    skip();
#endif
    atomic_store(&reading, 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_the_machine, ""), 0);
    for (int i = 0; i < children; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(AT_MOST_S);
            struct fathom *own = open_own("");
            struct fathom_level level = {.size = sizeof level};
            fathom_levels(own, &level, 1, 0, NULL);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
    }
    atomic_store(&reading, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Declared only where the time was too short, as the line then says. */
static void answers_from_the_cache_the_second_time(void **state)
{
    struct fathom *fathom = open_own(cache);
    struct fathom_level first[16] = {{.size = sizeof first[0]}},
                        second[16] = {{.size = sizeof second[0]}};
    struct fathom_error error;
    int count = fathom_levels(fathom, first, 16, 0, &error);
    if (count > 0)
        assert_int_equal(first[0].source, FATHOM_DECLARED);
    else
        assert_int_equal(count, FATHOM_IMPOSSIBLE);
    count = fathom_levels(fathom, first, 16, 1500, &error);
    if (count < 0 || first[0].source == FATHOM_DECLARED) {
        assert_true(*error.text != '\0');
        fathom_close(fathom);
        skip();
    }
    assert_int_equal(first[0].source, FATHOM_MEASURED);
    assert_string_equal(error.text, "");
    assert_int_equal(first[0].level, 1);
    assert_true(first[0].latency_ns > 0);
    const int again = fathom_levels(fathom, second, 16, 0, &error);
    assert_int_equal(again, count);
    for (int i = 0; i < count && i < 16; i++) {
        assert_int_equal(second[i].source, FATHOM_CACHED);
        assert_int_equal(second[i].level, first[i].level);
        assert_int_equal(second[i].capacity_bytes, first[i].capacity_bytes);
        assert_int_equal(second[i].declared_bytes, first[i].declared_bytes);
        assert_true(i + 1 == count || second[i].latency_ns <= second[i + 1].latency_ns);
    }
    fathom_close(fathom);
    /* A program that knows an earlier, smaller struct gets what it has room for. */
    struct {
        size_t size;
        unsigned level;
        int source;
        uint64_t capacity_bytes, untouched;
    } small[2] = {{.size = sizeof(size_t) + 16, .untouched = 7}};
    fathom = open_own(cache);
    assert_int_equal(fathom_levels(fathom, (struct fathom_level *)small, 1, 0, NULL), count);
    assert_int_equal(small[0].capacity_bytes, first[0].capacity_bytes);
    assert_int_equal(small[0].untouched, 7);
    fathom_close(fathom);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* The path of the first file of the cache whose name has the text; "" where there is none. */
static void find_in_cache(char path[512], const char *text)
{
    DIR *folder = opendir(cache);
    path[0] = '\0';
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strstr(entry->d_name, text) && entry->d_name[0] != '.')
            snprintf(path, 512, "%s/%s", cache, entry->d_name);
    if (folder)
        closedir(folder);
}

/* Another process that measures, as far as the cache knows. */
static int hold_the_lock(void)
{
    char path[512];
    find_in_cache(path, ".lock");
    const int lock = *path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (lock < 0)
        skip();
    assert_int_equal(flock(lock, LOCK_EX), 0);
    return lock;
}

struct asked {
    struct fathom *fathom;
    unsigned budget_ms;
    int code, source;
    atomic_bool done;
};

static void *ask_levels(void *argument)
{
    struct asked *asked = argument;
    struct fathom_level level = {.size = sizeof level};
    asked->code = fathom_levels(asked->fathom, &level, 1, asked->budget_ms, NULL);
    asked->source = asked->code > 0 ? level.source : 0;
    atomic_store(&asked->done, true);
    return NULL;
}

static struct fathom *open_anew(void)
{
    const struct fathom_options options = {
        .size = sizeof options, .cache_folder = cache, .measure_anew = 1};
    struct fathom *fathom = fathom_open(&options, NULL);
    assert_non_null(fathom);
    return fathom;
}

static void is_cancelled_while_another_process_measures(void **state)
{
    pthread_t thread;
    const int lock = hold_the_lock();
    struct asked asked = {.fathom = open_anew(), .budget_ms = 60000};
    assert_int_equal(pthread_create(&thread, NULL, ask_levels, &asked), 0);
    while (!atomic_load(&asked.done)) { /* what comes before the call has begun does nothing */
        fathom_cancel(asked.fathom);
        usleep(1000);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(asked.code, FATHOM_CANCELLED);
    fathom_close(asked.fathom);
    close(lock);
}

static void measures_anew_after_it_waited(void **state)
{
    pthread_t thread;
    const int lock = hold_the_lock();
    struct asked asked = {.fathom = open_anew(), .budget_ms = 1000};
    assert_int_equal(pthread_create(&thread, NULL, ask_levels, &asked), 0);
    usleep(100000);
    close(lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_not_equal(asked.source, FATHOM_CACHED);
    fathom_close(asked.fathom);
}

static void another_users_answer_is_none(void **state)
{
    char path[512];
    find_in_cache(path, "levels-");
    if (!*path || geteuid() != 0)
        skip();
    struct asked asked = {.fathom = open_own(cache)};
    ask_levels(&asked);
    assert_int_equal(asked.source, FATHOM_CACHED);
    if (chown(path, 12345, 12345) < 0) {
        fathom_close(asked.fathom);
        skip();
    }
    ask_levels(&asked);
    assert_int_not_equal(asked.source, FATHOM_CACHED);
    assert_int_equal(chown(path, 0, 0), 0);
    fathom_close(asked.fathom);
}

/* The text with a 9 before each median's digits. */
static char *with_larger_medians(const char *text)
{
    static const char key[] = "\"median\":";
    char *larger = calloc(2, strlen(text) + 1), *to = larger;
    for (const char *at = text, *next; *at; at = next) {
        next = strstr(at, key);
        next = next ? next + strlen(key) : at + strlen(at);
        while (*next == ' ')
            next++;
        memcpy(to, at, (size_t)(next - at));
        to += next - at;
        if (*next)
            *to++ = '9';
    }
    return larger;
}

/* In a guest, because only there CPUs move. */
static void a_distance_that_the_host_has_changed_is_measured_again(void **state)
{
    static char text[1 << 20];
    char path[512];
    cpu_set_t set;
    int cpus[2];
    size_t count = 0;
    double ns = 0, before;
    struct fathom_error error;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
        if (CPU_ISSET((size_t)i, &set))
            cpus[count++] = i;
    struct fathom *fathom = open_own(cache);
    if (count < 2 || fathom_distance(fathom, cpus[0], cpus[1], &ns, 5000, &error) < 0) {
        fathom_close(fathom);
        skip();
    }
    find_in_cache(path, "distance-");
    FILE *file = *path ? fopen(path, "r") : NULL;
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    if (!strstr(text, "hypervisor")) {
        fathom_close(fathom);
        skip();
    }
    char *larger = with_larger_medians(text);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(larger, file) >= 0, 1);
    fclose(file);
    free(larger);
    assert_int_equal(fathom_distance(fathom, cpus[0], cpus[1], &before, 0, &error), FATHOM_CACHED);
    assert_true(before > 500);
    assert_non_null(strstr(error.text, "may have moved"));
    assert_int_equal(fathom_distance(fathom, cpus[0], cpus[1], &ns, 5000, &error), FATHOM_MEASURED);
    assert_true(ns < before / 1.5);
    fathom_close(fathom);
}

/* The answer without memory stays what is known where nothing can be measured. */
static void an_answer_without_memory_is_measured_again(void **state)
{
    static char text[1 << 22];
    char path[512], *memory;
    const struct timespec hours_ago[2] = {{time(NULL) - 7200, 0}, {time(NULL) - 7200, 0}};
    find_in_cache(path, "levels-");
    FILE *file = *path ? fopen(path, "r+") : NULL;
    if (!file)
        skip();
    const size_t bytes = fread(text, 1, sizeof text - 1, file);
    while ((memory = strstr(text, "DRAM.")))
        memory[1] = 'X';
    rewind(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, path, hours_ago, 0), 0);
    struct asked asked = {.fathom = open_own(cache)};
    ask_levels(&asked);
    assert_int_equal(asked.source, FATHOM_CACHED);
    const double began = now_ms();
    asked.budget_ms = 500;
    ask_levels(&asked);
    assert_true(now_ms() - began > 20); /* no answer of the cache: one takes 1 to 2 ms */
    fathom_close(asked.fathom);
}

/* What stands in the cache is no answer unless it is a document of this key. */
static void spoils_nothing_by_a_spoilt_cache(void **state)
{
    char path[512];
    struct dirent *entry;
    size_t spoilt = 0;
    DIR *folder = opendir(cache);
    if (!folder)
        skip();
    while ((entry = readdir(folder)))
        if (strncmp(entry->d_name, "levels-", 7) == 0) {
            snprintf(path, sizeof path, "%s/%s", cache, entry->d_name);
            FILE *file = fopen(path, "w");
            assert_non_null(file);
            fputs("{\"schema\": \"fathom/1\", \"probes\": [", file);
            fclose(file);
            spoilt++;
        }
    closedir(folder);
    struct fathom *fathom = open_own(cache);
    struct fathom_level level = {.size = sizeof level};
    const int count = fathom_levels(fathom, &level, 1, 0, NULL);
    assert_true(spoilt == 0 || count == FATHOM_IMPOSSIBLE || level.source == FATHOM_DECLARED);
    fathom_close(fathom);
}

/* A pipe in an answer's place is neither read nor written, which would wait for another program. */
static void waits_for_no_pipe_in_its_cache(void **state)
{
    char path[512];
    struct fathom_error error;
    struct fathom_level level = {.size = sizeof level};
    find_in_cache(path, "levels-");
    if (!*path || unlink(path) < 0 || mkfifo(path, 0600) < 0)
        skip();
    struct fathom *fathom = open_own(cache);
    const int count = fathom_levels(fathom, &level, 1, 1000, &error);
    assert_true(count == FATHOM_IMPOSSIBLE || level.source != FATHOM_CACHED);
    if (count > 0 && level.source == FATHOM_MEASURED)
        assert_non_null(strstr(error.text, "not a regular file"));
    fathom_close(fathom);
    assert_int_equal(unlink(path), 0);
}

/* Time that the process that begins gives to measuring, and the others to waiting for it, and what
 * of theirs the answer itself may take. */
enum { FIRST_MS = 3000, OTHERS_MS = 5500, ANSWER_MS = 1000 };

static void waits_for_another_process_that_measures(void **state)
{
    char folder[256];
    pid_t children[4];
    int measured = 0, cached = 0;
    bool in_time = false;
    snprintf(folder, sizeof folder, "%s/several", cache);
    const double began = now_ms();
    for (int i = 0; i < 4; i++)
        if ((children[i] = fork()) == 0) {
            /* The others come while the first measures, and have the time to wait for it; with
             * twice its time, they would measure again what carries a doubt. */
            for (int k = 0; i > 0 && k < 5000 && access(folder, F_OK) < 0; k++)
                usleep(1000);
            usleep(i > 0 ? 100000 : 0);
            struct fathom *fathom = open_own(folder);
            struct fathom_level level = {.size = sizeof level};
            struct fathom_error error;
            const int count =
                fathom_levels(fathom, &level, 1, i == 0 ? FIRST_MS : OTHERS_MS, &error);
            _exit(count > 0 ? level.source : 0);
        }
    for (int i = 0; i < 4; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        measured += WEXITSTATUS(status) == FATHOM_MEASURED;
        cached += WEXITSTATUS(status) == FATHOM_CACHED;
        if (i == 0)
            in_time = measured == 1 && now_ms() - began < OTHERS_MS - ANSWER_MS;
    }
    assert_true(measured <= 1);
    assert_true(cached == 0 || measured == 1);
    /* Each of the others still had time when the first was done. Where it was not (an emulator),
     * they had to answer without it. */
    if (in_time)
        assert_int_equal(cached, 3);
}

static void refuses_in_words(void **state)
{
    static const char *const nobody[] = {"latencies", NULL};
    static const char *const wrong[][2] = {{"quik"}, {"quick=yes"}, {"cpus"}, {"cpus=9999999"}};
    struct fathom *fathom = open_own("");
    struct fathom_error error;
    struct fathom_document *document = NULL;
    struct fathom_level level = {.size = 0};
    double ns;
    char *text = NULL;
    struct fathom_plan plan = plan_latency();
    plan.probes = nobody;
    assert_int_equal(fathom_run(fathom, &plan, &document, &error), FATHOM_USAGE);
    assert_non_null(strstr(error.text, "latencies"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plan = plan_latency();
        plan.settings = wrong[i];
        assert_int_equal(fathom_run(fathom, &plan, &document, &error), FATHOM_USAGE);
        assert_null(document);
        assert_true(*error.text != '\0');
    }
    assert_int_equal(fathom_levels(fathom, &level, 1, 0, &error), FATHOM_USAGE);
    assert_non_null(strstr(error.text, "size"));
    assert_int_equal(fathom_distance(fathom, 0, 0, &ns, 0, &error), FATHOM_USAGE);
    assert_int_equal(fathom_distance(fathom, 99999, 99998, &ns, 0, &error), FATHOM_USAGE);
    assert_non_null(strstr(error.text, "99999"));
    assert_int_equal(fathom_padding(NULL, NULL, 0, &error), FATHOM_USAGE);
    assert_int_equal(fathom_read("/nowhere/at/all.json", &document, &error), FATHOM_USAGE);
    assert_non_null(strstr(error.text, "/nowhere/at/all.json"));
    assert_null(document);
    assert_int_equal(fathom_render(NULL, "text", &text, &error), FATHOM_USAGE);
    fathom_document_free(NULL);
    fathom_close(NULL);
    fathom_free(NULL);
    fathom_close(fathom);
}

static void documents_go_to_a_file_and_back(void **state)
{
    char path[512];
    struct fathom *fathom = open_own("");
    struct fathom_document *document = NULL, *again = NULL;
    struct fathom_comparison comparison = {.size = sizeof comparison};
    struct fathom_error error;
    const struct fathom_plan plan = plan_latency();
    char *text = NULL;
    snprintf(path, sizeof path, "%s.json", cache);
    assert_int_equal(fathom_run(fathom, &plan, &document, &error), 0);
    assert_int_equal(fathom_write(document, path, &error), 0);
    assert_int_equal(fathom_read(path, &again, &error), 0);
    assert_int_equal(fathom_analyse(again, &error), 0);
    assert_int_equal(fathom_render(again, "nothing", &text, &error), FATHOM_USAGE);
    assert_non_null(strstr(error.text, "openmetrics"));
    assert_int_equal(fathom_compare(document, again, 0.03, &comparison, "json", &text, &error), 0);
    assert_int_equal(comparison.changed, 0);
    assert_non_null(strstr(text, "tolerance"));
    fathom_free(text);
    struct fathom_series series = {.size = sizeof series};
    struct fathom_value value = {.size = sizeof value};
    size_t points = 0;
    for (size_t i = 0; fathom_series_at(again, i, &series) == 0; i++) {
        struct fathom_point *list = calloc(series.points + 1, sizeof *list);
        list[0].size = sizeof *list;
        assert_string_equal(series.probe, "latency");
        assert_int_equal(fathom_points(again, i, list, series.points + 1), series.points);
        for (size_t k = 0; k < series.points; k++)
            points += list[k].trials > 0 && list[k].median > 0;
        free(list);
    }
    assert_true(points > 0);
    size_t findings = 0;
    while (fathom_finding_at(again, findings, &value) == 0) {
        struct fathom_value named = {.size = sizeof named};
        assert_int_equal(fathom_finding(again, value.name, &named), 0);
        findings++;
    }
    assert_int_equal(fathom_finding(again, "no.such.finding", &value), FATHOM_USAGE);
    struct fathom_advice advice[32] = {{.size = sizeof advice[0]}};
    assert_in_range(fathom_advise(again, advice, 32, &error), 10, 32);
    assert_string_equal(advice[0].name, "block.L1");
    assert_string_equal(advice[0].command, "fathom latency");
    assert_int_equal(fathom_advise(again, NULL, 1, &error), FATHOM_USAGE);
    assert_int_equal(fathom_advise(NULL, advice, 32, &error), FATHOM_USAGE);
    fathom_document_free(document);
    fathom_document_free(again);
    fathom_close(fathom);
    unlink(path);
}

/* In another locale numbers have a comma: the program's own, and never the document's. */
static void locale_is_the_programs_own(void **state)
{
    static const char *const with_comma[] = {"comma", "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE",
                                             "it_IT.UTF-8"};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof with_comma / sizeof *with_comma; i++)
        found = setlocale(LC_ALL, with_comma[i]) != NULL;
    if (!found) {
        print_message("skipped: this system has no locale whose numbers have a comma\n");
        skip();
    }
    leaves_nothing_behind(state);
    struct fathom *fathom = open_own("");
    struct fathom_document *document = NULL;
    const struct fathom_plan plan = plan_latency();
    char *text = NULL, *same = NULL, number[16];
    assert_int_equal(fathom_run(fathom, &plan, &document, NULL), 0);
    assert_int_equal(fathom_render(document, "csv", &text, NULL), 0);
    snprintf(number, sizeof number, "%.1f", 0.5);
    assert_string_equal(number, "0,5");
    setlocale(LC_ALL, "C");
    assert_int_equal(fathom_render(document, "csv", &same, NULL), 0);
    assert_string_equal(text, same);
    fathom_free(text);
    fathom_free(same);
    fathom_document_free(document);
    fathom_close(fathom);
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    /* A sanitizer's own thread begins with the program's first one. */
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0)
        pthread_join(thread, NULL);
    char folder[] = "/tmp/fathom-guest-XXXXXX", command[64];
    cache = mkdtemp(folder);
    if (!cache)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing_behind),
        cmocka_unit_test(serves_any_thread),
        cmocka_unit_test(passes_on_signals_that_are_not_for_it),
        cmocka_unit_test(one_call_measures_at_a_time_and_may_be_cancelled),
        cmocka_unit_test(a_child_opens_its_own),
        cmocka_unit_test(a_child_reads_the_machine_while_others_did),
        cmocka_unit_test(answers_from_the_cache_the_second_time),
        cmocka_unit_test(is_cancelled_while_another_process_measures),
        cmocka_unit_test(measures_anew_after_it_waited),
        cmocka_unit_test(another_users_answer_is_none),
        cmocka_unit_test(a_distance_that_the_host_has_changed_is_measured_again),
        cmocka_unit_test(an_answer_without_memory_is_measured_again),
        cmocka_unit_test(spoils_nothing_by_a_spoilt_cache),
        cmocka_unit_test(waits_for_no_pipe_in_its_cache),
        cmocka_unit_test(waits_for_another_process_that_measures),
        cmocka_unit_test(refuses_in_words),
        cmocka_unit_test(documents_go_to_a_file_and_back),
        cmocka_unit_test(locale_is_the_programs_own),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "guest: %s stays\n", folder);
    return failed;
}
