/* What programs take from a document's figures. */
#include "conclude/advise.h"
#include "base/text.h"
#include "programs/library/library.h"

#include <stdio.h>
#include <string.h>

static void keep(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
    text_drop_half(to);
}

int fathom_advise(const struct fathom_document *document, struct fathom_advice *advice, size_t room,
                  struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct pool pool = {0};
    struct advices made = {.count = 0};
    const struct document *of = document ? &document->document : NULL;
    const size_t size = room && advice ? advice[0].size : 0;
    int code = of && (advice || !room)
                   ? advise(&of, 1, &pool, &made, &guest.error)
                   : error_set(&guest.error, ERROR_USAGE,
                               "fathom_advise() needs a document and a place: one is NULL");
    for (size_t i = 0; code == 0 && i < room && i < made.count; i++) {
        struct fathom_advice *at = (struct fathom_advice *)((char *)advice + i * size);
        const struct advice *from = &made.list[i];
        struct fathom_advice all = {.unit = advice_units[from->kind],
                                    .value = from->value.value,
                                    .low = from->value.low,
                                    .high = from->value.high,
                                    .told = from->told,
                                    .doubtful = from->as_found};
        keep(all.name, sizeof all.name, from->name);
        keep(all.text, sizeof all.text, from->text);
        keep(all.reason, sizeof all.reason, from->reason);
        keep(all.source, sizeof all.source, from->source);
        keep(all.experiment, sizeof all.experiment, from->experiment);
        keep(all.command, sizeof all.command, from->command);
        memcpy(at, &size, sizeof size);
        code = guest_fill(at, &all, sizeof all, &guest.error);
    }
    pool_free(&pool);
    return guest_leave(&guest, code < 0 ? code : (int)made.count);
}
