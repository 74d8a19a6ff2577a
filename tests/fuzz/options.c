/* Whatever is typed behind a command, one word a line, the option table takes or refuses it. */
#include "programs/cli/options.h"
#include "fuzz.h"
#include "programs/cli/command.h"
#include "programs/cli/words.h"

#include <unistd.h>

enum { WORDS = 32 };

static void parse(int count, char **words)
{
    struct error error = {0};
    struct invocation invocation = {.argc = count, .argv = words};
    invocation.command = command_by_name(words[1], &invocation.probe);
    if (!invocation.command)
        return;
    int code = options_parse(&invocation, count - 1, words + 1, &error);
    if (code == 0)
        code = words_check(&invocation, &error);
    if (code < 0)
        fuzz_check_error(code, &error);
    settings_free(&invocation.settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), *rest = text, *word;
    char *words[WORDS + 1] = {"fathom"};
    int count = 1;
    const bool dear = fuzz_is_dear(text);
    while (count < WORDS && (word = strsep(&rest, "\n")))
        words[count++] = word;
    words[count] = NULL;
    if (count > 1 && !dear)
        parse(count, words);
    free(text);
    return 0;
}
