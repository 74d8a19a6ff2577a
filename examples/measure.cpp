// Measures how far this process's CPUs are apart, and prints what the document says.
//
//     c++ measure.cpp $(pkg-config --cflags --libs fathom) -o measure
#include <fathom.h>

#include <cstdio>
#include <memory>

struct closes {
    void operator()(struct fathom *fathom) const
    {
        fathom_close(fathom);
    }
    void operator()(struct fathom_document *document) const
    {
        fathom_document_free(document);
    }
    void operator()(char *text) const
    {
        fathom_free(text);
    }
};

static int show(void *, const char *probe, double done, double)
{
    std::fprintf(stderr, "%s: %.0f %%\n", probe, done * 100);
    return 0; // anything else would end it
}

int main()
{
    fathom_error error;
    std::unique_ptr<struct fathom, closes> fathom(fathom_open(nullptr, &error));
    const char *const probes[] = {"latency", nullptr}, *const settings[] = {"quick", nullptr};
    fathom_plan plan = {};
    plan.size = sizeof plan;
    plan.probes = probes;
    plan.settings = settings;
    plan.budget_ms = 500;
    plan.progress = show;
    fathom_document *measured = nullptr;
    if (!fathom || fathom_run(fathom.get(), &plan, &measured, &error) < 0) {
        std::fprintf(stderr, "measure: %s\n", error.text);
        return 1;
    }
    std::unique_ptr<fathom_document, closes> document(measured);
    fathom_value value = {};
    value.size = sizeof value;
    for (size_t i = 0; fathom_finding_at(document.get(), i, &value) == FATHOM_DONE; i++)
        std::printf("%s = %g %s\n", value.name, value.value, value.unit);
    char *text = nullptr;
    if (fathom_render(document.get(), "markdown", &text, &error) < 0) {
        std::fprintf(stderr, "measure: %s\n", error.text);
        return 1;
    }
    std::unique_ptr<char, closes> page(text);
    std::fputs(page.get(), stdout);
}
