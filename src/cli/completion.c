#include "cli/words.h"

#include "cli/options.h"

#include <stdio.h>
#include <string.h>

/* Completion scripts, from the tables that the command line is read by. Each script knows the same:
 * what comes first, the options of each, what an option takes, and what the operands are. */

/* What an option's value is completed with. Files are told by the value's name in the help. */
enum value { VALUE_NONE, VALUE_WORDS, VALUE_FILES, VALUE_OTHER };

static enum value value_of(const struct option_spec *option)
{
    if (option->type == OPTION_FLAG)
        return VALUE_NONE;
    if (option->type == OPTION_CHOICE)
        return VALUE_WORDS;
    bool file = strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "BASE") == 0;
    return file ? VALUE_FILES : VALUE_OTHER;
}

/* Within single quotes, where `how` tells how a quote is written there: bash and zsh leave the
 * quotes for it, fish escapes it. A backslash comes before each of `special`. */
static void print_quoted(const char *text, const char *how, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(how, stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text == '\n' ? ' ' : *text);
    }
}

static void print_list(const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        printf("%s%s", i ? " " : "", words[i]);
}

static void print_operand_words(const struct operand_words *words)
{
    for (size_t i = 0; words->word(i); i++)
        printf("%s%s", i ? " " : "", words->word(i));
}

/* --- bash --- */

static void print_bash_options(const struct command *command, const struct probe *probe)
{
    const char *name = command_name(command, probe);
    const struct option_spec *option;
    for (size_t i = 0; (option = command_option(command, probe, i)); i++) {
        enum value value = value_of(option);
        if (value == VALUE_NONE)
            continue;
        printf("    '%s --%s'", name, option->name);
        if (option->letter)
            printf(" | '%s -%c'", name, option->letter);
        printf(") ");
        if (value == VALUE_WORDS) {
            printf("words='");
            print_list(option->choices);
            putchar('\'');
        } else {
            fputs(value == VALUE_FILES ? "files=yes" : ":", stdout);
        }
        puts(" ;;");
    }
    printf("    '%s '*) options='", name);
    for (size_t i = 0; (option = command_option(command, probe, i)); i++)
        printf("%s--%s", i ? " " : "", option->name);
    putchar('\'');
    const struct operand_words *words = words_of(command);
    if (words) {
        printf(" words='");
        print_operand_words(words);
        putchar('\'');
    }
    if (words_then_files(command))
        printf(" files=%s", words ? "then" : "yes");
    if (words && !words_repeat(command))
        printf(" once=yes");
    puts(" ;;");
}

static void complete_bash(void)
{
    const struct probe *probe;
    const struct command *command;
    puts("# Completion of fathom in bash, as 'fathom completion bash' prints it.\n"
         "_fathom()\n"
         "{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local options= words= files= once= word typed i IFS=$' \\t\\n'\n"
         "    COMPREPLY=()\n"
         "    # bash makes three words of --option=value.\n"
         "    if [[ $current == = ]]; then\n"
         "        current=\n"
         "    elif [[ $previous == = ]]; then\n"
         "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi\n"
         "    if ((COMP_CWORD == 1)); then");
    printf("        words='");
    for (size_t i = 0; (command = command_at(i, &probe)); i++)
        printf("%s%s", i ? " " : "", command_name(command, probe));
    puts("'\n"
         "        options='--help --version'\n"
         "    else\n"
         "    case \"${COMP_WORDS[1]} $previous\" in");
    for (size_t i = 0; (command = command_at(i, &probe)); i++)
        print_bash_options(command, probe);
    puts("    esac\n"
         "    fi\n"
         "    # A word of a few is offered while none of them, or not this one, has been typed.\n"
         "    if [[ -n $options && $current != -* ]]; then\n"
         "        for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "            typed=${COMP_WORDS[i]}\n"
         "            case \" $words \" in\n"
         "            *\" $typed \"*)\n"
         "                [[ $files == then ]] && files=yes\n"
         "                if [[ -n $once ]]; then words=; else words=\" $words \"; "
         "words=${words/ $typed / }; fi ;;\n"
         "            esac\n"
         "        done\n"
         "    elif [[ -n $options ]]; then\n"
         "        words=$options files=\n"
         "    fi\n"
         "    for word in $words; do\n"
         "        [[ $word == \"$current\"* ]] && COMPREPLY+=(\"$word\")\n"
         "    done\n"
         "    if [[ $files == yes ]]; then\n"
         "        IFS=$'\\n'\n"
         "        COMPREPLY+=($(compgen -f -- \"$current\"))\n"
         "        compopt -o filenames 2>/dev/null\n"
         "    fi\n"
         "    return 0\n"
         "}\n"
         "complete -F _fathom fathom");
}

/* --- zsh --- */

static void print_zsh_option(const struct option_spec *option, bool letter)
{
    char help[1024];
    help_of_option(option, help, sizeof help);
    enum value value = value_of(option);
    printf(" \\\n            '");
    if (option->letter)
        printf("(-%c --%s)", option->letter, option->name);
    if (letter)
        printf("-%c%s[", option->letter, value == VALUE_NONE ? "" : "+");
    else
        printf("--%s%s[", option->name, value == VALUE_NONE ? "" : "=");
    print_quoted(help, "'\\''", "[]\\");
    putchar(']');
    if (value != VALUE_NONE) {
        putchar(':');
        print_quoted(option->argument, "'\\''", ":\\");
        putchar(':');
    }
    if (value == VALUE_WORDS) {
        putchar('(');
        print_list(option->choices);
        putchar(')');
    } else if (value != VALUE_NONE) {
        fputs(value == VALUE_FILES ? "_files" : " ", stdout);
    }
    putchar('\'');
}

static void print_zsh_operands(const struct command *command)
{
    const struct operand_words *words = words_of(command);
    if (words) {
        printf(" \\\n            '%s:%s:(", words_repeat(command) ? "*" : "1", words->operand);
        print_operand_words(words);
        printf(")'");
    }
    if (words_then_files(command))
        printf(" \\\n            '*:file:_files'");
}

static void complete_zsh(void)
{
    const struct probe *probe;
    const struct command *command;
    puts("#compdef fathom\n"
         "# Completion of fathom in zsh, as 'fathom completion zsh' prints it.\n"
         "_fathom()\n"
         "{\n"
         "    local -a commands\n"
         "    commands=(");
    for (size_t i = 0; (command = command_at(i, &probe)); i++) {
        printf("        '%s:", command_name(command, probe));
        print_quoted(command_summary(command, probe), "'\\''", "\\");
        puts("'");
    }
    puts("    )\n"
         "    if ((CURRENT == 2)); then\n"
         "        _describe command commands\n"
         "        [[ $PREFIX == -* ]] && compadd -- --help --version\n"
         "        return\n"
         "    fi\n"
         "    shift words\n"
         "    ((CURRENT--))\n"
         "    case $words[1] in");
    for (size_t i = 0; (command = command_at(i, &probe)); i++) {
        const struct option_spec *option;
        printf("    %s)\n        _arguments -s", command_name(command, probe));
        for (size_t o = 0; (option = command_option(command, probe, o)); o++) {
            if (option->letter)
                print_zsh_option(option, true);
            print_zsh_option(option, false);
        }
        print_zsh_operands(command);
        puts(" ;;");
    }
    puts("    esac\n"
         "}\n"
         "if [[ $funcstack[1] == _fathom ]]; then\n"
         "    _fathom \"$@\"\n"
         "else\n"
         "    compdef _fathom fathom\n"
         "fi");
}

/* --- fish --- */

static void print_fish_option(const char *name, const struct option_spec *option)
{
    enum value value = value_of(option);
    printf("complete -c fathom -n '__fathom_in %s' -l %s", name, option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (value == VALUE_FILES)
        printf(" -r -F");
    else if (value != VALUE_NONE)
        printf(" -x");
    if (value == VALUE_WORDS) {
        printf(" -a '");
        print_list(option->choices);
        putchar('\'');
    }
    printf(" -d '");
    char help[1024];
    print_quoted(help_of_option(option, help, sizeof help), "\\'", "\\");
    puts("'");
}

static void print_fish_operands(const char *name, const struct command *command)
{
    const struct operand_words *words = words_of(command);
    for (size_t i = 0; words && words->word(i); i++) {
        printf("complete -c fathom -n '__fathom_in %s; and not __fathom_typed ", name);
        if (words_repeat(command))
            printf("%s", words->word(i));
        else
            print_operand_words(words);
        printf("' -a %s -d '", words->word(i));
        print_quoted(words->about(i), "\\'", "\\");
        puts("'");
    }
    if (words && words_then_files(command)) {
        printf("complete -c fathom -n '__fathom_in %s; and __fathom_typed ", name);
        print_operand_words(words);
        puts("' -F");
    } else if (words_then_files(command)) {
        printf("complete -c fathom -n '__fathom_in %s' -F\n", name);
    }
}

static void complete_fish(void)
{
    const struct probe *probe;
    const struct command *command;
    puts("# Completion of fathom in fish, as 'fathom completion fish' prints it.\n"
         "function __fathom_in\n"
         "    set -l words (commandline -opc)\n"
         "    test (count $words) -gt 1; and contains -- $words[2] $argv\n"
         "end\n"
         "function __fathom_typed\n"
         "    for word in (commandline -opc)[3..]\n"
         "        contains -- $word $argv; and return 0\n"
         "    end\n"
         "    return 1\n"
         "end\n"
         "complete -c fathom -f\n"
         "complete -c fathom -n 'test (count (commandline -opc)) -eq 1' -l help -s h -d 'print "
         "help'\n"
         "complete -c fathom -n 'test (count (commandline -opc)) -eq 1' -l version -s V -d 'print "
         "the version'");
    for (size_t i = 0; (command = command_at(i, &probe)); i++) {
        const char *name = command_name(command, probe);
        printf("complete -c fathom -n 'test (count (commandline -opc)) -eq 1' -a %s -d '", name);
        print_quoted(command_summary(command, probe), "\\'", "\\");
        puts("'");
        const struct option_spec *option;
        for (size_t o = 0; (option = command_option(command, probe, o)); o++)
            print_fish_option(name, option);
        print_fish_operands(name, command);
    }
}

static int completion(struct invocation *invocation, struct error *error)
{
    static void (*const shells[])(void) = {complete_bash, complete_zsh, complete_fish};
    for (size_t i = 0; shell_words[i]; i++)
        if (invocation->operand_count == 1 &&
            strcmp(invocation->operands[0], shell_words[i]) == 0) {
            shells[i]();
            return EXIT_DONE;
        }
    if (invocation->operand_count == 0)
        return error_set(error, ERROR_USAGE, "name a shell: fathom completion bash, zsh or fish");
    return error_set(error, ERROR_USAGE, "completion is for one of bash, zsh and fish, not '%s'",
                     invocation->operands[invocation->operand_count - 1]);
}

const struct command completion_command = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "print what makes a shell complete fathom's command line",
    .about = "Prints a script for bash, zsh or fish that completes commands, probes, options and "
             "what they take. 'make install' puts all three where the shells look for them; "
             "without it, bash takes it by 'source <(fathom completion bash)', zsh by the same "
             "with zsh, and fish by 'fathom completion fish | source'.",
    .run = completion,
};
