#include "document/json_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void json_input_begin(struct json_input *input, FILE *stream, size_t room)
{
    *input = (struct json_input){.stream = stream, .room = room};
}

void json_input_end(struct json_input *input)
{
    free(input->bytes);
    input->bytes = NULL;
}

bool json_input_is_empty(const struct json_input *input)
{
    return input->ended && input->passed == 0 && input->end == input->bytes;
}

struct json_position json_input_position(const struct json_input *input)
{
    uint64_t offset = input->passed + (uint64_t)(input->at - input->bytes);
    return (struct json_position){input->line, offset - input->line_at - input->continued};
}

/* Moves the `kept` bytes of the current token to the beginning and makes room for more behind
 * them. */
static int make_room(struct json_input *input, size_t kept)
{
    if (input->bytes && kept <= input->room / 2) {
        memmove(input->bytes, input->end - kept, kept);
        return 0;
    }
    size_t room = input->bytes ? input->room * 2 : input->room;
    unsigned char *larger = room > input->room / 2 ? malloc(room + 1) : NULL;
    if (!larger)
        return ERROR_SYSTEM;
    if (kept)
        memcpy(larger, input->end - kept, kept);
    free(input->bytes);
    input->bytes = larger;
    input->room = room;
    return 0;
}

int json_read_on(struct json_input *input)
{
    if (input->ended)
        return input->failure ? ERROR_SYSTEM : ERROR_USAGE;
    size_t kept = input->token ? (size_t)(input->end - input->token) : 0;
    size_t passed = (size_t)(input->end - input->bytes) - kept;
    if (make_room(input, kept) < 0)
        return ERROR_SYSTEM;
    input->passed += passed;
    input->token = input->token ? input->bytes : NULL;
    input->at = input->bytes + kept;
    errno = 0;
    size_t got = fread(input->at, 1, input->room - kept, input->stream);
    input->end = input->at + got;
    *input->end = '\0';
    input->ended = got < input->room - kept;
    if (input->ended && ferror(input->stream)) {
        input->failure = errno ? errno : EIO;
        return ERROR_SYSTEM;
    }
    return got > 0 ? 0 : ERROR_USAGE;
}

int json_peek_past_blanks(struct json_input *input)
{
    for (;;) {
        int byte = json_peek(input);
        if (byte == '\n') {
            input->line++;
            input->line_at = input->passed + (uint64_t)(input->at - input->bytes) + 1;
            input->continued = 0;
        } else if (byte != ' ' && byte != '\t' && byte != '\r')
            return byte;
        input->at++;
    }
}
