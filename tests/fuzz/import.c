/* Whatever text it is, the formats know it or not, and a format reads or refuses it. The document
 * that comes out can be written. A first byte that no text begins with names the format of the
 * rest; without one it is the format that knows the text, or, of the first inputs (which are those
 * of the corpus and the seeds), every format: twenty of them for each input would be all of the
 * time. */
#include "speak/import/import.h"
#include "base/settings.h"
#include "fuzz.h"

static void read_as(const struct import_format *format, const char *text)
{
    struct import_text whole = {.file = "fuzz", .text = text, .length = strlen(text)};
    struct settings settings = {0};
    struct document document = {0};
    struct error error = {0};
    int code = settings_add(&settings, import_options, &error);
    const char *unread;
    if (code == 0)
        code = import_read(format, &whole, &settings, &document, &unread, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
    } else {
        static FILE *nowhere;
        nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
        fuzz_require(nowhere && document_write(&document, nowhere, NULL) == 0,
                     "what was imported can be written");
    }
    document_free(&document);
    settings_free(&settings);
}

enum { READ_BY_ALL = 200, NAMES_A_FORMAT = 0x80 };

static void read_by_all(const char *text)
{
    for (size_t i = 0; import_formats[i]; i++)
        read_as(import_formats[i], text);
}

static const struct import_format *format_of(uint8_t byte)
{
    size_t count = 0;
    while (import_formats[count])
        count++;
    return import_formats[(byte - NAMES_A_FORMAT) % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static unsigned long seen;
    const bool named = size && *bytes >= NAMES_A_FORMAT;
    char *text = fuzz_text(bytes + named, size - named);
    const struct import_text whole = {.file = "fuzz", .text = text, .length = strlen(text)};
    const struct import_format *format = NULL;
    struct error error = {0};
    const int code = import_recognise(&format, &whole, &error);
    if (code < 0)
        fuzz_check_error(code, &error);
    if (named)
        read_as(format_of(*bytes), text);
    else if (++seen <= READ_BY_ALL)
        read_by_all(text);
    else if (code == 0)
        read_as(format, text);
    free(text);
    return 0;
}
