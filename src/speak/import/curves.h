/* What the formats that hold latency curves share. */
#ifndef FATHOM_SPEAK_IMPORT_CURVES_H
#define FATHOM_SPEAK_IMPORT_CURVES_H

#include "document/document.h"

/* Where a latency probe shows no levels once it is analysed, says why. */
void curve_explain(struct probe_result *);

#endif
