/* Before main(): what is printed is UTF-8 with line ends as they are, and a console understands
 * colours. */
#include <windows.h>

#include <io.h>

/* The C library expands * and ? of arguments, because Windows' shells leave that to programs. */
int _dowildcard = -1;

static __attribute__((constructor)) void begin(void)
{
    DWORD mode;
    const HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        _setmode(file, _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    if (GetConsoleMode(out, &mode))
        SetConsoleMode(out, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}
