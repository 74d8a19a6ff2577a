/* What a chart has to do beyond drawing its lines: units, zoom, keyboard; and what is copied. */
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");

const DEVICES = path.join(__dirname, "../data/gpu/made-up.json");
const close = (a, b, relative) => a === b || Math.abs(a - b) <= relative * Math.abs(b);

const range = (page, picture = 0) => page.evaluate((picture) => {
    const { min, max } = window.fathom.pictures[picture].plot.scales.x;
    return [min, max];
}, picture);

/* The text of the ticks of an axis, as the chart hands it to what draws it. */
const ticks = (page, picture, axis) => page.evaluate(({ picture, axis }) => {
    const { plot } = window.fathom.pictures[picture], { min, max } = plot.scales[axis ? "y" : "x"];
    const { splits, values, label } = plot.axes[axis];
    return { label, texts: values(plot, splits(plot, axis, min, max, 0, 0)) };
}, { picture, axis });

async function copied(page, picture) {
    await page.evaluate(() => {
        window.copied = null;
        Object.defineProperty(navigator, "clipboard", { configurable: true,
            value: { writeText: async (text) => { window.copied = text; } } });
    });
    await page.locator(`#picture-${picture} .copy`).click();
    await page.waitForFunction(() => window.copied);
    return (await page.evaluate(() => window.copied)).trim().split("\n").map((line) => line.split(","));
}

const tests = {
    async "an axis over bandwidth is in GB/s, as the tables are"(browser) {
        const page = await browser.open("loaded");
        const { label, texts } = await ticks(page, 0, 0);
        assert.equal(label, "bandwidth, GB/s");
        assert.ok(texts.length >= 4 && texts.every((text) => /^[125]0*$/.test(text)), texts.join(" "));
        await page.locator("#picture-0 .frame").press("Home");
        assert.match(await page.locator("#picture-0 .readout").textContent(), /bandwidth 2\.50 GB\/s/);
    },

    async "what is numbered is drawn as points with their intervals, behind the curve of latencies"(browser) {
        const page = await browser.open("numbered");
        assert.equal(await page.locator("#picture-0 figcaption").textContent(), "latency by working set");
        assert.equal(await page.locator("#picture-1 figcaption").textContent(), "share by cpu");
        const seen = await page.evaluate(() => {
            const { plot } = window.fathom.pictures[1], canvas = plot.root.querySelector("canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const alpha = (x, y) => data[4 * (Math.round(plot.valToPos(y, "y", true)) * canvas.width +
                Math.round(plot.valToPos(x, "x", true))) + 3];
            const { min, max } = plot.scales.x;
            return { point: alpha(1, 40), bar: alpha(1, 42.5), above: alpha(1.02, 46), between: alpha(0.75, 31), range: [min, max],
                ticks: plot.axes[0].values(plot, plot.axes[0].splits(plot, 0, min, max, 0, 0)) };
        });
        assert.ok(seen.point > 100 && seen.bar > 100, `${seen.point} ${seen.bar}`);
        assert.ok(seen.between < 100 && seen.above < 100, `${seen.between} ${seen.above}`);
        assert.deepEqual(seen.range, [-0.5, 3.5]);
        assert.deepEqual(seen.ticks, ["0", "1", "2", "3"]);
        const frame = page.locator("#picture-1 .frame");
        for (const key of ["Home", "ArrowRight", "+", "Escape"])
            await frame.press(key);
        assert.match(await page.locator("#picture-1 .readout").textContent(), /^cpu 1/);
        assert.deepEqual(await range(page, 1), [-0.5, 3.5]);
        assert.deepEqual(page.wrong, []);
    },

    async "a series that has no cycles says so where they are shown"(browser) {
        const page = await browser.open(DEVICES);
        const place = await page.evaluate(() => window.fathom.pictures.findIndex(({ hasCycles, picture }) =>
            hasCycles && !picture.matrix && picture.series.some((series) => !series.cycles)));
        assert.ok(place >= 0);
        const entry = page.locator(`#picture-${place} .legend .undrawn`).first();
        assert.match(await entry.textContent(), /gpu0 host reads.*only in ns/);
        await page.locator(`#picture-${place} .frame`).press("ArrowRight");
        assert.match(await page.locator(`#picture-${place} [aria-live]`).textContent(), /gpu0 host reads: only in ns/);
        await page.click("[data-unit=time]");
        assert.equal(await page.locator(`#picture-${place} .undrawn`).count(), 0);
        await page.locator(`#picture-${place} .frame`).press("Home");
        assert.match(await page.locator(`#picture-${place} [aria-live]`).textContent(), /gpu0 host reads: [\d.]+ ns/);
    },

    async "the labels of x fit between the edges"(browser) {
        for (const media of ["screen", "print"]) {
            const page = await browser.open(DEVICES);
            await page.emulateMedia({ media });
            const cut = await page.evaluate(() => window.fathom.pictures.filter(({ plot }) => plot).flatMap(({ plot }, i) => {
                const axis = plot.axes[0], { min, max } = plot.scales.x;
                const splits = axis.splits(plot, 0, min, max, 0, 0), texts = axis.values(plot, splits);
                const context = document.createElement("canvas").getContext("2d");
                context.font = `12px ${getComputedStyle(document.documentElement).getPropertyValue("--sans")}`;
                return texts.filter((text, t) => plot.bbox.left / devicePixelRatio + plot.valToPos(splits[t], "x") +
                    context.measureText(text).width / 2 > plot.width).map((text) => `${i}: ${text}`);
            }));
            assert.deepEqual(cut, []);
        }
    },

    async "a zoom outlives the switches of units and colours"(browser) {
        const page = await browser.open("large");
        const before = await range(page);
        const frame = page.locator("#picture-0 .frame");
        await frame.press("+");
        await frame.press("+");
        const zoomed = await range(page);
        assert.ok(close(zoomed[1] / zoomed[0], (before[1] / before[0]) ** 0.25, 1e-6), `${before} became ${zoomed}`);
        for (const name of ["cycles", "dark", "ns", "auto"]) {
            await page.getByRole("button", { name, exact: true }).click();
            assert.deepEqual(await range(page), zoomed, name);
        }
        await page.locator("#picture-0 .u-over").dblclick({ position: { x: 100, y: 100 } });
        assert.deepEqual(await range(page), before);
        await page.getByRole("button", { name: "cycles", exact: true }).click();
        assert.deepEqual(await range(page), before);
        assert.deepEqual(page.wrong, []);
    },

    async "the keyboard zooms, and reads out what is in view and no more"(browser) {
        const page = await browser.open("large");
        const frame = page.locator("#picture-0 .frame"), live = page.locator("#picture-0 [aria-live]");
        const all = await range(page);
        const at = () => page.evaluate(() => window.fathom.pictures[0].plot.cursor.idx);
        const xs = await page.evaluate(() => window.fathom.pictures[0].plot.data[0]);
        assert.match(await frame.getAttribute("aria-label"), /plus and minus zoom/);
        await frame.press("End");
        assert.equal(await at(), xs.length - 1);
        await frame.press("+");
        assert.equal(await at(), xs.length - 1, "it zooms about the point that is read");
        await frame.press("+");
        const [min, max] = await range(page);
        assert.match(await live.textContent(), /MiB to 912 MiB/);
        const first = xs.findIndex((x) => x >= min);
        assert.ok(first > 10 && max === xs.at(-1));
        await frame.press("Home");
        assert.equal(await at(), first);
        await frame.press("ArrowLeft");
        assert.equal(await at(), first);
        await frame.press("ArrowRight");
        assert.equal(await at(), first + 1);
        assert.doesNotMatch(await page.locator("#picture-0 .readout").textContent(), /Point at|Touch the/);
        for (let i = 0; i < 30; i++)
            await frame.press("+");
        const [low, high] = await range(page);
        assert.ok(xs.filter((x) => x >= low && x <= high).length >= 2);
        for (let i = 0; i < 30; i++)
            await frame.press("-");
        assert.deepEqual(await range(page), all);
        await frame.press("+");
        await frame.press("Escape");
        assert.deepEqual(await range(page), all);
        assert.deepEqual(page.wrong, []);
    },

    async "the CSV of a small matrix has all that its points have"(browser) {
        const page = await browser.open("small");
        const { points } = browser.document("small").probes[1].series[0];
        const [head, ...rows] = await copied(page, 2);
        assert.deepEqual(head, ["series", "from", "to", "latency (ns)", "low", "high", "cycles", "cycles_low",
            "cycles_high", "trials"]);
        assert.equal(rows.length, points.length);
        for (const [, from, to, ...values] of rows) {
            const point = points.find((one) => one.from === Number(from) && one.to === Number(to));
            [point.median, point.low, point.high, point.cycles.median, point.cycles.low, point.cycles.high]
                .forEach((value, i) => assert.ok(close(Number(values[i]), value, 1e-6), `${from} to ${to}: ${values[i]}`));
            assert.equal(values[6], String(point.n));
        }
    },

    async "the CSV of a large matrix has cycles"(browser) {
        const page = await browser.open("large");
        const { points } = browser.document("large").probes[1].series[0];
        const [, ...rows] = await copied(page, 2);
        assert.equal(rows.length, points.length);
        const [, from, to, , , , cycles, , , trials] = rows[200];
        const point = points.find((one) => one.from === Number(from) && one.to === Number(to));
        assert.ok(close(Number(cycles), point.cycles.median, 1e-3));
        assert.equal(trials, "");
    },
};

module.exports = { tests };
