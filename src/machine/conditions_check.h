/*
 * The checks that conditions_read() makes. To add one: write check_NAME() in the file of its
 * subject, declare it here, and put it into the table in conditions.c.
 */
#ifndef FATHOM_MACHINE_CONDITIONS_CHECK_H
#define FATHOM_MACHINE_CONDITIONS_CHECK_H

#include "machine/conditions.h"

struct inspection {
    const struct machine *machine;
    const char *root;
    bool has_files; /* false for a synthetic machine: the host's files are about another one */
    struct pool *pool;
    struct conditions *conditions;
    struct checks *checks;
};

/* Adds a remark; its texts are in the pool or constant. A NULL `what` means that pool_printf()
 * failed. ERROR_SYSTEM without memory. */
int remark_add(struct inspection *, enum remark_weight, const char *subject, const char *what,
               const char *why, const char *remedy);
/* The same of what is as it should be. */
int remark_fine(struct inspection *, const char *subject, const char *what);

/* Each fills its fields of the conditions and adds at most one remark: 0, or ERROR_SYSTEM without
 * memory. conditions_share.c: who else uses the machine, and how much of it this process may
 * use. */
int check_system_files(struct inspection *);
int check_hypervisor(struct inspection *);
int check_stolen(struct inspection *);
int check_affinity(struct inspection *);
int check_quota(struct inspection *);
int check_memory(struct inspection *);
int check_load(struct inspection *);
/* conditions_cores.c: what the cores do. */
int check_governor(struct inspection *);
int check_turbo(struct inspection *);
int check_counter(struct inspection *);
int check_smt(struct inspection *);
/* conditions_declared.c: what is left to this process of clocks and caches. */
int check_clock_limit(struct inspection *);
int check_shares(struct inspection *);
/* conditions_pages.c: what the memory does. */
int check_huge_pages(struct inspection *);
int check_reserved_pages(struct inspection *);
int check_swap(struct inspection *);
int check_balancing(struct inspection *);

#endif
