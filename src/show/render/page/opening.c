/* The top of the page: whose document it is, how reliable, how it was made; and the machine. */
#include "base/units.h"
#include "document/flag.h"
#include "show/render/page/page.h"
#include "show/report/boxes/boxes.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* --- the machine as nested boxes --- */

static void open_fact(FILE *out, bool *any, const char *name)
{
    html_print(out, *any ? "<div><dt>%s<dd>" : "<dl>\n<div><dt>%s<dd>", name);
    *any = true;
}

/* Without the interval, which the datasheet shows. */
static void put_value(FILE *out, const struct cell *cell, const char *words)
{
    char text[CELL_TEXT];
    if (cell->form == FORM_TEXT || !isfinite(cell->value))
        return;
    html_print(out, "<span>%s%s</span> ", cell_text(cell, text), words);
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

/* How much of the declared capacity was found, as figures and as a bar. */
static void put_room(FILE *out, bool *any, const struct box *box)
{
    enum { WIDTH = 72, HEIGHT = 7 };
    char text[UNIT_TEXT];
    if (box->capacity.form == FORM_TEXT || !isfinite(box->capacity.value))
        return;
    open_fact(out, any, "capacity");
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

/* A box and all boxes in it, side by side; returns the index of the next box. */
static size_t put_box(FILE *out, const struct boxes *boxes, size_t index)
{
    const struct box *box = &boxes->list[index];
    size_t next = index + 1, inside = 0;
    for (size_t i = next; i < boxes->count && boxes->list[i].depth > box->depth; i++)
        inside += boxes->list[i].depth == box->depth + 1;
    html_print(out, "<div class=\"box%s\"><p><b>%s</b> %s",
               box->unknown     ? " unknown"
               : box->count > 1 ? " pile"
                                : "",
               box->name.text, box->details.text);
    if (box->count > 1)
        fprintf(out, " <b class=times>×&nbsp;%zu</b>", box->count);
    fputs("</p>\n", out);
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
    /* With two CPUs, nearest and farthest are the same. */
    static const struct cell none = {.form = FORM_TEXT};
    char nearest[CELL_TEXT], farthest[CELL_TEXT];
    cell_text(&box->nearest, nearest);
    cell_text(&box->farthest, farthest);
    if (strcmp(nearest, farthest) == 0)
        put_values(out, &any, "to another CPU", &box->farthest, "", &none, "");
    else
        put_values(out, &any, "to another CPU", &box->nearest, " nearest,", &box->farthest,
                   " farthest");
    fputs(any ? "</dl>\n" : "", out);
    fputs(inside > 1 ? "<div class=row>\n" : "", out);
    while (next < boxes->count && boxes->list[next].depth > box->depth)
        next = put_box(out, boxes, next);
    fputs(inside > 1 ? "</div></div>\n" : "</div>\n", out);
    return next;
}

void html_machine(FILE *out, const struct report *report, size_t count, size_t index)
{
    struct boxes boxes;
    boxes_build(&boxes, report, index, report->pool);
    if (!boxes.count)
        return;
    fprintf(out, "<figure class=machine aria-labelledby=boxes-%zu>\n<figcaption id=boxes-%zu>",
            index, index);
    if (count > 1)
        html_document(out, report->catalogue.documents, count, index);
    fputs(count > 1 ? ": the " : "The ", out);
    fputs("machine, and what was measured in it</figcaption>\n<div class=drawing><div "
          "class=row>\n",
          out);
    for (size_t next = 0; next < boxes.count;)
        next = put_box(out, &boxes, next);
    fputs("</div></div>\n", out);
    if (boxes.left_out)
        fprintf(out, "<p>%zu more nodes are in the document.</p>\n", boxes.left_out);
    fputs("</figure>\n", out);
}

/* --- all of it --- */

static void put_run(FILE *out, const struct document *document)
{
    const struct run_facts *run = &document->run;
    const bool modelled = document_headline_flags(document) & FLAG_BIT(FLAG_MODELLED);
    const char *how = modelled ? "Modelled" : "Measured";
    char text[UNIT_TEXT];
    struct line joined = {0};
    line_add_joined(&joined, run);
    fputs("<p class=run>", out);
    if (document_is_imported(document) && !run->joined) {
        fputs("Another tool's table", out);
        if (document->tool.version)
            html_print(out, ", imported by fathom %s", document->tool.version);
        fputs(": it does not say when and how it was measured.</p>\n", out);
        return;
    }
    if (joined.length) {
        joined.text[0] = (char)toupper((unsigned char)joined.text[0]);
        fprintf(out, "%s%s", joined.text, run->started ? ", the newest of " : "");
        html_time(out, run->started);
    } else if (run->started) {
        fprintf(out, "%s on ", how);
        html_time(out, run->started);
    }
    if (run->elapsed_s >= 0 && run->elapsed_s < 1e9)
        fprintf(out, "%s in %s", run->started ? "" : how, duration_format(run->elapsed_s, text));
    if (document->tool.version)
        html_print(out, " by fathom %s", document->tool.version);
    if (run->command_count) {
        fputs(": <code>", out);
        html_command(out, run);
        fputs("</code>", out);
    }
    fputs("</p>\n", out);
}

/* A line for each grade that any family has, and why each of them is no better. */
static void put_grades(FILE *out, const struct verdict_block *verdict)
{
    static const char *const classes[GRADES] = {
        [GRADE_GOOD] = "good", [GRADE_AS_FOUND] = "found", [GRADE_NOT_MEASURED] = "missing"};
    const struct document_verdict *grades = verdict->grades;
    if (verdict->reserve || !grades || !grades->family_count)
        html_print(out, "<p class=trust><strong>%s.</strong></p>\n",
                   verdict->reserve ? verdict->reserve : verdict->sentence);
    fputs("<dl class=grades>\n", out);
    for (int grade = 0; grades && grade < GRADES; grade++) {
        if (!verdict_count(grades, (enum grade)grade))
            continue;
        html_print(out, "<div class=%s><dt>%s<dd>", classes[grade], grade_names[grade]);
        for (size_t i = 0; i < grades->family_count; i++) {
            const struct family *family = &grades->families[i];
            if (family->grade != (enum grade)grade)
                continue;
            html_print(out, *family->why ? "<abbr title=\"%s\">%s" : "<span title=\"%s\">%s",
                       family->why, family->name);
            if (family->width > 0)
                fprintf(out, " <small>%s±%.0f&nbsp;%%</small>",
                        family->others ? "beside others, " : "", 100 * family->width);
            if (*verdict_reason(grades, i))
                html_print(out, " <small>%s</small>", verdict_reason(grades, i));
            fputs(*family->why ? "</abbr> " : "</span> ", out);
        }
        fputs("</div>\n", out);
    }
    fputs("</dl>\n", out);
}

void html_opening(FILE *out, const struct report *report, size_t count, size_t index)
{
    const struct document *document = report->catalogue.documents[index];
    const struct verdict_block *verdict = html_verdict(report, index);
    const char *level = count > 1 ? "h2" : "h1";
    fprintf(out, "<section aria-labelledby=machine-%zu>\n<p class=host>", index);
    html_document(out, report->catalogue.documents, count, index);
    fprintf(out, "</p>\n<%s id=machine-%zu>", level, index);
    /* The machine, or if it is unknown the probe's title. */
    const struct machine_facts *machine = &document->machine;
    const bool known = machine->cpu_model || machine->cpu_arch || machine->cores || machine->os;
    struct line line = {0};
    line_add_subject(&line, document);
    html_text(out, known || !document->probe_count || !document->probes[0].title
                       ? line.text
                       : document->probes[0].title);
    fprintf(out, "</%s>\n", level);
    if (verdict)
        put_grades(out, verdict);
    put_run(out, document);
    fputs("</section>\n", out);
}
