#pragma once

#include <sys/time.h>

typedef unsigned long long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
enum { RLIMIT_CORE, RLIMIT_STACK };
int getrlimit(int resource, struct rlimit *);

struct rusage {
    struct timeval ru_utime, ru_stime;
};
enum { RUSAGE_SELF };
int getrusage(int which, struct rusage *);
