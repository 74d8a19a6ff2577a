#include "show/render/output.h"

#include <string.h>

const struct output *output_by_name(const char *name)
{
    for (size_t i = 0; outputs[i]; i++)
        if (strcmp(outputs[i]->name, name) == 0)
            return outputs[i];
    return NULL;
}

struct rendering {
    const struct output *output;
    FILE *out;
    const struct output_content *content;
    struct pool pool;
};

static int look(void *with)
{
    struct rendering *rendering = with;
    rendering->output->possible(rendering->content, &rendering->pool);
    return 0;
}

static int render(void *with)
{
    struct rendering *rendering = with;
    rendering->output->write(rendering->out, rendering->content, &rendering->pool);
    return 0;
}

static int enter(struct rendering *rendering, int (*step)(void *with), struct error *error)
{
    const int code = pool_enter(&rendering->pool, step, rendering, error);
    pool_free(&rendering->pool);
    return code;
}

int output_possible(const struct output *output, const struct output_content *content,
                    struct error *error)
{
    struct rendering rendering = {.output = output, .content = content};
    return output->possible ? enter(&rendering, look, error) : 0;
}

int output_render(const struct output *output, FILE *out, const struct output_content *content,
                  struct error *error)
{
    struct rendering rendering = {.output = output, .out = out, .content = content};
    return enter(&rendering, render, error);
}

int render_page(FILE *out, const struct document *const *documents, size_t count, double tolerance,
                struct error *error)
{
    const struct output_content content = {
        .documents = documents, .count = count, .tolerance = tolerance};
    return output_render(output_by_name("html"), out, &content, error);
}
