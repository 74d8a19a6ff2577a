/*
 * Faults that a test injects: FATHOM_GPU_FAULT holds CALL[:NTH]=RESULT[,...]. The NTH call (counted
 * from 1 since the text was set; without it every call) of that name, with or without its "_v2",
 * gives RESULT, a number, in place of being carried out. RESULT `hang`: what it asks for never
 * ends.
 */
#ifndef FATHOM_TESTS_GPU_FAULTS_H
#define FATHOM_TESTS_GPU_FAULTS_H

enum { FAULT_NONE = 0, FAULT_HANG = -1, FAULTS_MOST = 32, FAULT_NAME_BYTES = 64 };

struct fault {
    char call[FAULT_NAME_BYTES];
    unsigned nth, seen;
    int result;
};

struct faults {
    struct fault list[FAULTS_MOST];
    unsigned count;
};

/* NULL or "" is none. Returns NULL, or the part of the text that is wrong. */
const char *faults_read(struct faults *, const char *text);
/* A call of that name happens: FAULT_NONE, FAULT_HANG, or the result that it has to give. */
int faults_take(struct faults *, const char *call);

#endif
