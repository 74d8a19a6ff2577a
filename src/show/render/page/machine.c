/* The picture of the machine: the boxes of show/report/boxes/boxes.h in each other. */
#include "show/render/page/page.h"
#include "show/report/boxes/boxes.h"
#include "show/report/figure.h"

#include <math.h>
#include <string.h>

static void open_fact(FILE *out, bool *any, const char *name)
{
    fputs(*any ? "<div><dt>" : "<dl>\n<div><dt>", out);
    html_text(out, name);
    fputs("<dd>", out);
    *any = true;
}

/* Without its interval, for which the datasheet has room. */
static void put_value(FILE *out, const struct cell *cell, const char *words)
{
    char text[CELL_TEXT];
    if (cell->form == FORM_TEXT || !isfinite(cell->value))
        return;
    fputs("<span>", out);
    html_text(out, cell_text(cell, text));
    html_doubt(out, cell->flags);
    fprintf(out, "%s</span> ", words);
}

static void put_values(FILE *out, bool *any, const char *name, const struct cell *first,
                       const char *first_words, const struct cell *second, const char *second_words)
{
    if (first->form == FORM_TEXT && second->form == FORM_TEXT)
        return;
    open_fact(out, any, name);
    put_value(out, first, first_words);
    put_value(out, second, second_words);
    fputs("</div>\n", out);
}

/* How much of what is declared was found, as figures and as a bar. */
static void put_room(FILE *out, bool *any, const struct box *box)
{
    enum { WIDTH = 72, HEIGHT = 7 };
    char text[UNIT_TEXT];
    if (box->capacity.form == FORM_TEXT || !isfinite(box->capacity.value))
        return;
    open_fact(out, any, "room");
    put_value(out, &box->capacity, "");
    if (box->declared_bytes > 0)
        fprintf(out,
                "<span>of %s</span> <svg viewBox=\"0 0 %d %d\" width=%d height=%d aria-hidden=true>"
                "<rect class=declared width=%d height=%d /><rect class=found width=%.0f height=%d "
                "/></svg>",
                figure_valued(box->declared_bytes, "B", text), WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH,
                HEIGHT, WIDTH * fmin(1, fmax(0, box->capacity.value / box->declared_bytes)),
                HEIGHT);
    fputs("</div>\n", out);
}

/* Of two CPUs the nearest is the farthest. */
static void put_distances(FILE *out, bool *any, const struct box *box)
{
    static const struct cell none = {.form = FORM_TEXT};
    char nearest[CELL_TEXT], farthest[CELL_TEXT];
    cell_text(&box->nearest, nearest);
    cell_text(&box->farthest, farthest);
    if (strcmp(nearest, farthest) == 0)
        put_values(out, any, "to another CPU", &box->farthest, "", &none, "");
    else
        put_values(out, any, "to another CPU", &box->nearest, " nearest,", &box->farthest,
                   " farthest");
}

static void put_facts(FILE *out, const struct box *box)
{
    char text[UNIT_TEXT];
    bool any = false;
    const bool alone = box->one.form == FORM_TEXT;
    const char *all = alone ? "" : " all";
    put_values(out, &any, "latency", &box->cycles, "", &box->ns, "");
    put_room(out, &any, box);
    put_values(out, &any, box->kernel ? box->kernel : "bandwidth", &box->one,
               box->all.form == FORM_TEXT ? " one CPU" : " one CPU,", &box->all, all);
    put_values(out, &any, "of another node", &box->remote_ns, "", &box->remote_rate, "");
    if (box->clock_hz > 0 && box->clock_hz < 1e12) {
        open_fact(out, &any, "clock");
        fprintf(out, "<span>%s</span></div>\n", hertz_format(box->clock_hz, text));
    }
    put_distances(out, &any, box);
    fputs(any ? "</dl>\n" : "", out);
}

/* A box and all that stand in it; returns where the next one begins. Several in one box stand side
 * by side. */
static size_t put_box(FILE *out, const struct boxes *boxes, size_t index)
{
    const struct box *box = &boxes->list[index];
    size_t next = index + 1, inside = 0;
    for (size_t i = next; i < boxes->count && boxes->list[i].depth > box->depth; i++)
        inside += boxes->list[i].depth == box->depth + 1;
    fprintf(out, "<div class=\"box%s\"><p><b>", box->count > 1 ? " pile" : "");
    html_text(out, box->name.text);
    fputs("</b> ", out);
    html_text(out, box->details.text);
    if (box->count > 1)
        fprintf(out, " <b class=times>×&nbsp;%zu</b>", box->count);
    fputs("</p>\n", out);
    put_facts(out, box);
    fputs(inside > 1 ? "<div class=row>\n" : "", out);
    while (next < boxes->count && boxes->list[next].depth > box->depth)
        next = put_box(out, boxes, next);
    fputs(inside > 1 ? "</div></div>\n" : "</div>\n", out);
    return next;
}

bool html_machine(FILE *out, const struct catalogue *catalogue, size_t count, size_t index)
{
    struct boxes boxes;
    struct pool pool = {0};
    const bool done = boxes_build(&boxes, catalogue, index, &pool);
    if (done && boxes.count) {
        fprintf(out, "<figure class=machine aria-labelledby=boxes-%zu>\n<figcaption id=boxes-%zu>",
                index, index);
        if (count > 1)
            html_document(out, catalogue->documents, count, index);
        fputs(count > 1 ? ": the " : "The ", out);
        fputs("machine, and what was measured in it</figcaption>\n<div class=drawing><div "
              "class=row>\n",
              out);
        for (size_t next = 0; next < boxes.count;)
            next = put_box(out, &boxes, next);
        fputs("</div></div>\n", out);
        if (boxes.left_out)
            fprintf(out, "<p>%zu more nodes or devices stand in the document.</p>\n",
                    boxes.left_out);
        fputs("</figure>\n", out);
    }
    pool_free(&pool);
    return done;
}
