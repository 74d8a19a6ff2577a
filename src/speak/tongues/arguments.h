/* A tool's arguments, read by its tongue's table. */
#ifndef FATHOM_SPEAK_TONGUES_ARGUMENTS_H
#define FATHOM_SPEAK_TONGUES_ARGUMENTS_H

#include "speak/tongues/tongue.h"

/* Fills values and operands of the talk; says aside which arguments do nothing. Letters may stand
 * together ("-vt4"), a value in one word with its letter or behind it ("-b20", "-b 20",
 * "--cores=1",
 * "--cores 1"), options behind operands, and "--" ends them. Leaves with ERROR_USAGE,
 * which names the argument. */
void arguments_read(struct talk *);

#endif
