/* A pipe of Windows can't be asked: poll() says that a read will do. */
#pragma once

struct pollfd {
    int fd;
    short events, revents;
};
enum { POLLIN = 1 };

int poll(struct pollfd *, unsigned long count, int timeout_ms);
