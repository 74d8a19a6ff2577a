/* Blocks of a report as lines of text. The style's width makes sense (text_style_sane()). */
#ifndef FATHOM_SHOW_RENDER_TEXT_DRAW_H
#define FATHOM_SHOW_RENDER_TEXT_DRAW_H

#include "show/render/render.h"
#include "show/report/blocks.h"

/* All blocks from the first on. */
void draw_report(FILE *, const struct report *, size_t first, const struct text_style *);
void draw_block(FILE *, const struct block *, const struct text_style *);
/* `within`: below what it is about, in a line of its own no more. */
void draw_table(FILE *, const struct table *, bool within, const struct text_style *);
void draw_differences(FILE *, const struct differences_block *, const struct text_style *);
/* Wrapped; the caller has printed `indent` columns of the first line. */
void draw_sentence(FILE *, const char *sentence, size_t indent, const struct text_style *);
/* What was left out, wrapped; nothing where it is NULL. */
void draw_more(FILE *, const char *more, const struct text_style *);
/* With block characters. */
void draw_curve(FILE *, const struct curve *, const struct text_style *);
void draw_matrix(FILE *, const struct matrix *, const struct text_style *);

#endif
