#include "base/quote.h"
#include "compare/fleet/document.h"
#include "document/json.h"

#include <errno.h>
#include <math.h>

static void put_text(FILE *out, const char *key, const char *text)
{
    if (text)
        json_text(out, ",", key, text);
}

/* --- nodes --- */

static void put_node(FILE *out, const struct fleet *fleet, const struct fleet_node *node)
{
    static const char *const states[] = {[NODE_JUDGED] = "judged",
                                         [NODE_REPLACED] = "replaced",
                                         [NODE_ALONE] = "alone",
                                         [NODE_BEFORE] = "before"};
    json_text(out, "{", "name", node->name);
    put_text(out, "file", node->file);
    put_text(out, "started", node->started);
    put_text(out, "bios", node->bios);
    if (node->memory_bytes)
        fprintf(out, ",\"memory_bytes\":%llu", (unsigned long long)node->memory_bytes);
    fprintf(out, ",\"state\":\"%s\"", states[node->state]);
    if (node->state == NODE_JUDGED || node->state == NODE_ALONE)
        fprintf(out, ",\"group\":%zu", node->group);
    if (node->odd) {
        fprintf(out, ",\"odd\":true,\"odd_values\":%zu", node->odd_count);
        if (node->leading)
            fprintf(out, ",\"farthest\":%zu", (size_t)(node->leading - fleet->findings));
        put_text(out, "cause", node->cause);
        put_text(out, "reason", node->reason);
    }
    fputc('}', out);
}

/* --- groups --- */

struct making {
    struct fleet *fleet;
    size_t group;
    struct document *baseline;
};

static int make_baseline(void *with)
{
    const struct making *making = with;
    fleet_baseline(making->fleet, making->group, making->baseline);
    return 0;
}

static int put_groups(FILE *out, struct fleet *fleet, struct error *error)
{
    int code = 0;
    fputs(",\n\"groups\":[", out);
    for (size_t g = 0; g < fleet->group_count && code == 0; g++) {
        const struct fleet_group *group = &fleet->groups[g];
        struct document baseline = {0};
        json_text(out, g ? ",\n{" : "\n{", "name", group->name);
        fprintf(out, ",\"nodes\":%zu", group->count);
        if (group->judged) {
            fputs(",\"judged\":true,\"baseline\":", out);
            code = pool_enter(&fleet->pool, make_baseline, &(struct making){fleet, g, &baseline},
                              error);
            if (code == 0)
                code = document_write(&baseline, out, error);
        }
        fputc('}', out);
    }
    fputc(']', out);
    return code;
}

/* --- findings --- */

static void put_factors(FILE *out, const struct finding *finding)
{
    if (!finding->factor_count)
        return;
    const char *separator = "";
    fputs(",\"factors\":{", out);
    for (size_t i = 0; i < finding->factor_count; i++) {
        const struct factor *factor = &finding->factors[i];
        if (!factor->text && !isfinite(factor->number))
            continue;
        fputs(separator, out);
        separator = ",";
        json_print(out, factor->name);
        fputc(':', out);
        if (factor->text)
            json_print(out, factor->text);
        else
            fprintf(out, "%.9g", factor->number);
    }
    fputc('}', out);
}

static void put_findings(FILE *out, const struct fleet *fleet)
{
    fputs(",\n\"findings\":[", out);
    for (size_t f = 0; f < fleet->finding_count; f++) {
        const struct fleet_finding *finding = &fleet->findings[f];
        json_text(out, f ? ",\n{" : "\n{", "name", finding->like.name);
        put_text(out, "probe", finding->probe);
        put_text(out, "unit", finding->like.unit);
        put_factors(out, &finding->like);
        if (finding->spreads) {
            const char *separator = "\n";
            fputs(",\"groups\":[", out);
            for (size_t g = 0; g < fleet->group_count; g++) {
                const struct fleet_spread *spread = &finding->spreads[g];
                if (!spread->count)
                    continue;
                fprintf(out, "%s{\"group\":%zu,\"nodes\":%zu", separator, g, spread->count);
                json_number(out, ",", "median", spread->median);
                json_number(out, ",", "p10", spread->p10);
                json_number(out, ",", "p90", spread->p90);
                json_number(out, ",", spread->logarithms ? "relative_deviation" : "deviation",
                            spread->peers.spread);
                json_number(out, ",", "freedom", fmin(spread->peers.freedom, spread->peers.tails));
                fputc('}', out);
                separator = ",\n";
            }
            fputc(']', out);
        }
        /* [node, value, low, high, distance, p]; null is unknown. An array, because member names in
         * each of a million lines would be most of the file. */
        fputs(",\"values\":[", out);
        for (size_t i = 0; i < finding->count; i++) {
            const struct fleet_value *value = &finding->values[i];
            const double numbers[] = {value->value, value->low, value->high,
                                      isfinite(value->ratio) ? value->distance : NAN,
                                      isfinite(value->ratio) ? value->p : NAN};
            fprintf(out, "%s[%zu", i ? ",\n" : "\n", value->node);
            for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
                if (isfinite(numbers[n]))
                    fprintf(out, n < 3 ? ",%.9g" : ",%.4g", numbers[n]);
                else
                    fputs(",null", out);
            fputs(value->odd ? ",true]" : "]", out);
        }
        fputc(']', out);
        fputc('}', out);
    }
    fputc(']', out);
}

int fleet_write(struct fleet *fleet, FILE *out, struct error *error)
{
    errno = 0;
    fprintf(out,
            "{\"schema\":\"" FLEET_SCHEMA "\",\n\"judged\":%zu,\"odd\":%zu,\"compared\":%zu,"
            "\"false_share\":%.9g,\"least\":%.9g",
            fleet->judged, fleet->odd_count, fleet->compared, fleet->rules.false_share,
            fleet->rules.least);
    fputs(",\n\"odd_nodes\":[", out);
    for (size_t i = 0; i < fleet->odd_count; i++)
        fprintf(out, "%s%zu", i ? "," : "", fleet->odd[i]);
    fputc(']', out);
    fputs(",\n\"nodes\":[", out);
    for (size_t i = 0; i < fleet->node_count; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_node(out, fleet, &fleet->nodes[i]);
    }
    fputs("],\n\"holes\":[", out);
    for (size_t i = 0; i < fleet->hole_count; i++) {
        json_text(out, i ? ",\n{" : "\n{", "name", fleet->holes[i].name);
        put_text(out, "reason", fleet->holes[i].reason);
        fputc('}', out);
    }
    fputc(']', out);
    const int code = put_groups(out, fleet, error);
    if (code < 0)
        return code;
    put_findings(out, fleet);
    fputs("}\n", out);
    return 0;
}
