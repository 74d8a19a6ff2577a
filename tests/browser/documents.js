#!/usr/bin/env node
/*
 * Documents for the page's tests and its benchmark, made and not measured:
 *   documents.js NAME >FILE       names: large, small, twin, huge, loaded, numbered, machine, hostile,
 *                               bare, long
 */
"use strict";

/* A generator of its own (mulberry32), so that every run makes the same documents. */
function randomFrom(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

const estimate = (median, width) => ({ median, low: median * (1 - width), high: median * (1 + width) });

function point(place, median, width, ghz, flags) {
    return { ...place, ...estimate(median, width), coverage: 0.96875, min: median * (1 - 2 * width),
        p25: median * (1 - width / 2), p75: median * (1 + width / 2), max: median * (1 + 2 * width),
        n: 11, ...(flags.length ? { flags } : {}),
        ...(ghz ? { cycles: estimate(median * ghz, width) } : {}) };
}

const LEVELS = [[32 << 10, 1.25], [1 << 20, 4.4], [32 << 20, 17], [Infinity, 92]];

/* Latency over size: steps at the capacities, each rounded off as real ones are. */
function staircase(size, slow) {
    return LEVELS.reduce((latency, [capacity], i) => {
        const beyond = size / capacity;
        const share = beyond <= 1 ? 0 : Math.min(1, 1.3 * (1 - 1 / beyond));
        return i + 1 < LEVELS.length ? latency + share * (LEVELS[i + 1][1] - LEVELS[i][1]) : latency;
    }, LEVELS[0][1]) * slow;
}

function latencySeries(random, stride, slow) {
    const points = [];
    for (let x = 1024; x <= 1 << 30; x = x * 2 ** (1 / 6)) {
        const size = Math.round(x / 64) * 64, width = 0.004 + random() * (size > 1 << 20 ? 0.05 : 0.008);
        points.push(point({ x: size }, staircase(size, slow) * (1 + (random() - 0.5) * width), width, 3.2,
            width > 0.045 ? ["unconverged"] : []));
    }
    return { name: "latency", headline: stride === 64, factors: { order: "random", stride, pages: "huge2m" },
        x: { name: "working set", unit: "B" }, y: { name: "latency", unit: "ns" }, points };
}

function bandwidthSeries(random, op, most) {
    const points = [];
    for (let x = 1; x <= 128; x *= 2)
        points.push(point({ x }, most * (1 - Math.exp(-x / 9)) * (1 + random() * 0.02), 0.01, 0, []));
    return { name: op, headline: true, factors: { op }, x: { name: "CPUs", unit: "" },
        y: { name: "bandwidth", unit: "B/s" }, points };
}

/* Hand-offs of `count` CPUs: sixteen to a cluster, siblings half the count apart, two sockets. */
function handOffs(random, count) {
    const points = [], half = count / 2;
    const group = (cpu) => Math.floor((cpu % half) / 8), socket = (cpu) => cpu % half >= half / 2;
    for (let from = 0; from < count; from++)
        for (let to = 0; to < count; to++) {
            if (from === to)
                continue;
            const near = from % half === to % half ? 18 : group(from) === group(to) ? 31
                : socket(from) === socket(to) ? 92 : 205;
            points.push(point({ from, to }, near * (1 + (random() - 0.5) * 0.08), 0.01, 3.2, []));
        }
    return { name: "hand-off", headline: true, factors: { op: "cas", lines: 64 },
        x: { name: "cpu", unit: "" }, y: { name: "latency", unit: "ns" }, points };
}

function clusters(count) {
    const found = [], half = count / 2;
    for (let first = 0; first < half; first += 8)
        found.push({ name: "cluster", unit: "ns", value: 31, low: 30.6, high: 31.4,
            cpus: `${first}-${first + 7},${half + first}-${half + first + 7}`,
            text: "CPUs that share a cache" });
    return found;
}

function frame(hostname, seed, probes) {
    return { schema: "fathom/1", tool: { version: "0.1.0", commit: "0123456", compiler: "12.2.0" },
        run: { id: "ca11c573a330b2f8", started: "2026-11-21T04:18:25Z", elapsed_s: 41.2,
            command: ["fathom", "run", "--cpus", "0-127"], seed: String(seed), precision: 0.01, budget_s: 40,
            complete: true },
        machine: { hostname, os: "Linux", kernel: "6.12.9", cpu: { vendor: "AuthenticAMD",
            model: "AMD EPYC 7543 32-Core Processor", arch: "x86_64", cores: 64, threads: 128 },
        caches: [{ level: 1, type: "data", size_bytes: 32768, line_bytes: 64, ways: 8 },
            { level: 2, type: "unified", size_bytes: 1048576, line_bytes: 64, ways: 8 },
            { level: 3, type: "unified", size_bytes: 33554432, line_bytes: 64, ways: 16 }],
        memory_bytes: 274877906944, page_sizes: [4096, 2097152, 1073741824] },
        conditions: { core_hz: 3.2e9, counter_hz: 2.4e9, counter: "tsc", governor: "performance",
            turbo: "on", smt: "on", thp: "madvise", affinity: "0-127", load1: 0.08,

            remarks: [{ what: "load average 0.08 on 128 CPUs", remedy: "nothing to do" }] }, probes };
}

const finding = (name, unit, value, more = {}) =>
    ({ name, unit, value, low: value * 0.996, high: value * 1.004, ...more });

function large({ hostname = "node-17", seed = 7, cpus = 128, slow = 1 } = {}) {
    const random = randomFrom(seed);
    const strides = [64, 128, 256, 512, 1024, 4096];
    const ops = ["read", "write", "copy", "scale", "add", "triad", "fill", "update", "sum", "dot",
        "gather", "scatter", "stream-read", "stream-write"];
    const levels = [["L1", 4, 32768], ["L2", 14.1, 1048576], ["L3", 54, 29360128]];
    return frame(hostname, seed, [
        { name: "latency", title: "Load latency by working-set size", status: "ok", elapsed_s: 20,
            about: "How long one load takes whose address is known only when the one before it has arrived.\n" +
                "Page size, clock and neighbours move it.",
            parameters: { pages: "auto", order: "random" },
            series: strides.map((stride, i) => latencySeries(random, stride, slow * (1 + i * 0.13))),
            findings: [...levels.flatMap(([name, cycles, capacity]) => [
                finding(`${name}.latency`, "cycles", cycles * slow),
                finding(`${name}.latency_ns`, "ns", cycles * slow / 3.2),
                finding(`${name}.capacity`, "B", capacity, { declared: name === "L3" ? 33554432 : capacity }),
                { name: `${name}.line`, unit: "B", value: 64 }, { name: `${name}.ways`, unit: "", value: 8 }]),
            finding("DRAM.latency", "cycles", 294 * slow, { flags: ["unconverged"] }),
            finding("DRAM.latency_ns", "ns", 92 * slow, { flags: ["unconverged"] }),
            finding("core.clock", "Hz", 3.2e9)] },
        { name: "cores", title: "Hand-off latency between cores", status: "ok", elapsed_s: 14,
            about: "How long it takes until a line that one core has written is seen by another.",
            parameters: { lines: 64 }, series: [handOffs(random, cpus)],
            findings: [finding("cores.cas.min", "ns", 17.4), finding("cores.cas.mean", "ns", 133),
                finding("cores.cas.max", "ns", 213), ...clusters(cpus)] },
        { name: "bandwidth", title: "Bandwidth by number of CPUs", status: "partial",
            reason: "2 of 112 points have no value: the time was used up", elapsed_s: 6,
            series: ops.map((op, i) => bandwidthSeries(random, op, (190 - 7 * i) * 1e9)),
            findings: [finding("bandwidth.read.all", "B/s", 1.9e11)] },
    ]);
}

const EVIL = `</script><script>window.evil=1</script><img src=x onerror="window.evil=2">'"&lt;\u202e` +
    "\u2066rev\u2069\u200b\u0007\u001b[31m\u2028\u2029<!--]]>${window.evil=3}`";

/* 512 cores with two threads each, on 64 nodes, and a node of memory alone. */
function machine() {
    const document = large({ hostname: "node-21", cpus: 16 }), gib = 2 ** 30;
    Object.assign(document.machine, { cpu: { model: "Made-up CPU", arch: "x86_64", cores: 512, threads: 1024 },
        numa: Array.from({ length: 65 }, (_, id) => id === 64 ? { id, cpus: "", memory_bytes: 256 * gib }
            : { id, cpus: `${8 * id}-${8 * id + 7},${512 + 8 * id}-${519 + 8 * id}`, memory_bytes: (64 - id / 64) * gib }) });
    ["0,512", "0,512", "0-7,512-519"].forEach((cpus, level) => { document.machine.caches[level].shared_cpus = cpus; });
    return document;
}

/* Every text is an attack, numbers are at the ends of their range, keys are missing. */
function hostile() {
    const text = (more) => EVIL + more;
    const wild = [1e308, 1e-300, 0, -5, 3e38, 12, 1.7e308].map((x, i) => ({ x,
        median: [1, 3e38, 1e-38, 5, -2, 0, 7][i], low: [0, 1, 0, -1e30, -3, 0, 7][i],
        high: [2, 3.3e38, 1, 3e38, 0, 0, 7][i], n: 1 + i, failed: i === 3 ? text("failed") : undefined }));
    const series = (more) => ({ name: text("series"), factors: { [text("factor")]: text("value"), n: 1e300 },
        x: { name: text("x"), unit: text("unit") }, y: { name: text("y"), unit: text("unit") }, ...more });
    const document = frame(text("host"), 3, [
        { name: text("probe"), title: text("title"), about: text("about") + "\n" + text("more"), status: "failed",
            reason: text("reason"), parameters: { [text("p")]: text("v") },
            series: [series({ points: wild }), series({ points: [] }),
                series({ x: { name: "working set", unit: "B" }, points: wild.map((p) => ({ ...p, flags: ["drift"] })) }),
                series({ points: [{ from: 2147483647, to: 0, median: 3e38, n: 1 }, { from: 0, to: 2147483647,
                    median: 1e-38, n: 1 }, { from: 5, to: 5, n: 0, failed: text("nothing") }] })],
            findings: [{ name: text("finding"), unit: text("unit"), value: 1e308, low: -1e308, high: 1e308,
                text: text("sentence"), cpus: text("cpus"), flags: ["unstable"] },
            { name: "L1.capacity", unit: "B", value: 1e300, declared: -4 }, { name: "L2.latency", unit: "", value: 0 },
            { name: "cluster", unit: "", value: 1, cpus: "0-99999999,x," + EVIL },
            { name: "cluster", unit: "", value: 1, cpus: "0,5" }] },
        { name: "</title>", status: "ok" }]);
    document.tool = { version: text("v"), commit: text("c"), compiler: text("cc") };
    document.run.command = ["fathom", text("it's"), "", "a b"];
    document.machine.cpu.model = text("model");
    document.machine.kernel = document.machine.hypervisor = text("k");
    document.conditions.remarks = [
        { what: text("remark"), why: text("why"), remedy: text("remedy") },
        { what: "javascript:window.evil=4" }];
    return document;
}

/* Nothing that the schema does not ask for. */
function bare() {
    return { schema: "fathom/1", run: { complete: false }, probes: [
        { name: "a", status: "ok" }, { name: "b", status: "skipped" },
        { name: "c", status: "ok", series: [{ name: "s", y: { name: "", unit: "" }, points: [] },
            { name: "t", y: { name: "", unit: "" }, points: [{ x: 1, n: 0 }] },
            { name: "u", y: { name: "v", unit: "" }, points: [{ x: 1, n: 1, median: 2 }] },
            { name: "m", y: { name: "w", unit: "ns" }, points: [{ from: 0, to: 1, n: 0 }] }] }] };
}

/* Texts of ten megabytes. */
function long() {
    const text = "<b>&long text</b> ".repeat(600000);
    const document = frame(text, 3, [{ name: "p", title: text, about: text, status: "failed", reason: text,
        series: [{ name: text, y: { name: "y", unit: "ns" }, points: [{ x: 1, n: 1, median: 2 }] }] }]);
    return document;
}

/* Latency over bandwidth, from 2.5 to 200 GB/s. */
function loaded() {
    return frame("node-20", 9, [{ name: "loaded", title: "Latency under load", status: "ok",
        series: [{ name: "loaded", x: { name: "bandwidth", unit: "B/s" }, y: { name: "latency", unit: "ns" },
            points: [2.5, 8, 40, 120, 180, 200].map((x) => point({ x: x * 1e9 }, 84 + x, 0.01, 3.2, [])) }] }]);
}

/* What is measured of each CPU, before what is measured of all of them. */
function numbered() {
    const random = randomFrom(13), of = (name, ...values) => ({ name, x: { name: "cpu", unit: "" },
        y: { name: "share", unit: "%" }, points: values.map((value, x) => point({ x }, value, 0.1, 0, [])) });
    return frame("node-22", 13, [
        { name: "noise", title: "Who takes the core away", status: "ok", series: [of("noise", 4, 40, 8, 30), of("threads", 3, 20, 7, 2)] },
        { name: "latency", title: "Load latency", status: "ok", series: [latencySeries(random, 64, 1)] }]);
}

const documents = { large, loaded, numbered, hostile, bare, long, machine,
    small: () => large({ cpus: 16 }),
    twin: () => large({ hostname: "node-18", seed: 11, slow: 1.1 }),
    huge: () => large({ hostname: "node-19", seed: 5, cpus: 256 }) };

module.exports = { documents, EVIL };
if (require.main === module)
    process.stdout.write(JSON.stringify(documents[process.argv[2]]()));
