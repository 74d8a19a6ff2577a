/* Put before every file of the program that the static one carries. glibc 2.22 (fmemopen, for
 * streams that are written), 2.27 and 2.29 (the mathematics, without a wrapper around errno) gave
 * these functions newer versions. What fathom uses of them is in the first ones, which are in every
 * glibc since. Binutils' manual, "symver". */
#ifndef FATHOM_STATIC_OLDEST_H
#define FATHOM_STATIC_OLDEST_H

#define FIRST_VERSION(function) __asm__(".symver " #function ", " #function "@GLIBC_2.2.5")
FIRST_VERSION(exp);
FIRST_VERSION(fmemopen);
FIRST_VERSION(exp2);
FIRST_VERSION(expf);
FIRST_VERSION(hypot);
FIRST_VERSION(lgamma);
FIRST_VERSION(log);
FIRST_VERSION(log2);
FIRST_VERSION(logf);
FIRST_VERSION(pow);
/* With 64 bits for the places in files, fcntl() is called by another name since 2.28. */
__asm__(".symver fcntl64, fcntl@GLIBC_2.2.5");
#undef FIRST_VERSION

#endif
