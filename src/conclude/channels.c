#include "conclude/channels.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { KEY_BYTES = 64, SLOTS_A_CHANNEL = 2, NAMED_MAX = 4, MODULES_MAX = 1024 };

/* --- which channel a slot is on --- */

static bool take_key(char key[KEY_BYTES], const char *text, const char *end)
{
    const size_t length = (size_t)(end - text);
    if (length >= KEY_BYTES)
        return false;
    memcpy(key, text, length);
    key[length] = '\0';
    return true;
}

/* Takes "P0 CHANNEL A" or "Node0_Channel1_Dimm0" up to the channel's letter or number; the text
 * before it names the socket. */
static bool key_of_channel(char key[KEY_BYTES], const char *text)
{
    const char *at = text ? strcasestr(text, "channel") : NULL,
               *module = text ? strcasestr(text, "dimm") : NULL;
    if (!at || (module && module < at))
        return false;
    at += strlen("channel");
    at += strspn(at, " _-");
    const size_t digits = strspn(at, "0123456789");
    const bool letter = isalpha((unsigned char)*at) && !isalpha((unsigned char)at[1]);
    return (digits || letter) && take_key(key, text, at + (digits ? digits : 1));
}

/* "DIMM_A1", "CPU1 DIMM H": a letter for the channel and a number for the slot. */
static bool key_of_module(char key[KEY_BYTES], const char *text)
{
    const char *at = text ? strcasestr(text, "dimm") : NULL;
    if (!at)
        return false;
    at += strlen("dimm");
    at += strspn(at, " _-");
    return isalpha((unsigned char)*at) && !at[1 + strspn(at + 1, "0123456789")] &&
           take_key(key, text, at + 1);
}

static bool key_of(char key[KEY_BYTES], const struct declared_module *module)
{
    return key_of_channel(key, module->slot) || key_of_channel(key, module->bank) ||
           key_of_module(key, module->slot);
}

/* --- channels --- */

struct channel {
    char key[KEY_BYTES];
    size_t slots, filled;
    double mts, bytes; /* of its slowest module, and its width; 0: unknown */
};

struct survey {
    struct channel *list;
    size_t count;
    bool known; /* the channel of each slot is known */
    const char *type;
    bool types_differ;
    unsigned rated, configured; /* MT/s of the slowest module; 0: unknown for some module */
};

static unsigned speed_of(const struct declared_module *module)
{
    return module->configured_mts ? module->configured_mts : module->rated_mts;
}

static void add_slot(struct survey *survey, const struct declared_module *module)
{
    char key[KEY_BYTES] = "";
    size_t at = 0;
    if (!key_of(key, module))
        survey->known = false;
    while (at < survey->count && strcmp(survey->list[at].key, key) != 0)
        at++;
    if (at == survey->count) {
        survey->list[survey->count++] = (struct channel){.slots = 0};
        strcpy(survey->list[at].key, key);
    }
    struct channel *channel = &survey->list[at];
    channel->slots++;
    if (!module->empty) {
        const double mts = speed_of(module), bytes = module->data_bits / 8.0;
        channel->mts = channel->filled && channel->mts < mts ? channel->mts : mts;
        channel->bytes = bytes > channel->bytes ? bytes : channel->bytes;
        channel->filled++;
    }
    /* DDR4 and DDR5 have no more slots on a channel, so with more the names lack the socket. */
    survey->known = survey->known && channel->slots <= SLOTS_A_CHANNEL;
}

/* The bandwidth of all channels; an empty one counts as the slowest other. */
static double carried(const struct survey *survey)
{
    double sum = 0, least = INFINITY;
    size_t empty = 0;
    for (size_t i = 0; i < survey->count; i++) {
        const struct channel *channel = &survey->list[i];
        const double rate = channel->mts * 1e6 * channel->bytes;
        if (channel->filled && !(rate > 0))
            return NAN;
        empty += !channel->filled;
        sum += rate;
        least = channel->filled ? fmin(least, rate) : least;
    }
    return sum > 0 ? sum + (empty ? least * (double)empty : 0) : NAN;
}

/* --- in words --- */

static bool is_on_empty_channel(const struct survey *survey, const struct declared_module *module)
{
    char key[KEY_BYTES] = "";
    if (!module->empty || !survey->known)
        return module->empty;
    key_of(key, module);
    for (size_t i = 0; i < survey->count; i++)
        if (strcmp(survey->list[i].key, key) == 0)
            return !survey->list[i].filled;
    return false;
}

/* ", slot H is empty", ", slots C and H are empty": the slots of channels without a module. */
static const char *empty_slots(const struct survey *survey, const struct declared_facts *declared,
                               struct pool *pool)
{
    const char *names = "";
    size_t count = 0, said = 0;
    for (size_t i = 0; i < declared->module_count && i < MODULES_MAX; i++)
        count += is_on_empty_channel(survey, &declared->modules[i]);
    for (size_t i = 0; i < declared->module_count && said < NAMED_MAX && said < count; i++)
        if (is_on_empty_channel(survey, &declared->modules[i])) {
            const struct declared_module *module = &declared->modules[i];
            const char *between = said == 0 ? "" : said + 1 == count ? " and " : ", ";
            names = pool_printf(pool, "%s%s%s", names, between,
                                module->slot   ? module->slot
                                : module->bank ? module->bank
                                               : "without a name");
            said++;
        }
    if (!count)
        return names;
    if (count > said)
        return pool_printf(pool, ", slots %s and %zu more are empty", names, count - said);
    return pool_printf(pool, ", slot%s %s %s empty", count > 1 ? "s" : "", names,
                       count > 1 ? "are" : "is");
}

/* " DDR5 at 4400 of the modules' 4800 MT/s"; "": neither is known. */
static const char *kind_words(const struct survey *survey, const char *before, struct pool *pool)
{
    const char *type = survey->type ? survey->type : "modules";
    if (!survey->configured)
        return survey->type ? pool_printf(pool, " %s %s", before, type) : "";
    if (survey->rated > survey->configured)
        return pool_printf(pool, " %s %s at %u of the modules' %u MT/s", before, type,
                           survey->configured, survey->rated);
    return pool_printf(pool, " %s %s at %u MT/s", before, type, survey->configured);
}

static const char *sentence_of(const struct channels *channels, const struct survey *survey,
                               const struct declared_facts *declared, struct pool *pool)
{
    const bool whole = channels->count && channels->filled == channels->count;
    const char *empty = empty_slots(survey, declared, pool);
    const char *kind = kind_words(survey, whole ? "of" : "with", pool);
    if (whole)
        return pool_printf(pool, "%zu channel%s%s", channels->count,
                           channels->count == 1 ? "" : "s", kind);
    if (channels->count)
        return pool_printf(pool, "%zu of %zu channels populated%s%s", channels->filled,
                           channels->count, kind, empty);
    return pool_printf(
        pool, "%zu of %zu slots populated%s%s; their names do not say which channel each is on",
        channels->filled_slots, channels->slots, kind, empty);
}

void channels_read(struct channels *channels, const struct declared_facts *declared,
                   struct pool *pool)
{
    const size_t most = declared->module_count < MODULES_MAX ? declared->module_count : MODULES_MAX;
    struct survey survey = {.list = pool_alloc(pool, most + 1, sizeof *survey.list), .known = true};
    *channels = (struct channels){.bytes_per_second = NAN};
    for (size_t i = 0; i < most; i++) {
        const struct declared_module *module = &declared->modules[i];
        if (module->type && strcmp(module->type, "NVDIMM") == 0) /* no main memory */
            continue;
        add_slot(&survey, module);
        channels->slots++;
        if (module->empty)
            continue;
        const bool first = channels->filled_slots++ == 0;
        const unsigned configured = speed_of(module);
        survey.types_differ = survey.types_differ || !module->type ||
                              (!first && strcmp(module->type, survey.type) != 0);
        survey.type = survey.types_differ ? NULL : module->type;
        if (first || module->rated_mts < survey.rated)
            survey.rated = module->rated_mts;
        if (first || configured < survey.configured)
            survey.configured = configured;
    }
    if (survey.known) {
        channels->count = survey.count;
        for (size_t i = 0; i < survey.count; i++)
            channels->filled += survey.list[i].filled > 0;
        channels->bytes_per_second = carried(&survey);
    }
    if (channels->filled_slots)
        channels->sentence = sentence_of(channels, &survey, declared, pool);
    pool_give_back(pool, survey.list);
}
