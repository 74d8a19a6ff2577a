#include "document/shape.h"

#include "document/document.h"

#include <limits.h>

/* Every line of a table is one key. A document without a NEED_ key is refused. */
#define FIELD(name, what, type, member) .key = name, .kind = what, .offset = offsetof(type, member)
#define TEXT(name, type, member)                                                                   \
    {                                                                                              \
        FIELD(name, FIELD_TEXT, type, member)                                                      \
    }
#define NEED_TEXT(name, type, member)                                                              \
    {                                                                                              \
        FIELD(name, FIELD_TEXT, type, member), .required = true                                    \
    }
#define NUMBER(name, type, member)                                                                 \
    {                                                                                              \
        FIELD(name, FIELD_NUMBER, type, member)                                                    \
    }
#define FLOAT(name, type, member)                                                                  \
    {                                                                                              \
        FIELD(name, FIELD_FLOAT, type, member)                                                     \
    }
#define WHOLE(name, type, member, max)                                                             \
    {                                                                                              \
        FIELD(name, FIELD_WHOLE, type, member), .bytes = sizeof(((type *)0)->member), .most = max  \
    }
#define NEED_WHOLE(name, type, member, max)                                                        \
    {                                                                                              \
        FIELD(name, FIELD_WHOLE, type, member), .bytes = sizeof(((type *)0)->member), .most = max, \
                                                .required = true                                   \
    }
#define ARRAY(name, what, type, member, count)                                                     \
    {                                                                                              \
        FIELD(name, what, type, member), .count_offset = offsetof(type, count)                     \
    }
#define OBJECT(name, type, member, of)                                                             \
    {                                                                                              \
        FIELD(name, FIELD_OBJECT, type, member), .shape = &(of)                                    \
    }
#define NEED_OBJECT(name, type, member, of)                                                        \
    {                                                                                              \
        FIELD(name, FIELD_OBJECT, type, member), .shape = &(of), .required = true                  \
    }
#define LIST(name, type, member, count, of)                                                        \
    {                                                                                              \
        FIELD(name, FIELD_LIST, type, member), .count_offset = offsetof(type, count),              \
                                               .shape = &(of)                                      \
    }
#define NEED_LIST(name, type, member, count, of)                                                   \
    {                                                                                              \
        FIELD(name, FIELD_LIST, type, member), .count_offset = offsetof(type, count),              \
                                               .shape = &(of), .required = true                    \
    }
#define END                                                                                        \
    {                                                                                              \
        .key = NULL                                                                                \
    }
#define SHAPE(name, type) const struct shape name##_shape = {name##_fields, sizeof(type)}

#define MATRIX_ID(name, id)                                                                        \
    {                                                                                              \
        FIELD(name, FIELD_WHOLE, struct point, id), .bytes = sizeof(int), .most = INT_MAX,         \
                                                    .place = PLACE_MATRIX                          \
    }

static const struct field tool_fields[] = {
    TEXT("version", struct tool_facts, version),
    TEXT("commit", struct tool_facts, commit),
    TEXT("compiler", struct tool_facts, compiler),
    TEXT("analysed", struct tool_facts, analysed),
    END,
};
static SHAPE(tool, struct tool_facts);

static const struct field placement_fields[] = {
    NEED_TEXT("name", struct placement_facts, name),
    NUMBER("handoff_ns", struct placement_facts, handoff_ns),
    WHOLE("looks", struct placement_facts, looks, UINT_MAX),
    END,
};
static SHAPE(placement, struct placement_facts);

static const struct field run_fields[] = {
    TEXT("id", struct run_facts, id),
    TEXT("started", struct run_facts, started),
    NUMBER("elapsed_s", struct run_facts, elapsed_s),
    ARRAY("command", FIELD_TEXTS, struct run_facts, command, command_count),
    {FIELD("seed", FIELD_SEED, struct run_facts, seed)},
    NUMBER("precision", struct run_facts, precision),
    NUMBER("budget_s", struct run_facts, budget_s),
    {FIELD("complete", FIELD_TRUTH, struct run_facts, complete), .required = true},
    LIST("placements", struct run_facts, placements, placement_count, placement_shape),
    WHOLE("moves", struct run_facts, moves, UINT_MAX),
    TEXT("joined", struct run_facts, joined),
    WHOLE("documents", struct run_facts, documents, UINT_MAX),
    END,
};
static SHAPE(run, struct run_facts);

static const struct field kind_fields[] = {
    NEED_TEXT("name", struct cpu_kind_facts, name),
    NEED_TEXT("cpus", struct cpu_kind_facts, cpus),
    END,
};
static SHAPE(kind, struct cpu_kind_facts);

static const struct field cpu_fields[] = {
    TEXT("vendor", struct machine_facts, cpu_vendor),
    TEXT("model", struct machine_facts, cpu_model),
    TEXT("arch", struct machine_facts, cpu_arch),
    WHOLE("cores", struct machine_facts, cores, UINT_MAX),
    WHOLE("threads", struct machine_facts, threads, UINT_MAX),
    LIST("kinds", struct machine_facts, kinds, kind_count, kind_shape),
    END,
};
static SHAPE(cpu, struct machine_facts);

static const struct field cache_fields[] = {
    NEED_WHOLE("level", struct cache_facts, level, INT_MAX),
    NEED_TEXT("type", struct cache_facts, type),
    WHOLE("size_bytes", struct cache_facts, size_bytes, INT64_MAX),
    WHOLE("line_bytes", struct cache_facts, line_bytes, UINT_MAX),
    WHOLE("ways", struct cache_facts, ways, UINT_MAX),
    TEXT("shared_cpus", struct cache_facts, shared_cpus),
    END,
};
static SHAPE(cache, struct cache_facts);

static const struct field numa_fields[] = {
    NEED_WHOLE("id", struct numa_facts, id, INT_MAX),
    TEXT("cpus", struct numa_facts, cpus),
    WHOLE("memory_bytes", struct numa_facts, memory_bytes, INT64_MAX),
    END,
};
static SHAPE(numa, struct numa_facts);

static const struct field gpu_fields[] = {
    NEED_WHOLE("id", struct gpu_facts, id, INT_MAX),
    NEED_TEXT("name", struct gpu_facts, name),
    TEXT("backend", struct gpu_facts, backend),
    TEXT("driver", struct gpu_facts, driver),
    TEXT("kind", struct gpu_facts, kind),
    TEXT("capability", struct gpu_facts, capability),
    {FIELD("modelled", FIELD_TRUTH, struct gpu_facts, modelled)},
    WHOLE("multiprocessors", struct gpu_facts, multiprocessors, UINT_MAX),
    NUMBER("clock_hz", struct gpu_facts, clock_hz),
    NUMBER("memory_clock_hz", struct gpu_facts, memory_clock_hz),
    WHOLE("memory_bus_bits", struct gpu_facts, memory_bus_bits, UINT_MAX),
    WHOLE("memory_bytes", struct gpu_facts, memory_bytes, INT64_MAX),
    WHOLE("l2_bytes", struct gpu_facts, l2_bytes, INT64_MAX),
    WHOLE("first_level_bytes", struct gpu_facts, first_level_bytes, INT64_MAX),
    WHOLE("scratchpad_bytes", struct gpu_facts, scratchpad_bytes, INT64_MAX),
    WHOLE("constant_bytes", struct gpu_facts, constant_bytes, INT64_MAX),
    TEXT("uuid", struct gpu_facts, uuid),
    TEXT("bus", struct gpu_facts, bus),
    TEXT("link", struct gpu_facts, link),
    TEXT("link_most", struct gpu_facts, link_most),
    TEXT("ecc", struct gpu_facts, ecc),
    TEXT("mig", struct gpu_facts, mig),
    NUMBER("host_node", struct gpu_facts, host_node),
    NUMBER("other_processes", struct gpu_facts, other_processes),
    END,
};
static SHAPE(gpu, struct gpu_facts);

static const struct field distances_fields[] = {
    NEED_WHOLE("node", struct declared_distances, node, INT_MAX),
    ARRAY("to", FIELD_SIZES, struct declared_distances, to, count),
    END,
};
static SHAPE(distances, struct declared_distances);

static const struct field way_fields[] = {
    NEED_WHOLE("node", struct declared_way, node, INT_MAX),
    WHOLE("access", struct declared_way, access, UINT_MAX),
    NEED_TEXT("from", struct declared_way, from),
    WHOLE("read_latency_ns", struct declared_way, read_latency_ns, INT64_MAX),
    WHOLE("write_latency_ns", struct declared_way, write_latency_ns, INT64_MAX),
    WHOLE("read_bandwidth", struct declared_way, read_bandwidth, INT64_MAX),
    WHOLE("write_bandwidth", struct declared_way, write_bandwidth, INT64_MAX),
    END,
};
static SHAPE(way, struct declared_way);

static const struct field tier_fields[] = {
    NEED_WHOLE("id", struct declared_tier, id, INT_MAX),
    NEED_TEXT("nodes", struct declared_tier, nodes),
    END,
};
static SHAPE(tier, struct declared_tier);

static const struct field weight_fields[] = {
    NEED_WHOLE("node", struct declared_weight, node, INT_MAX),
    NEED_WHOLE("weight", struct declared_weight, weight, UINT_MAX),
    END,
};
static SHAPE(weight, struct declared_weight);

static const struct field cxl_fields[] = {
    NEED_TEXT("name", struct declared_cxl, name),
    TEXT("mode", struct declared_cxl, mode),
    WHOLE("size_bytes", struct declared_cxl, size_bytes, INT64_MAX),
    WHOLE("interleave_ways", struct declared_cxl, interleave_ways, UINT_MAX),
    WHOLE("interleave_bytes", struct declared_cxl, interleave_bytes, UINT_MAX),
    TEXT("nodes", struct declared_cxl, nodes),
    END,
};
static SHAPE(cxl, struct declared_cxl);

static const struct field module_fields[] = {
    TEXT("slot", struct declared_module, slot),
    TEXT("bank", struct declared_module, bank),
    {FIELD("empty", FIELD_TRUTH, struct declared_module, empty)},
    WHOLE("size_bytes", struct declared_module, size_bytes, INT64_MAX),
    TEXT("type", struct declared_module, type),
    WHOLE("rated_mts", struct declared_module, rated_mts, UINT_MAX),
    WHOLE("configured_mts", struct declared_module, configured_mts, UINT_MAX),
    WHOLE("data_bits", struct declared_module, data_bits, UINT_MAX),
    WHOLE("total_bits", struct declared_module, total_bits, UINT_MAX),
    WHOLE("ranks", struct declared_module, ranks, UINT_MAX),
    TEXT("maker", struct declared_module, maker),
    TEXT("part", struct declared_module, part),
    END,
};
static SHAPE(module, struct declared_module);

static const struct field share_fields[] = {
    NEED_TEXT("resource", struct declared_share, resource),
    NEED_WHOLE("domain", struct declared_share, domain, INT_MAX),
    WHOLE("ways", struct declared_share, ways, UINT_MAX),
    WHOLE("of_ways", struct declared_share, of_ways, UINT_MAX),
    NUMBER("percent", struct declared_share, percent),
    END,
};
static SHAPE(share, struct declared_share);

static const struct field clock_fields[] = {
    NEED_TEXT("cpus", struct declared_clock, cpus),
    WHOLE("hardware_min_hz", struct declared_clock, hardware_min_hz, INT64_MAX),
    WHOLE("hardware_max_hz", struct declared_clock, hardware_max_hz, INT64_MAX),
    WHOLE("min_hz", struct declared_clock, min_hz, INT64_MAX),
    WHOLE("max_hz", struct declared_clock, max_hz, INT64_MAX),
    WHOLE("base_hz", struct declared_clock, base_hz, INT64_MAX),
    END,
};
static SHAPE(clock, struct declared_clock);

static const struct field objects_fields[] = {
    NEED_TEXT("type", struct declared_objects, type),
    ARRAY("indexes", FIELD_SIZES, struct declared_objects, indexes, index_count),
    ARRAY("cpus", FIELD_TEXTS, struct declared_objects, cpus, cpus_count),
    WHOLE("size_bytes", struct declared_objects, size_bytes, INT64_MAX),
    WHOLE("line_bytes", struct declared_objects, line_bytes, UINT_MAX),
    WHOLE("ways", struct declared_objects, ways, UINT_MAX),
    END,
};
static SHAPE(objects, struct declared_objects);

static const struct field declared_fields[] = {
    LIST("distances", struct declared_facts, distances, distance_count, distances_shape),
    LIST("access", struct declared_facts, ways, way_count, way_shape),
    LIST("tiers", struct declared_facts, tiers, tier_count, tier_shape),
    LIST("weights", struct declared_facts, weights, weight_count, weight_shape),
    LIST("cxl", struct declared_facts, cxl, cxl_count, cxl_shape),
    LIST("modules", struct declared_facts, modules, module_count, module_shape),
    TEXT("resctrl_group", struct declared_facts, share_group),
    LIST("resctrl", struct declared_facts, shares, share_count, share_shape),
    LIST("clocks", struct declared_facts, clocks, clock_count, clock_shape),
    LIST("hwloc", struct declared_facts, objects, object_count, objects_shape),
    END,
};
static SHAPE(declared, struct declared_facts);

static const struct field machine_fields[] = {
    TEXT("model_of", struct machine_facts, model_of),
    TEXT("hostname", struct machine_facts, hostname),
    TEXT("os", struct machine_facts, os),
    TEXT("kernel", struct machine_facts, kernel),
    TEXT("bios", struct machine_facts, bios),
    TEXT("microcode", struct machine_facts, microcode),
    ARRAY("mitigations", FIELD_TEXTS, struct machine_facts, mitigations, mitigation_count),
    TEXT("hypervisor", struct machine_facts, hypervisor),
    {.key = "cpu", .kind = FIELD_OBJECT, .shape = &cpu_shape},
    LIST("caches", struct machine_facts, caches, cache_count, cache_shape),
    TEXT("caches_by", struct machine_facts, caches_by),
    LIST("numa", struct machine_facts, nodes, node_count, numa_shape),
    WHOLE("memory_bytes", struct machine_facts, memory_bytes, INT64_MAX),
    ARRAY("page_sizes", FIELD_SIZES, struct machine_facts, page_sizes, page_size_count),
    LIST("gpus", struct machine_facts, gpus, gpu_count, gpu_shape),
    OBJECT("declared", struct machine_facts, declared, declared_shape),
    END,
};
static SHAPE(machine, struct machine_facts);

static const struct field remark_fields[] = {
    NEED_TEXT("what", struct remark, what),
    TEXT("why", struct remark, why),
    TEXT("remedy", struct remark, remedy),
    END,
};
static SHAPE(remark, struct remark);

static const struct field conditions_fields[] = {
    NUMBER("core_hz", struct conditions, core_hz),
    NUMBER("counter_hz", struct conditions, counter_hz),
    TEXT("counter", struct conditions, counter),
    TEXT("governor", struct conditions, governor),
    TEXT("turbo", struct conditions, turbo),
    TEXT("smt", struct conditions, smt),
    TEXT("thp", struct conditions, thp),
    TEXT("affinity", struct conditions, affinity),
    NUMBER("load1", struct conditions, load1),
    NUMBER("others_cpus", struct conditions, others_cpus),
    NUMBER("stolen_s", struct conditions, stolen_s),
    LIST("remarks", struct conditions, remarks, remark_count, remark_shape),
    ARRAY("warnings", FIELD_TEXTS, struct conditions, warnings, warning_count),
    END,
};
static SHAPE(conditions, struct conditions);

static const struct field family_fields[] = {
    TEXT("name", struct family_facts, name),
    TEXT("grade", struct family_facts, grade),
    TEXT("why", struct family_facts, why),
    END,
};
static SHAPE(family, struct family_facts);

static const struct field verdict_fields[] = {
    TEXT("sentence", struct verdict_facts, sentence),
    LIST("families", struct verdict_facts, families, family_count, family_shape),
    END,
};
static SHAPE(verdict, struct verdict_facts);

static const struct field estimate_fields[] = {
    FLOAT("median", struct estimate, median),
    FLOAT("low", struct estimate, low),
    FLOAT("high", struct estimate, high),
    END,
};
static SHAPE(estimate, struct estimate);

static const struct field former_fields[] = {
    NUMBER("value", struct former, value),
    NUMBER("low", struct former, low),
    NUMBER("high", struct former, high),
    END,
};
static SHAPE(former, struct former);

static const struct field disturbance_fields[] = {
    FLOAT("longer", struct disturbance, longer),
    FLOAT("trials", struct disturbance, trials),
    END,
};
static SHAPE(disturbance, struct disturbance);

static const struct field scatter_fields[] = {
    FLOAT("line", struct scatter, line),
    FLOAT("drift", struct scatter, drift),
    FLOAT("residual", struct scatter, residual),
    END,
};
static SHAPE(scatter, struct scatter);

static const struct field point_fields[] = {
    {FIELD("x", FIELD_NUMBER, struct point, x), .place = PLACE_CURVE},
    MATRIX_ID("from", from),
    MATRIX_ID("to", to),
    FLOAT("median", struct point, y.median),
    FLOAT("low", struct point, y.low),
    FLOAT("high", struct point, y.high),
    FLOAT("coverage", struct point, y.coverage),
    FLOAT("min", struct point, y.min),
    FLOAT("p10", struct point, y.p10),
    FLOAT("p25", struct point, y.p25),
    FLOAT("p75", struct point, y.p75),
    FLOAT("p90", struct point, y.p90),
    FLOAT("max", struct point, y.max),
    NEED_WHOLE("n", struct point, y.n, INT_MAX),
    {FIELD("flags", FIELD_FLAGS, struct point, flags)},
    WHOLE("redone", struct point, redone, UINT_MAX),
    OBJECT("cycles", struct point, cycles, estimate_shape),
    OBJECT("disturbance", struct point, disturbance, disturbance_shape),
    {.key = "quiet", .kind = FIELD_FORMER, .offset = FORMER_QUIET, .shape = &former_shape},
    {.key = "quiet_cycles",
     .kind = FIELD_FORMER,
     .offset = FORMER_QUIET_CYCLES,
     .shape = &former_shape},
    OBJECT("scatter", struct point, scatter, scatter_shape),
    FLOAT("by_clock", struct point, by_clock),
    TEXT("failed", struct point, failed),
    END,
};
SHAPE(point, struct point);

static const struct field axis_fields[] = {
    NEED_TEXT("name", struct axis, name),
    NEED_TEXT("unit", struct axis, unit),
    END,
};
static SHAPE(axis, struct axis);

const struct field factor_list = ARRAY("", FIELD_VALUES, struct factor, list, list_count);

static const struct field series_fields[] = {
    NEED_TEXT("name", struct series, name),
    ARRAY("factors", FIELD_FACTORS, struct series, factors, factor_count),
    {FIELD("headline", FIELD_TRUTH, struct series, headline)},
    OBJECT("x", struct series, x, axis_shape),
    NEED_OBJECT("y", struct series, y, axis_shape),
    NEED_LIST("points", struct series, points, point_count, point_shape),
    END,
};
static SHAPE(series, struct series);

static const struct field finding_fields[] = {
    NEED_TEXT("name", struct finding, name),
    NUMBER("value", struct finding, value),
    TEXT("unit", struct finding, unit),
    NUMBER("low", struct finding, low),
    NUMBER("high", struct finding, high),
    TEXT("kind", struct finding, kind),
    NUMBER("clock_hz", struct finding, clock_hz),
    ARRAY("runs", FIELD_VALUES, struct finding, runs, run_count),
    OBJECT("disturbance", struct finding, disturbance, disturbance_shape),
    {.key = "quiet", .kind = FIELD_FORMER, .offset = FORMER_QUIET, .shape = &former_shape},
    NUMBER("declared", struct finding, declared),
    TEXT("text", struct finding, text),
    TEXT("cpus", struct finding, cpus),
    {FIELD("flags", FIELD_FLAGS, struct finding, flags)},
    ARRAY("factors", FIELD_FACTORS, struct finding, factors, factor_count),
    END,
};
SHAPE(finding, struct finding);

static const struct field probe_fields[] = {
    NEED_TEXT("name", struct probe_result, name),
    TEXT("title", struct probe_result, title),
    TEXT("about", struct probe_result, about),
    {FIELD("status", FIELD_STATUS, struct probe_result, status), .required = true},
    TEXT("reason", struct probe_result, reason),
    NUMBER("elapsed_s", struct probe_result, elapsed_s),
    ARRAY("parameters", FIELD_FACTORS, struct probe_result, parameters, parameter_count),
    LIST("series", struct probe_result, series, series_count, series_shape),
    LIST("findings", struct probe_result, findings, finding_count, finding_shape),
    END,
};
static SHAPE(probe, struct probe_result);

static const struct field document_fields[] = {
    OBJECT("tool", struct document, tool, tool_shape),
    NEED_OBJECT("run", struct document, run, run_shape),
    OBJECT("machine", struct document, machine, machine_shape),
    OBJECT("conditions", struct document, conditions, conditions_shape),
    OBJECT("verdict", struct document, verdict, verdict_shape),
    NEED_LIST("probes", struct document, probes, probe_count, probe_shape),
    END,
};
SHAPE(document, struct document);
