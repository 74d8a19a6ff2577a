/*
 * Becomes /fathom in another root, in the same folder and by the name that it was called by: so the
 * command line's tests, which are written in Python, ask a program in a root that has no Python.
 * It takes along what the system and the tests have at that moment, as some tests mount files over
 * the system's. tests/release/roots compiles this with the root as ROOT, and SOURCE. Needs root.
 */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const char *const folders[] = {"/proc", "/sys", "/dev", SOURCE, ROOT ".d"};
    char folder[PATH_MAX];
    int done =
        unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    for (size_t i = 0; done && i < sizeof folders / sizeof *folders; i++) {
        char inside[PATH_MAX];
        snprintf(inside, sizeof inside, "%s%s", ROOT, folders[i]);
        done = mount(folders[i], inside, NULL, MS_BIND | MS_REC, NULL) == 0;
    }
    if (done && getcwd(folder, sizeof folder) && chroot(ROOT) == 0 && chdir(folder) == 0)
        execv("/fathom", argv);
    perror(ROOT);
    return 126;
}
