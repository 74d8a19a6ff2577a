/* Whatever text it is, the formats know it or not, and every format reads or refuses it. The
 * document that comes out can be written and read. */
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
        FILE *nowhere = fopen("/dev/null", "w");
        fuzz_require(nowhere && document_write(&document, nowhere, NULL) == 0,
                     "what was imported can be written");
        fclose(nowhere);
    }
    document_free(&document);
    settings_free(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    const struct import_text whole = {.file = "fuzz", .text = text, .length = strlen(text)};
    const struct import_format *format;
    struct error error = {0};
    const int code = import_recognise(&format, &whole, &error);
    if (code < 0)
        fuzz_check_error(code, &error);
    for (size_t i = 0; import_formats[i]; i++)
        read_as(import_formats[i], text);
    free(text);
    return 0;
}
