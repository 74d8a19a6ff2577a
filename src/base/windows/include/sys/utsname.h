#pragma once

struct utsname {
    char sysname[16], nodename[256], release[32], machine[16];
};
int uname(struct utsname *);
