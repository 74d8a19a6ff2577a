#include "base/units.h"

#include "base/pool.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefixes[] = "KMGTPE";

int number_parse(const char *text, double *value, struct error *error)
{
    char *end;
    /* strtod also accepts hexadecimal, "inf" and "nan", which are no numbers here. */
    if (!text[strspn(text, "0123456789.eE+-")] && *text) {
        *value = strtod(text, &end);
        if (!*end && isfinite(*value))
            return 0;
    }
    return error_set(error, ERROR_USAGE, "'%s' is not a number: write it like 12 or 0.5", text);
}

int size_parse(const char *text, uint64_t *bytes, struct error *error)
{
    char *end = NULL;
    double value = 0;
    if (isdigit((unsigned char)*text)) {
        size_t plain = strspn(text, "0123456789.");
        char number[40];
        if (plain < sizeof number) {
            memcpy(number, text, plain);
            number[plain] = '\0';
            value = strtod(number, &end);
            if (*end)
                value = 0;
        }
        end = (char *)text + plain;
        size_t spaces = strspn(end, " ");
        if (end[spaces])
            end += spaces;
        const char *prefix = *end ? strchr(prefixes, toupper((unsigned char)*end)) : NULL;
        if (prefix) {
            value = ldexp(value, 10 * (int)(prefix - prefixes + 1));
            end++;
            if (*end == 'i')
                end++;
        }
        if (toupper((unsigned char)*end) == 'B')
            end++;
    }
    if (!end || *end || !(value >= 1) || value > 0x1p62 || value != floor(value))
        return error_set(
            error, ERROR_USAGE,
            "size '%s': write a whole number of bytes, from 1, like 512, 16K, 1.5M or 2G", text);
    *bytes = (uint64_t)value;
    return 0;
}

char *figure_format(double value, int digits, char *text)
{
    if (!isfinite(value)) {
        strcpy(text, "-");
        return text;
    }
    /* The decimals follow from the rounded value: 9.996 with three digits is 10.0 and not 10.00. */
    char rounded[UNIT_TEXT];
    snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
    int decimals = digits - 1 - atoi(strchr(rounded, 'e') + 1);
    snprintf(text, UNIT_TEXT, "%.*f", decimals < 0 ? 0 : decimals > 9 ? 9 : decimals, value);
    return text;
}

char *size_format(double bytes, char *text)
{
    int prefix = 0;
    /* From 1023.5 on, rounding would print 1024 of the smaller unit. */
    while (prefix < (int)sizeof prefixes - 1 && bytes >= 1023.5) {
        bytes /= 1024;
        prefix++;
    }
    char number[UNIT_TEXT];
    if (bytes == floor(bytes))
        snprintf(number, sizeof number, "%.0f", bytes);
    else
        figure_format(bytes, bytes >= 1000 ? 4 : 3, number);
    if (prefix)
        snprintf(text, UNIT_TEXT, "%.20s %ciB", number, prefixes[prefix - 1]);
    else
        snprintf(text, UNIT_TEXT, "%.20s B", number);
    return text;
}

const char *size_text(struct pool *pool, double bytes)
{
    char text[UNIT_TEXT];
    return pool_strdup(pool, size_format(bytes, text));
}

char *size_name(uint64_t bytes, char *text)
{
    const char unit = bytes >> 30 ? 'G' : bytes >> 20 ? 'M' : 'K';
    const unsigned shift = bytes >> 30 ? 30 : bytes >> 20 ? 20 : 10;
    snprintf(text, UNIT_TEXT, "%llu%c", (unsigned long long)(bytes >> shift), unit);
    return text;
}

char *size_exact_format(uint64_t bytes, char *text)
{
    int prefix = 0;
    while (prefix < (int)sizeof prefixes - 1 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        prefix++;
    }
    if (prefix)
        snprintf(text, UNIT_TEXT, "%llu %ciB", (unsigned long long)bytes, prefixes[prefix - 1]);
    else
        snprintf(text, UNIT_TEXT, "%llu B", (unsigned long long)bytes);
    return text;
}

char *hertz_format(double hertz, char *text)
{
    static const char *const units[] = {"Hz", "kHz", "MHz", "GHz", "THz"};
    size_t unit = 0;
    while (unit < 4 && hertz >= 1000) {
        hertz /= 1000;
        unit++;
    }
    char number[UNIT_TEXT];
    snprintf(text, UNIT_TEXT, "%.20s %s", figure_format(hertz, 3, number), units[unit]);
    return text;
}

char *duration_format(double seconds, char *text)
{
    /* Seconds are rounded before they are divided, or 119.6 s would be 1 min 60 s. */
    double minutes = round(seconds / 60);
    if (!(seconds >= 0) || isinf(seconds))
        strcpy(text, "-");
    else if (seconds < 0.9995)
        snprintf(text, UNIT_TEXT, "%.0f ms", seconds * 1e3);
    else if (seconds < 9.95)
        snprintf(text, UNIT_TEXT, "%.1f s", seconds);
    else if (round(seconds) < 120)
        snprintf(text, UNIT_TEXT, "%.0f s", round(seconds));
    else if (round(seconds) < 600)
        snprintf(text, UNIT_TEXT, "%.0f min %.0f s", floor(round(seconds) / 60),
                 fmod(round(seconds), 60));
    else if (round(seconds) < 7200)
        snprintf(text, UNIT_TEXT, "%.0f min", minutes);
    else
        snprintf(text, UNIT_TEXT, "%.0f h %.0f min", floor(minutes / 60), fmod(minutes, 60));
    return text;
}

/* Writes `whole` / 10^`decimals` without trailing zeros; returns the end of the text. */
static char *fixed_format(uint64_t whole, int decimals, char *text)
{
    char digits[UNIT_TEXT];
    int count = 0;
    while (decimals > 0 && whole % 10 == 0) {
        whole /= 10;
        decimals--;
    }
    for (; whole || count <= decimals; whole /= 10)
        digits[count++] = (char)('0' + whole % 10);
    while (count > 0) {
        if (count == decimals)
            *text++ = '.';
        *text++ = digits[--count];
    }
    return text;
}

/* Gives the same result as the search below by exact arithmetic, twenty times as fast: a float from
 * 1e-4 to 1e7 times a power of ten up to 10^12 fits into a double, and so does that product
 * rounded. Returns false for other values. */
static bool float_format_fast(float value, char *text)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
                                    1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    double size = fabs((double)value);
    int decimals = 6; /* for seven significant digits */
    if (!(size >= 1e-4 && size < 9999999))
        return false;
    for (double bound = 10; size >= bound; bound *= 10)
        decimals--;
    for (double bound = 1; size < bound; bound /= 10)
        decimals++;
    double whole;
    do
        whole = rint(size * powers[decimals]);
    while ((float)(whole / powers[decimals]) != (float)size && ++decimals);
    if (value < 0)
        *text++ = '-';
    *fixed_format((uint64_t)whole, decimals, text) = '\0';
    return true;
}

char *float_format(float value, char *text)
{
    int precision = 6;
    if (float_format_fast(value, text))
        return text;
    do
        snprintf(text, UNIT_TEXT, "%.*g", ++precision, (double)value);
    while (precision < 9 && strtof(text, NULL) != value);
    return text;
}
