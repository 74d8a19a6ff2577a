/* The parts of an instruction's name: "ld.global.ca.v2.u64". */
#include "decode.h"

#include <string.h>

struct part {
    const char *name;
    enum { PART_TYPE, PART_SPACE, PART_CACHE, PART_COUNT, PART_VARIANT } kind;
    int value;
};

/* Orders, scopes and rounding make no difference to a machine that does one thing after another. */
static const struct part parts[] = {
    {"pred", PART_TYPE, TYPE_PRED},
    {"u8", PART_TYPE, TYPE_U8},
    {"b8", PART_TYPE, TYPE_U8},
    {"s8", PART_TYPE, TYPE_S8},
    {"u16", PART_TYPE, TYPE_U16},
    {"b16", PART_TYPE, TYPE_U16},
    {"s16", PART_TYPE, TYPE_S16},
    {"u32", PART_TYPE, TYPE_U32},
    {"b32", PART_TYPE, TYPE_U32},
    {"s32", PART_TYPE, TYPE_S32},
    {"u64", PART_TYPE, TYPE_U64},
    {"b64", PART_TYPE, TYPE_U64},
    {"s64", PART_TYPE, TYPE_S64},
    {"f32", PART_TYPE, TYPE_F32},
    {"f64", PART_TYPE, TYPE_F64},
    {"global", PART_SPACE, SPACE_GLOBAL},
    {"shared", PART_SPACE, SPACE_SHARED},
    {"shared::cta", PART_SPACE, SPACE_SHARED},
    {"shared::cluster", PART_SPACE, SPACE_CLUSTER},
    {"const", PART_SPACE, SPACE_CONSTANT},
    {"param", PART_SPACE, SPACE_PARAMETER},
    {"ca", PART_CACHE, CACHE_ALL},
    {"cg", PART_CACHE, CACHE_GLOBAL},
    {"cs", PART_CACHE, CACHE_GLOBAL},
    {"lu", PART_CACHE, CACHE_ALL},
    {"cv", PART_CACHE, CACHE_VOLATILE},
    {"nc", PART_CACHE, CACHE_READ_ONLY},
    {"L1::no_allocate", PART_CACHE, CACHE_GLOBAL},
    {"volatile", PART_CACHE, CACHE_GLOBAL},
    {"v2", PART_COUNT, 2},
    {"v4", PART_COUNT, 4},
    {"eq", PART_VARIANT, VARIANT_EQ},
    {"ne", PART_VARIANT, VARIANT_NE},
    {"lt", PART_VARIANT, VARIANT_LT},
    {"le", PART_VARIANT, VARIANT_LE},
    {"gt", PART_VARIANT, VARIANT_GT},
    {"ge", PART_VARIANT, VARIANT_GE},
    {"lo", PART_VARIANT, VARIANT_LOW},
    {"hi", PART_VARIANT, VARIANT_HIGH},
    {"wide", PART_VARIANT, VARIANT_WIDE},
    {"to", PART_VARIANT, VARIANT_TO},
    {"add", PART_VARIANT, VARIANT_ADD},
    {"exch", PART_VARIANT, VARIANT_EXCHANGE},
    {"cas", PART_VARIANT, VARIANT_COMPARE},
    {"min", PART_VARIANT, VARIANT_MIN},
    {"max", PART_VARIANT, VARIANT_MAX},
    {"and", PART_VARIANT, VARIANT_AND},
    {"or", PART_VARIANT, VARIANT_OR},
    {"xor", PART_VARIANT, VARIANT_XOR},
    {"inc", PART_VARIANT, VARIANT_INC},
    {"dec", PART_VARIANT, VARIANT_DEC},
    {"idx", PART_VARIANT, VARIANT_IDX},
    {"up", PART_VARIANT, VARIANT_UP},
    {"down", PART_VARIANT, VARIANT_DOWN},
    {"bfly", PART_VARIANT, VARIANT_BFLY},
    {"ballot", PART_VARIANT, VARIANT_BALLOT},
    {"arrive", PART_VARIANT, VARIANT_ARRIVE},
    {"wait", PART_VARIANT, VARIANT_WAIT},
    {"1d", PART_VARIANT, VARIANT_1D},
};

static const char *const passed[] = {
    "relaxed", "acquire", "release", "acq_rel", "sc",  "weak",  "sys",   "gpu",   "cta",
    "cluster", "gl",      "aligned", "sync",    "uni", "rn",    "rz",    "rni",   "rzi",
    "ftz",     "approx",  "full",    "wb",      "wt",  "async", "proxy", "alias", "generic"};

static const struct part *find_part(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && !memcmp(parts[i].name, text, length))
            return &parts[i];
    return NULL;
}

static bool is_passed(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (strlen(passed[i]) == length && !memcmp(passed[i], text, length))
            return true;
    return false;
}

static void take(struct parser *parser, struct modifiers *all, const struct part *part)
{
    switch (part->kind) {
    case PART_TYPE:
        if (all->type_count == MODIFIER_TYPES)
            parser_fail(parser, all->line, "Unexpected instruction types specified for '%s'",
                        all->base);
        all->types[all->type_count++] = (uint8_t)part->value;
        break;
    case PART_SPACE:
        all->space = (uint8_t)part->value;
        break;
    case PART_CACHE:
        all->cache = (uint8_t)part->value;
        break;
    case PART_COUNT:
        all->count = (uint8_t)part->value;
        break;
    case PART_VARIANT:
        all->variant = all->variant == VARIANT_NONE ? (enum variant)part->value : VARIANT_TWO;
        break;
    }
}

void modifiers_read(struct parser *parser, struct modifiers *all)
{
    char name[PTX_NAME_BYTES];
    size_t at;
    *all = (struct modifiers){.count = 1, .line = parser->token.line};
    parser_name(parser, name);
    at = strcspn(name, ".");
    memcpy(all->base, name, at);
    all->base[at] = '\0';
    while (name[at]) {
        const char *text = name + at + 1;
        size_t length = strcspn(text, ".");
        const struct part *part = find_part(text, length);
        if (part)
            take(parser, all, part);
        else if (!is_passed(text, length))
            parser_fail(parser, all->line, "Unknown modifier '.%.*s' of '%s'", (int)length, text,
                        all->base);
        at += 1 + length;
    }
}
