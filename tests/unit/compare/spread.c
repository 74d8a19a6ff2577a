/* Repeated runs of one machine as one, which only measuring makes; baselines are in
 * tests/golden/made.json. */
#include "compare/spread.h"

#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 3 };

/* What half of those that measured it have is kept, or with `any` what one of them has. */
static void runs_add_up(void **state)
{
    for (int odd = 0; odd < RUNS; odd++)
        for (int any = 0; any < 2; any++) {
            struct document runs[RUNS] = {0}, joined = {0};
            struct probe_result probes[RUNS];
            for (int i = 0; i < RUNS; i++) {
                probes[i] = (struct probe_result){.name = "latency"};
                runs[i].probes = &probes[i];
                runs[i].probe_count = 1;
                runs[i].machine.hostname = "sounding";
                runs[i].run = (struct run_facts){.elapsed_s = 1 + i, .complete = i != odd};
                sample_finding(&runs[i], &probes[i], "L1.latency", "cycles", 4 + i, 0.1);
            }
            sample_finding(&runs[odd], &probes[odd], "L2.latency", "cycles", 14, 0.1);
            assert_int_equal(repeats_join(&joined, runs, RUNS, any, NULL), 0);
            assert_true(joined.run.elapsed_s == 6 && !joined.run.complete);
            assert_string_equal(joined.run.joined, "repeat");
            assert_int_equal(joined.run.documents, RUNS);
            assert_string_equal(joined.machine.hostname, "sounding");
            assert_true(document_finding(&joined, "L1.latency")->value == 5);
            assert_true((document_finding(&joined, "L2.latency") != NULL) == any);
            document_free(&joined);
            for (int i = 0; i < RUNS; i++)
                document_free(&runs[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
