#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <string.h>

/* The name of a processor without what its maker adds for lawyers, and without its nominal clock.
 */
static void add_model(struct line *line, const char *model)
{
    static const char *const noise[] = {"(R)", "(r)", "(TM)", "(tm)", " CPU", " Processor"};
    char text[CLEAN_TEXT];
    clean_text(model, text, sizeof text);
    char *clock = strstr(text, " @ ");
    if (clock)
        *clock = '\0';
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        for (char *at; (at = strstr(text, noise[i])) != NULL;)
            memmove(at, at + strlen(noise[i]), strlen(at + strlen(noise[i])) + 1);
    line_add(line, "%s", text);
}

void line_add_machine(struct line *line, const struct machine_facts *machine)
{
    char text[CLEAN_TEXT], size[UNIT_TEXT];
    const char *model = machine->cpu_model ? machine->cpu_model : machine->cpu_arch;
    add_model(line, model ? model : "unknown processor");
    if (machine->cores)
        line_add(line, ", %u core%s", machine->cores, machine->cores == 1 ? "" : "s");
    if (machine->threads != machine->cores)
        line_add(line, ", %u threads", machine->threads);
    if (machine->memory_bytes)
        line_add(line, ", %s", size_format((double)machine->memory_bytes, size));
    if (machine->os || machine->kernel)
        line_add(line, ", ");
    line_add_clean(line, machine->os);
    clean_text(machine->kernel, text, sizeof text);
    text[strspn(text, "0123456789.")] = '\0'; /* without what a distribution appends */
    line_add(line, "%s%s", *text && machine->os ? " " : "", text);
    if (machine->hypervisor) {
        line_add(line, ", ");
        line_add_clean(line, machine->hypervisor);
        line_add(line, " guest");
    }
}
