/* What the formats that hold more than one table share: probes, series and points are added one by
 * one, all in the document's pool. NULL, or ERROR_SYSTEM, is always a lack of memory. */
#ifndef FATHOM_IMPORT_TABLES_H
#define FATHOM_IMPORT_TABLES_H

#include "import/import.h"

/* The probe of that name, which is added where there is none. Both texts are constants. */
struct probe_result *table_probe(struct document *, const char *name, const char *title);

/* A series without points. `model` tells all but points and factors; its texts are constants. */
struct series *table_series(struct document *, struct probe_result *, const struct series *model);

/* A factor that is a number, or a text (copied) where that is not NULL. */
int table_factor(struct document *, struct series *, const char *name, const char *text,
                 double number);

/* A point of the only trial that the table tells; its place is the caller's to set. */
struct point *table_point(struct document *, struct series *, double value);

/* Orders the points of a curve by x. */
void table_sort(struct series *);

/* ERROR_USAGE: "FILE: line N: ...", or "FILE: ..." for line 0. */
int table_refuse(struct error *, const char *file, size_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int table_no_memory(struct error *, const char *file);

#endif
