/* What the page has to do in a browser: tests.js FATHOM FOLDER CHROMIUM. Prints TAP. */
"use strict";
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const { Browser } = require("./browser.js");
const charts = require("./charts.js");
const layout = require("./layout.js");
const { EVIL } = require("./documents.js");

const SAMPLE = path.join(__dirname, "../cli/sample.json");
const DEVICES = path.join(__dirname, "../data/gpu/made-up.json");
const EXPERIMENTS = path.join(__dirname, "../data/findings/experiments.json");
const close = (a, b, relative) => a === b || Math.abs(a - b) <= relative * Math.abs(b);
const distance = (a, b) => Math.max(...a.map((channel, i) => Math.abs(channel - b[i])));
const numbers = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number);

class Skip extends Error {}

/* Read in the page: the canvas of the i-th picture where its series says that a point is, or
 * `away` device pixels above it. Whether any pixel within two of it has the wanted colour. */
const hasColour = ({ picture, series, at, colour, away, slack }) => {
    const { plot } = window.fathom.pictures[picture];
    const data = plot.data;
    const x = plot.valToPos(data[0][at], "x", true), y = plot.valToPos(data[3 * series + 1][at], "y", true);
    const canvas = plot.root.querySelector("canvas");
    const near = canvas.getContext("2d").getImageData(Math.round(x) - 2, Math.round(y) - 2 - (away ?? 0), 5, 5).data;
    for (let i = 0; i < near.length; i += 4)
        if (near[i + 3] > 60 && colour.every((channel, c) => Math.abs(channel - near[i + c]) <= slack))
            return true;
    return false;
};

const tests = {
    ...charts.tests,
    ...layout.tests,

    async "a page opens without an error or a request"(browser) {
        for (const names of [SAMPLE, "large", "bare", "huge", ["large", "twin"]]) {
            const page = await browser.open(names);
            assert.equal(await page.evaluate(() => performance.getEntriesByName("fathom-usable").length), 1);
            assert.deepEqual(page.wrong, []);
            await page.context().close();
        }
    },

    async "the policy of the page forbids every network access"(browser) {
        const page = await browser.open("bare");
        let connections = 0;
        const server = net.createServer((socket) => {
            connections++;
            socket.destroy();
        });
        await new Promise((done) => server.listen(0, "127.0.0.1", done));
        const refused = await page.evaluate(async (url) => {
            const violations = [];
            document.addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
            await fetch(url).catch(() => {});
            const image = new Image();
            image.src = url;
            const script = document.createElement("script");
            script.textContent = "window.evil = 1";
            document.body.append(image, script);
            for (let waits = 0; violations.length < 3 && waits < 600; waits++)
                await new Promise((done) => setTimeout(done, 100));
            return { violations, evil: window.evil };
        }, `http://127.0.0.1:${server.address().port}/`);
        server.close();
        assert.deepEqual(refused.violations.sort(), ["connect-src", "img-src", "script-src-elem"]);
        assert.equal(refused.evil, undefined);
        assert.equal(connections, 0);
    },

    async "each chart holds what the document says"(browser) {
        const page = await browser.open("large");
        const document = browser.document("large");
        const plots = await page.evaluate(() => window.fathom.pictures.map(({ plot, picture }) =>
            plot && { data: plot.data, labels: picture.series.map((series) => series.label) }));
        let compared = 0;
        for (const [probe, picture] of [["latency", 0], ["bandwidth", 1]])
            document.probes.find((one) => one.name === probe).series.forEach((series, index) => {
                const { data } = plots[picture];
                for (const point of series.points) {
                    const at = data[0].findIndex((x) => close(x, point.x, 1e-9));
                    assert.ok(at >= 0, `x ${point.x}`);
                    ["median", "high", "low"].forEach((what, column) => {
                        assert.ok(close(data[3 * index + 1 + column][at], point[what], 1e-6),
                            `${probe} ${index} ${what} at ${point.x}`);
                        compared++;
                    });
                }
            });
        assert.ok(compared > 2000);
        assert.ok(plots[0].labels.includes("stride 4096"));
    },

    async "each chart draws it: lines, bands and capacities are on the canvas"(browser) {
        for (const scheme of ["light", "dark"]) {
            const page = await browser.open("large", { colorScheme: scheme });
            for (const [picture, count] of [[0, 6], [1, 14]])
                for (let series = 0; series < count; series += 5) {
                    const colour = numbers(await page.evaluate(({ picture, series }) =>
                        window.fathom.pictures[picture].plot.series[3 * series + 1].stroke(), { picture, series }));
                    for (const at of [1, 4, 6])
                        assert.ok(await page.evaluate(hasColour, { picture, series, at, colour, slack: 60 }),
                            `${scheme}: series ${series} of picture ${picture} at ${at}`);
                }
            await page.context().close();
        }
        const page = await browser.open(SAMPLE);
        const found = await page.evaluate(() => {
            const { plot, picture } = window.fathom.pictures[0];
            const context = plot.root.querySelector("canvas").getContext("2d");
            const alpha = (x, y) => context.getImageData(Math.round(x), Math.round(y), 1, 1).data[3];
            const widest = plot.data[0].reduce((best, _, i) =>
                plot.data[2][i] / plot.data[3][i] > plot.data[2][best] / plot.data[3][best] ? i : best, 0);
            const x = plot.valToPos(plot.data[0][widest], "x", true);
            const between = (a, b) => (plot.valToPos(plot.data[a][widest], "y", true) + plot.valToPos(plot.data[b][widest], "y", true)) / 2;
            const line = plot.valToPos(524288, "x", true);
            let marked = 0;
            for (let y = plot.bbox.top; y < plot.bbox.top + plot.bbox.height; y++)
                marked += Math.max(alpha(line - 1, y), alpha(line, y), alpha(line + 1, y)) > 100;
            return { band: alpha(x + 2, between(1, 2)) + alpha(x + 2, between(1, 3)), marked,
                height: plot.bbox.height, marks: picture.marks.map((mark) => mark.x) };
        });
        assert.deepEqual(found.marks, [32768, 524288, 33554432]);
        assert.ok(found.band > 60, `band ${found.band}`);
        assert.ok(found.marked > found.height / 4, `${found.marked} of ${found.height} pixels of the L2 line`);
    },

    async "the switch from ns to cycles changes curves, maps and labels"(browser) {
        const page = await browser.open("large");
        const point = browser.document("large").probes[0].series[0].points[20];
        const pair = browser.document("large").probes[1].series[0].points[5];
        await page.getByRole("button", { name: "cycles", exact: true }).click();
        const now = await page.evaluate(() => ({ data: window.fathom.pictures[0].plot.data.slice(0, 4),
            label: window.fathom.pictures[0].plot.axes[1].label,
            bandwidth: window.fathom.pictures[1].plot.data[1].at(-1) }));
        const at = now.data[0].findIndex((x) => close(x, point.x, 1e-9));
        assert.ok(close(now.data[1][at], point.cycles.median, 1e-6));
        assert.ok(close(now.data[3][at], point.cycles.low, 1e-6));
        assert.match(now.label, /cycles/);
        assert.ok(now.bandwidth > 1e10, "what has no cycles stays as it is");
        const cell = await page.evaluate(({ from, to }) => window.fathom.pictures[2].maps[0].value(from, to), pair);
        assert.ok(close(cell.y, pair.cycles.median, 1e-3));
        await page.getByRole("button", { name: "ns", exact: true }).click();
        assert.match(await page.evaluate(() => window.fathom.pictures[0].plot.axes[1].label), /ns/);
        assert.deepEqual(page.wrong, []);
    },

    async "the legend hides a series and shows it again"(browser) {
        const page = await browser.open("large");
        const button = page.locator("#picture-0 .legend button").nth(2);
        const colour = numbers(await page.evaluate(() => window.fathom.pictures[0].plot.series[7].stroke()));
        const there = () => page.evaluate(hasColour, { picture: 0, series: 2, at: 3, colour, slack: 40 });
        assert.ok(await there());
        await button.click();
        assert.equal(await button.getAttribute("aria-pressed"), "false");
        assert.ok(!await there());
        await button.press("Enter");
        assert.equal(await button.getAttribute("aria-pressed"), "true");
        assert.ok(await there());
    },

    async "dragging zooms, and a double click shows all again"(browser) {
        const page = await browser.open("large");
        const over = page.locator("#picture-0 .u-over");
        await over.scrollIntoViewIfNeeded();
        const box = await over.boundingBox();
        const range = () => page.evaluate(() => {
            const { min, max } = window.fathom.pictures[0].plot.scales.x;
            return max / min;
        });
        const before = await range();
        await page.mouse.move(box.x + box.width * 0.3, box.y + 50);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
        await page.mouse.up();
        const zoomed = await range();
        assert.ok(zoomed < before ** 0.4 && zoomed > before ** 0.2, `${before} became ${zoomed}`);
        await over.dblclick({ position: { x: 100, y: 100 } });
        assert.ok(close(await range(), before, 1e-6));
    },

    async "the cursor reads out every series, by pointer and by keyboard"(browser) {
        const page = await browser.open(SAMPLE);
        const points = browser.document(SAMPLE).probes[0].series[0].points;
        const frame = page.locator("#picture-0 .frame");
        await frame.focus();
        for (let i = 0; i < 3; i++)
            await page.keyboard.press("ArrowRight");
        const spoken = page.locator("#picture-0 [aria-live]");
        assert.match(await spoken.textContent(), new RegExp(`2 KiB.*${points[2].median.toPrecision(3)} ns`));
        const over = page.locator("#picture-0 .u-over");
        const left = await page.evaluate((x) => window.fathom.pictures[0].plot.valToPos(x, "x"), points[9].x);
        await over.hover({ position: { x: left, y: 40 } });
        await page.waitForFunction((wanted) => document.querySelector("#picture-0 .value").textContent.startsWith(wanted),
            points[9].median.toPrecision(3));
    },

    async "a heat map has the document's value and its colour in every cell"(browser) {
        const page = await browser.open("large");
        const { points } = browser.document("large").probes[1].series[0];
        const cells = await page.evaluate(() => {
            const map = window.fathom.pictures[2].maps[0];
            return map.series.rows.map((_, r) => map.series.columns.map((_, c) => map.value(r, c)));
        });
        for (const point of points) {
            const cell = cells[point.from][point.to];
            assert.ok(close(cell.y, point.median, 1e-3) && close(cell.low, point.low, 2e-3) &&
                close(cell.high, point.high, 2e-3), `${point.from} to ${point.to}`);
        }
        assert.equal(cells[3][3], null);
        const drawing = page.locator("#picture-2 .map svg");
        await drawing.scrollIntoViewIfNeeded();
        const places = await page.evaluate(() => {
            const { margin, size } = window.fathom.pictures[2].maps[0];
            return [[2, 66], [2, 5], [2, 20], [2, 50]].map(([row, column]) =>
                [margin + (column + 0.5) * size, margin + (row + 0.5) * size].map(Math.round));
        });
        const sum = (colour) => colour.reduce((a, b) => a + b);
        const { at: [sibling, near, far, farther] } = await browser.pixels(await drawing.screenshot(), places);
        assert.ok(sum(sibling) > sum(near) && sum(near) > sum(far) && sum(far) > sum(farther),
            `${[sibling, near, far, farther].join(" | ")}`);
        assert.ok(distance(farther, [0, 34, 78]) < 12, `farthest is ${farther}`);
    },

    async "a heat map reads out its cells by pointer and by keyboard, in either order"(browser) {
        const page = await browser.open("large");
        const { points } = browser.document("large").probes[1].series[0];
        const readout = page.locator("#picture-2 .readout");
        const drawing = page.locator("#picture-2 .map svg");
        const hover = async (row, column) => {
            const position = await page.evaluate(({ row, column }) => {
                const { margin, size } = window.fathom.pictures[2].maps[0];
                return { x: margin + (column + 0.5) * size, y: margin + (row + 0.5) * size };
            }, { row, column });
            await drawing.hover({ position });
            return readout.textContent();
        };
        const says = (text) => {
            const [, from, to, value] = /^from (\d+) to (\d+): ([\d.]+) ns/.exec(text);
            const point = points.find((one) => one.from === Number(from) && one.to === Number(to));
            assert.ok(close(Number(value), point.median, 6e-3), text);
            return [Number(from), Number(to)];
        };
        assert.deepEqual(says(await hover(7, 90)), [7, 90]);
        await page.getByRole("button", { name: "by cluster" }).click();
        assert.equal(await page.getByRole("button", { name: "by cluster" }).getAttribute("aria-pressed"), "true");
        /* Sixteen to a group: 0-7 with their siblings 64-71. */
        assert.deepEqual(says(await hover(0, 9)), [0, 65]);
        assert.ok((await page.locator("#picture-2 .edges").getAttribute("d")).length > 20);
        await page.locator("#picture-2 .map").focus();
        await page.keyboard.press("ArrowRight");
        says(await page.locator("#picture-2 [aria-live]").textContent());
        assert.deepEqual(page.wrong, []);
    },

    async "values stand in the cells of a small map, and a large one has few elements"(browser) {
        const small = await browser.open(SAMPLE);
        assert.deepEqual(await small.locator("#picture-1 text.cell").allTextContents(), ["27.7", "27.6"]);
        const huge = await browser.open("huge");
        assert.equal(await huge.locator("#picture-2 text.cell").count(), 0);
        const elements = await huge.locator("#picture-2 svg *").count();
        assert.ok(elements > 20 && elements < 600, `${elements} elements for 65536 cells`);
    },

    async "colours follow the switch, whatever the system prefers"(browser) {
        const page = await browser.open("large", { colorScheme: "dark" });
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const line = () => page.evaluate(() => window.fathom.pictures[0].plot.series[1].stroke());
        const [dark, darkLine] = [await paper(), await line()];
        await page.getByRole("button", { name: "light" }).click();
        assert.notEqual(await paper(), dark);
        assert.notEqual(await line(), darkLine);
        await page.getByRole("button", { name: "auto" }).click();
        assert.equal(await paper(), dark);
        await page.emulateMedia({ colorScheme: "light" });
        await page.waitForFunction((dark) => window.fathom.pictures[0].plot.series[1].stroke() !== dark, darkLine);
    },

    async "tables say what the pictures show, with heads that have a scope"(browser) {
        const page = await browser.open("large");
        await page.locator("#picture-2 details.table summary").click();
        const rows = page.locator("#picture-2 table.points tbody tr");
        await rows.first().waitFor({ state: "attached" });
        assert.equal(await rows.count(), 128);
        const { points } = browser.document("large").probes[1].series[0];
        const cells = await rows.nth(3).locator("td").allTextContents();
        for (const point of points.filter(({ from }) => from === 3))
            assert.ok(close(Number(cells[point.to]), point.median, 6e-3), `3 to ${point.to}`);
        await page.locator("#picture-0 details.table summary").click();
        await page.locator("#picture-0 table.points").nth(5).waitFor({ state: "attached" });
        assert.equal(await page.locator("#picture-0 table.points").count(), 6);
        assert.equal(await page.locator("th:not([scope])").count(), 0);
        assert.equal(await page.locator("table:not(:has(caption))").count(), 0);
    },

    async "CSV is copied with every point"(browser) {
        const page = await browser.open("large");
        await page.evaluate(() => Object.defineProperty(navigator, "clipboard",
            { value: { writeText: async (text) => { window.copied = text; } } }));
        await page.locator("#picture-0 .copy").click();
        await page.waitForFunction(() => window.copied);
        const lines = (await page.evaluate(() => window.copied)).trim().split("\n");
        const { series } = browser.document("large").probes[0];
        assert.equal(lines.length, 1 + series.reduce((sum, one) => sum + one.points.length, 0));
        const [, x, y] = lines[1].split(",");
        assert.ok(Number(x) === series[0].points[0].x && close(Number(y), series[0].points[0].median, 1e-6));
        await page.locator("#picture-2 .copy").click();
        await page.waitForFunction(() => window.copied.startsWith("series,from,to"));
        assert.equal((await page.evaluate(() => window.copied)).trim().split("\n").length, 1 + 128 * 127);
    },

    async "several documents: curves overlaid, maps side by side, differences listed"(browser) {
        const page = await browser.open(["large", "twin"]);
        assert.equal(await page.evaluate(() => window.fathom.pictures[0].picture.series.length), 12);
        const texts = await page.evaluate(() => window.fathom.pictures[0].marks(window.fathom.pictures[0].plot).map(({ text }) => text));
        assert.equal(texts.filter((text) => /^L3 declared 32/.test(text)).length, 1, texts.join(", "));
        assert.equal(await page.locator("#picture-2 .map").count(), 2);
        assert.equal(await page.locator("h1").count(), 1);
        const row = (name) => page.locator("table.differences tr", { has: page.getByText(name, { exact: true }) }).textContent();
        /* By the sizes that both curves have, each with noise of its own. */
        assert.match(await row("L2.latency"), /\+(9\.[5-9]|10\.[0-4]) % changed/);
        assert.match(await row("cores.cas.max"), /\+0\.0 %\s*$/);
        assert.deepEqual(page.wrong, []);
    },

    async "several experiments of one name are distinguished, and what a finding means unfolds"(browser) {
        const page = await browser.open(EXPERIMENTS);
        const levels = await page.locator(".datasheet tbody th").allTextContents();
        assert.deepEqual(levels.slice(0, 3), ["L1", "L2", "L2 order forward"]);
        const before = await page.evaluate(() => document.documentElement.scrollHeight);
        const meaning = page.locator(".findings details.meaning").first();
        assert.equal(await meaning.locator("p").first().isVisible(), false);
        await meaning.locator("summary").click();
        assert.match(await meaning.locator("p").first().innerText(), /^Load-to-use latency/);
        await meaning.locator("summary").click();
        assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), before);
        assert.deepEqual(page.wrong, []);
        await page.context().close();
    },

    async "a hostile document stays inert"(browser) {
        for (const names of ["hostile", ["hostile", "hostile"], ["hostile", "large"]]) {
            const page = await browser.open(names);
            await page.evaluate(() => document.querySelectorAll("button, summary").forEach((one) => one.click()));
            await page.waitForTimeout(100);
            await page.locator("#picture-0 .frame").first().focus();
            await page.keyboard.press("ArrowRight");
            const state = await page.evaluate(() => ({ evil: window.evil,
                odd: document.querySelectorAll("img, iframe, object, embed, link, base, form, a[href^=javascript]").length,
                scripts: document.querySelectorAll("script").length,
                handlers: [...document.querySelectorAll("*")].filter((one) =>
                    [...one.attributes].some(({ name }) => name.startsWith("on"))).length,
                text: document.documentElement.textContent }));
            assert.equal(state.evil, undefined);
            assert.equal(state.odd, 0);
            assert.equal(state.scripts, 2);
            assert.equal(state.handlers, 0);
            assert.ok(state.text.includes("</script><script>window.evil=1</script><img src=x"), "it is shown as text");
            assert.doesNotMatch(state.text.replace(/[\n\t]/g, ""),
                /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/);
            assert.deepEqual(page.wrong, []);
            await page.context().close();
        }
        const source = fs.readFileSync(browser.html("hostile"), "utf8");
        assert.ok(!source.includes(EVIL.slice(0, 20)), "no text stands in the page as it came");
    },

    async "texts of ten megabytes are cut"(browser) {
        const page = await browser.open("long");
        assert.deepEqual(page.wrong, []);
        assert.equal(await page.locator("main b").filter({ hasText: "long text" }).count(), 0);
        assert.ok(fs.statSync(browser.html("long")).size < 600e3);
    },

    async "a run writes its page as well"(browser) {
        const file = path.resolve(browser.folder, "run.html"), json = path.resolve(browser.folder, "run.json");
        fs.rmSync(file, { force: true });
        const run = spawnSync(browser.fathom, ["latency", "--sizes", "16K,64K", "--quick", "--budget", "60",
            "--html", file, "-o", json], { encoding: "utf8" });
        if (run.status === 3)
            throw new Skip(run.stderr.trim());
        assert.ok([0, 4].includes(run.status), run.stderr);
        assert.match(run.stdout, /page: .*run\.html/);
        const page = await browser.visit(file);
        assert.deepEqual(page.wrong, []);
        const { points } = browser.document(json).probes[0].series[0];
        assert.deepEqual(await page.evaluate(() => window.fathom.pictures[0].picture.series[0].x),
            points.map((point) => point.x));
        assert.ok((await page.locator(".about").textContent()).length > 100, "it says what the numbers mean");
    },

    async "the page of a full run takes less than 600 KB"(browser) {
        const { size } = fs.statSync(browser.html(SAMPLE));
        assert.ok(size < 600e3, `${size} bytes`);
    },

    async "without script the tables are there"(browser) {
        const page = await browser.open("large", { javaScriptEnabled: false });
        await page.locator("#picture-2 details.table summary").click();
        assert.equal(await page.locator("#picture-2 table.points tbody tr").count(), 128);
        assert.equal(await page.locator("#controls").isVisible(), false);
        assert.ok(await page.locator("table.datasheet").first().isVisible());
    },

    async "landmarks, names and the order of focus serve a keyboard and a screen reader"(browser) {
        const page = await browser.open("large");
        for (const landmark of ["main", "header", "nav", "footer", "h1"])
            assert.equal(await page.locator(`body ${landmark}`).count(), 1, landmark);
        const nameless = await page.evaluate(() => [...document.querySelectorAll("button, summary, [role=group], [role=region], figure, section")]
            .filter((one) => !(one.getAttribute("aria-label") || document.getElementById(one.getAttribute("aria-labelledby"))?.textContent ||
                one.textContent).trim()).map((one) => one.outerHTML.slice(0, 80)));
        assert.deepEqual(nameless, []);
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
        const places = [];
        for (let i = 0; i < 40; i++) {
            await page.keyboard.press("Tab");
            places.push(await page.evaluate(() => document.activeElement.getBoundingClientRect().top + scrollY));
        }
        assert.ok(places.every((top, i) => !i || top >= places[i - 1] - 60), "focus goes down the page");
    },

    async "devices begin with cycles, and the curves of one share a chart"(browser) {
        const page = await browser.open(DEVICES);
        const read = () => page.evaluate(() => ({
            unit: document.querySelector("[data-unit][aria-pressed=true]").dataset.unit,
            first: window.fathom.pictures[0].plot.data[1][0],
            kind: window.fathom.pictures[0].xKind,
            labels: window.fathom.pictures[0].picture.series.map((series) => series.label),
            matrices: window.fathom.pictures.filter(({ picture }) => picture.matrix).length }));
        const document = browser.document(DEVICES);
        const series = document.probes[0].series.filter((one) => one.name === "gpu0 latency");
        const seen = await read();
        assert.equal(seen.unit, "cycles");
        assert.ok(close(seen.first, series[0].points[0].cycles.median, 1e-6));
        assert.equal(seen.kind, "log");
        assert.deepEqual(seen.labels, series.map(({ factors }) => `path ${factors.path}, order ${factors.order}`));
        assert.equal(seen.matrices, document.probes[0].series.filter((one) => "from" in one.points[0]).length);
        await page.click("[data-unit=time]");
        assert.ok(close((await read()).first, series[0].points[0].median, 1e-6));
        assert.deepEqual(page.wrong, []);
        const run = await browser.open(SAMPLE);
        assert.equal(await run.evaluate(() => document.querySelector("[data-unit][aria-pressed=true]").dataset.unit),
            "time");
    },

    async "screenshots: light, dark, phone and print"(browser) {
        const shots = {};
        for (const [name, options, media] of [["light", {}], ["dark", { colorScheme: "dark" }],
            ["phone", { viewport: { width: 390, height: 844 } }], ["print", { colorScheme: "dark" }, "print"]]) {
            const page = await browser.open("large", options);
            if (media) {
                await page.emulateMedia({ media });
                await page.waitForFunction(() => /^rgb\((\d|[1-9]\d),/.test(window.fathom.pictures[0].plot.series[1].stroke()));
            }
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} fits its width`);
            shots[name] = await browser.shot(page, name);
            assert.ok(shots[name].colours > 200, `${name} is blank`);
            assert.deepEqual(page.wrong, []);
            if (media) {
                assert.ok(!await page.locator("#controls").isVisible());
                await page.pdf({ path: path.join(browser.folder, "shots", "print.pdf"), format: "A4" });
            }
            await page.context().close();
        }
        for (const [name, least, most] of [["light", 0.8, 1], ["dark", 0, 0.3], ["print", 0.8, 1]])
            assert.ok(shots[name].brightness >= least && shots[name].brightness <= most,
                `${name}: ${shots[name].brightness}`);
    },
};

async function main([fathom, folder, program]) {
    const browser = await Browser.start(fathom, folder, program);
    const names = Object.keys(tests);
    let failed = 0;
    console.log(`1..${names.length}\n# Chromium ${browser.version}; screenshots in ${folder}/shots`);
    for (const [index, name] of names.entries()) {
        const began = performance.now();
        try {
            await tests[name](browser);
            console.log(`ok ${index + 1} - ${name}\n# ${((performance.now() - began) / 1e3).toFixed(1)} s`);
        } catch (error) {
            if (error instanceof Skip) {
                console.log(`ok ${index + 1} - ${name} # SKIP ${error.message}`);
                continue;
            }
            failed++;
            console.log(`not ok ${index + 1} - ${name}`);
            console.log(String(error.stack).split("\n").slice(0, 30).map((line) => `# ${line}`).join("\n"));
        }
        for (const context of browser.browser.contexts())
            if (!context.pages().includes(browser.decoder))
                await context.close();
    }
    await browser.close();
    return failed ? 1 : 0;
}

main(process.argv.slice(2)).then((status) => process.exit(status));
