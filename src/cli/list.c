#include "cli/options.h"
#include "probes/probe.h"
#include "result/flag.h"

static int list(struct invocation *invocation, struct error *error)
{
    if (invocation->operand_count)
        return error_set(error, ERROR_USAGE, "list takes no operand like '%s': leave it out",
                         invocation->operands[0]);
    puts("Probes");
    for (size_t i = 0; probes[i]; i++) {
        int column = printf("  %s", probes[i]->name);
        help_wrapped(stdout, 12, column, probes[i]->summary);
        if (probes[i]->needs & NEEDS_TWO_CPUS)
            help_wrapped(stdout, 12, 0, "(needs two CPUs)");
    }
    puts("\nFlags: what a mark beside a number means, and what helps");
    for (int i = 0; i < FLAG_COUNT; i++) {
        int column = printf("  %s %s", flag_texts[i].doubt ? "!" : "-", flag_texts[i].name);
        help_wrapped(stdout, 22, column, flag_texts[i].meaning);
        help_wrapped(stdout, 22, 0, flag_texts[i].remedy);
    }
    puts("\nA flag with ! on a headline value makes the exit status 4.");
    return EXIT_DONE;
}

const struct command list_command = {
    .name = "list",
    .summary = "list what can be measured, and what the flags mean",
    .about = "Prints every probe with what it measures, and every flag with its remedy.",
    .run = list,
};
