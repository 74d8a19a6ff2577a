/* Windows has no copies of a process, so there is none to wait for. */
#pragma once

#define fork()                                ((pid_t)-1)
#define waitpid(id, status, flags)            ((void)(id), (pid_t)-1)
#define pipe2(ends, flags)                    ((void)(ends), (void)(flags), -1)
#define pthread_atfork(before, parent, child) ((void)(before), (void)(parent), (void)(child))
#define setrlimit(resource, limit)            ((void)0)
