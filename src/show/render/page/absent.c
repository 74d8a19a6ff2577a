/* Replaces the page if the program is built without it. */
#include "show/render/fleet/fleet.h"
#include "show/render/output.h"

static int able(struct error *error)
{
    return error_set(error, ERROR_IMPOSSIBLE,
                     "this fathom was built without the HTML page: build it with Node and npm "
                     "(meson configure -Dhtml=enabled), or keep the document and make the page of "
                     "it elsewhere: fathom report FILE --format html");
}

int render_fleet_page(FILE *out, const struct fleet *fleet, const struct fleet_pages *pages,
                      struct error *error)
{
    (void)out, (void)fleet, (void)pages;
    return able(error);
}

static void write_html(FILE *out, const struct output_content *content, struct pool *pool)
{
    (void)out, (void)content;
    pool_check(pool, able(pool_error(pool)));
}

const struct output html_output = {
    .name = "html",
    .help = "a page with charts and tables",
    .place = 50,
    .takes_several = true,
    .write = write_html,
    .able = able,
};
