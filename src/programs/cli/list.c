#include "conclude/registry/registry.h"
#include "document/flag.h"
#include "measure/probes/kit/probe.h"
#include "programs/cli/options.h"
#include "programs/cli/words.h"

static void list_probes(void)
{
    puts("Probes");
    for (size_t i = 0; probes[i]; i++) {
        help_wrapped(stdout, 15, printf("  %s", probes[i]->name), probes[i]->help->summary);
        if (probes[i]->needs & NEEDS_TWO_CPUS)
            help_wrapped(stdout, 15, 0, "(needs two CPUs)");
        if (!(probes[i]->weight > 0))
            help_wrapped(stdout, 15, 0,
                         probes[i]->thorough ? "(only when named, or with --thorough)"
                                             : "(only when named)");
    }
}

static void list_flags(void)
{
    puts("Flags: what a mark beside a number means, and what helps");
    for (int i = 0; i < FLAG_COUNT; i++) {
        int column = printf("  %s %s", flag_texts[i].doubt ? "!" : "-", flag_texts[i].name);
        help_wrapped(stdout, 22, column, flag_texts[i].meaning);
        if (flag_texts[i].why)
            help_wrapped(stdout, 22, 0, flag_texts[i].why);
        help_wrapped(stdout, 22, 0, flag_texts[i].remedy);
    }
    puts("\nA flag with ! on a headline value makes the exit status 4, as a probe that failed "
         "does.");
}

static void list_findings(void)
{
    const char *probe;
    const struct finding_table *table;
    puts("Findings: what each named value means, what changes it, and what to do with it");
    for (size_t i = 0; (table = finding_table_at(i, &probe)); i++)
        for (const struct finding_line *line = table->lines; line && line->patterns; line++) {
            if (line == table->lines)
                printf("\nof the probe %s\n", probe);
            help_finding_name(stdout, line);
            help_wrapped(stdout, 6, 0, line->meaning);
            if (line->moves)
                help_wrapped(stdout, 6, 0, line->moves);
            help_wrapped(stdout, 6, 0, line->advice);
        }
    puts("\n<n> stands for a number, * for a part of a name: a page size, an operation.");
}

static int list(struct invocation *invocation, struct error *error)
{
    static void (*const topics[])(void) = {list_probes, list_flags, list_findings};
    if (invocation->operand_count == 0) {
        list_probes();
        puts("");
        list_flags();
        puts("'fathom list findings' explains every finding.");
        return EXIT_DONE;
    }
    topics[words_place(words_of(invocation->command), invocation->operands[0])]();
    return EXIT_DONE;
}

#include "list.help.h"

const struct command list_command = {
    .name = "list",
    .help = &help,
    .run = list,
};
