#pragma once

struct winsize {
    unsigned short ws_row, ws_col;
};
enum { TIOCGWINSZ };
/* The size of the console that the descriptor writes to. */
int ioctl(int file, int request, struct winsize *);
