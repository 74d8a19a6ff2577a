#include "document/json_take.h"

#include "document/flag.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The longest double needs 1077 characters to be written exactly. */
enum { NUMBER_TEXT = 1200 };

/* A text's copy ends with a NUL. */
const char *json_copy_text(struct json_fill *fill, const char *bytes, size_t length)
{
    char *copy = pool_alloc(fill->pool, length + 1, 1);
    if (!copy)
        json_out_of_memory(fill);
    else
        memcpy(copy, bytes, length);
    return copy;
}

/* Copies it into `copy` of `size` bytes; false where it is no text or has no room there. */
static bool short_text(const struct json_value *value, char *copy, size_t size)
{
    if (value->kind != JSON_TEXT || value->length >= size)
        return false;
    memcpy(copy, value->bytes, value->length);
    copy[value->length] = '\0';
    return true;
}

int json_take_text(struct json_fill *fill, const struct json_value *value, const char **text)
{
    if (value->kind != JSON_TEXT)
        return json_refuse(fill, "is not a text");
    *text = json_copy_text(fill, value->bytes, value->length);
    return fill->code;
}

/* A number of few digits is the quotient of two numbers that a double holds exactly, so dividing
 * them rounds once and correctly (Clinger 1990). Returns false for other numbers, and where the
 * machine computes in registers wider than a double. */
static bool read_short_number(const char *bytes, size_t length, double *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const char *at = bytes, *end = bytes + length, *point = NULL;
    uint64_t digits = 0;
    if (length >= sizeof powers / sizeof *powers || FLT_EVAL_METHOD != 0)
        return false;
    for (at += *at == '-'; at < end; at++)
        if (*at == '.')
            point = at;
        else if (isdigit((unsigned char)*at))
            digits = digits * 10 + (uint64_t)(*at - '0');
        else
            return false;
    if (digits > UINT64_C(1) << 53)
        return false;
    *number = (double)digits / powers[point ? end - point - 1 : 0];
    if (*bytes == '-')
        *number = -*number;
    return true;
}

static int take_number(struct json_fill *fill, const struct json_value *value, double *number)
{
    char digits[NUMBER_TEXT];
    if (value->kind != JSON_NUMBER)
        return json_refuse(fill, "is not a number");
    if (read_short_number(value->bytes, value->length, number))
        return 0;
    if (value->length >= sizeof digits)
        return json_refuse(fill, "has more digits than a number needs");
    memcpy(digits, value->bytes, value->length);
    digits[value->length] = '\0';
    *number = strtod(digits, NULL);
    return isfinite(*number) ? 0 : json_refuse(fill, "is too large");
}

static int take_float(struct json_fill *fill, const struct json_value *value, float *number)
{
    double wide = NAN;
    /* The nine digits that the largest float is written with are a number above it, which rounds
     * back to it: only what rounds to infinity is too large. */
    if (take_number(fill, value, &wide) == 0 && !isfinite((float)wide))
        json_refuse(fill, "is too large");
    if (fill->code == 0)
        *number = (float)wide;
    return fill->code;
}

int json_take_whole(struct json_fill *fill, const struct json_value *value, uint64_t most,
                    uint64_t *whole)
{
    double number = NAN;
    if (value->kind == JSON_NUMBER && take_number(fill, value, &number) < 0)
        return fill->code;
    if (!(number >= 0) || number != floor(number))
        return json_refuse(fill, "is not a whole number from 0");
    if (number > (double)most || number >= 0x1p63)
        return json_refuse(fill, "is too large");
    /* A double holds every whole number only up to 2^53. */
    uint64_t exact = 0;
    size_t digits = 0;
    for (; digits < value->length && isdigit((unsigned char)value->bytes[digits]); digits++)
        exact = exact * 10 + (uint64_t)(value->bytes[digits] - '0');
    *whole = digits == value->length ? exact : (uint64_t)number;
    return *whole > most ? json_refuse(fill, "is too large") : 0;
}

static int take_seed(struct json_fill *fill, const struct json_value *value, uint64_t *seed)
{
    char digits[32];
    if (!short_text(value, digits, sizeof digits) || !*digits ||
        digits[strspn(digits, "0123456789")])
        return json_refuse(fill, "is not a text of digits");
    errno = 0;
    *seed = strtoull(digits, NULL, 10);
    return errno ? json_refuse(fill, "is too large") : 0;
}

static int take_status(struct json_fill *fill, const struct json_value *value,
                       enum probe_status *status)
{
    char name[16];
    if (short_text(value, name, sizeof name))
        for (int i = PROBE_OK; i <= PROBE_FAILED; i++)
            if (strcmp(name, probe_status_names[i]) == 0) {
                *status = (enum probe_status)i;
                return 0;
            }
    return json_refuse(fill, "is none of ok, partial, skipped and failed");
}

/* Names that are not known come from a later minor version and are skipped. */
int json_take_flag(struct json_fill *fill, const struct json_value *value, unsigned *flags)
{
    char name[64];
    if (value->kind != JSON_TEXT)
        return json_refuse(fill, "is not a text");
    int flag = short_text(value, name, sizeof name) ? flag_by_name(name) : -1;
    if (flag >= 0)
        *flags |= FLAG_BIT(flag);
    return 0;
}

int json_take_factor(struct json_fill *fill, const struct json_value *value, struct factor *factor)
{
    factor->number = NAN;
    if (value->kind == JSON_TEXT)
        return json_take_text(fill, value, &factor->text);
    if (value->kind == JSON_NUMBER)
        return take_number(fill, value, &factor->number);
    return json_refuse(fill, "is neither a text nor a number");
}

void json_take(struct json_fill *fill, const struct field *field, void *member,
               const struct json_value *value)
{
    uint64_t whole = 0;
    switch (field->kind) {
    case FIELD_TEXT:
        json_take_text(fill, value, member);
        break;
    case FIELD_NUMBER:
        take_number(fill, value, member);
        break;
    case FIELD_FLOAT:
        take_float(fill, value, member);
        break;
    case FIELD_WHOLE:
        json_take_whole(fill, value, field->most, &whole);
        memcpy(member,
               field->bytes == sizeof whole ? (void *)&whole : (void *)&(uint32_t){(uint32_t)whole},
               field->bytes);
        break;
    case FIELD_TRUTH:
        if (value->kind != JSON_TRUTH)
            json_refuse(fill, "is neither true nor false");
        *(bool *)member = value->truth;
        break;
    case FIELD_SEED:
        take_seed(fill, value, member);
        break;
    case FIELD_STATUS:
        take_status(fill, value, member);
        break;
    default:
        break;
    }
}
