/* What stands where: on a desk and on a phone, of one document and of several; and what is saved. */
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const DATA = path.join(__dirname, "../data");
const SAMPLE = path.join(__dirname, "../cli/sample.json");
const DEVICES = path.join(DATA, "gpu/made-up.json");
const EXPERIMENTS = path.join(DATA, "findings/experiments.json");
const TABLES = [["core-matrix", "core-matrix/i9-13980hx-cas.csv"], ["curve", "curves/intel-n100.txt"]];
const DESK = { viewport: { width: 1280, height: 800 } }, PHONE = { viewport: { width: 390, height: 844 } };

/* A document of another tool's table. */
function imported(browser, format, table) {
    const file = path.resolve(browser.folder, `${path.basename(table)}.json`);
    execFileSync(browser.fathom, ["import", format, path.join(DATA, table), "-o", file], { stdio: "inherit" });
    return file;
}

/* From where to where something reaches, in pixels of the page. */
const reach = (page, what) => page.evaluate((what) => {
    const { top, bottom } = document.querySelector(what).getBoundingClientRect();
    return { top: top + scrollY, bottom: bottom + scrollY };
}, what);

/* Words that stand on more than one line, and texts that reach out of the box that they stand in. */
const broken = (page) => page.evaluate(() => {
    const range = document.createRange(), found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.parentElement.checkVisibility() || node.parentElement.closest("script, .unseen"))
            continue;
        for (const word of node.data.matchAll(/(?<![^\s(])--[a-z][a-z-]*|[\p{L}\p{N}]+/gu)) {
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const rects = [...range.getClientRects()], box = node.parentElement.closest(".box")?.getBoundingClientRect();
            if (rects.some(({ top }) => Math.abs(top - rects[0].top) > 2) ||
                (box && rects.some(({ right, bottom }) => right > box.right || bottom > box.bottom)))
                found.push(word[0]);
        }
    }
    return found;
});

async function saved(page, figure, format) {
    const waiting = page.waitForEvent("download");
    await page.locator(figure).getByRole("button", { name: `Save ${format}` }).click();
    const download = await waiting;
    return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}

const tests = {
    async "the machine is in the first screen and the latency curve no further than the second"(browser) {
        for (const size of [DESK, PHONE])
            for (const name of [SAMPLE, "large", "machine"]) {
                const page = await browser.open(name, size), { height } = size.viewport;
                const verdict = await reach(page, ".trust"), machine = await reach(page, "figure.machine");
                const curve = await reach(page, "#picture-0 canvas"), sheet = await reach(page, ".datasheet");
                assert.ok(verdict.bottom < height / 2, `${name}: verdict ends at ${verdict.bottom}`);
                assert.ok(machine.top < height * 0.75, `${name}: machine at ${machine.top}`);
                assert.ok(curve.bottom < 2 * height, `${name}: curve ends at ${curve.bottom}`);
                assert.ok(machine.bottom <= curve.top && curve.bottom <= sheet.top);
                await page.context().close();
            }
    },

    async "nothing makes the page wider than the window, and no word is broken"(browser) {
        const [matrix, curve] = TABLES.map((table) => imported(browser, ...table));
        for (const [size, list] of [[DESK, [SAMPLE, DEVICES, ["large", "twin"]]], [PHONE, [SAMPLE, "machine", "bare", DEVICES,
            EXPERIMENTS, matrix, curve, ["small", "twin"], [SAMPLE, EXPERIMENTS, "bare", matrix], "hostile", ["hostile", "hostile"], "long"]]])
            for (const names of list) {
                const page = await browser.open(names, size);
                assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${names} is too wide`);
                if (!["hostile", "long"].some((odd) => names.includes(odd)))
                    assert.deepEqual(await broken(page), [], String(names));
                assert.deepEqual(page.wrong, []);
                await page.context().close();
            }
    },

    async "what was imported has no machine, and its chart stands where the machine would"(browser) {
        for (const table of TABLES) {
            const page = await browser.open(imported(browser, ...table), PHONE);
            assert.equal(await page.locator("figure.machine, .box").count(), 0);
            assert.ok((await reach(page, "#picture-0 .drawing")).top < 844);
            await page.context().close();
        }
    },

    async "the picture of a large machine has few boxes, each in the one around it"(browser) {
        const page = await browser.open("machine", DESK);
        const boxes = await page.locator(".machine .box").evaluateAll((list) => list.map((box) => ({
            text: box.firstElementChild.textContent,
            inside: [box.getBoundingClientRect(), box.parentElement.closest(".box")?.getBoundingClientRect()]
                .map((rect) => rect && [rect.left, rect.top, -rect.right, -rect.bottom]) })));
        assert.deepEqual(boxes.map(({ text }) => text.replace(/\s+/g, " ").trim()), ["nodes 0-63 64 GiB of DRAM, 16 CPUs each × 64",
            "L3 32 MiB", "L2 1 MiB × 8", "L1 32 KiB", "core 2 threads", "node 64 256 GiB of DRAM, no CPUs"]);
        for (const { inside: [box, around], text } of boxes)
            assert.ok(!around || box.every((edge, side) => edge > around[side]), `${text} sticks out`);
        assert.match(await page.locator(".machine .box").nth(1).locator("> dl").innerText(),
            /54\.0 cycles[^]*28 MiB[^]*of 32 MiB/);
        assert.equal(await page.locator(".machine .box svg .found").nth(0).getAttribute("width"), "63");
    },

    async "without script there is the machine, and the explanations fold"(browser) {
        const page = await browser.open("large", { javaScriptEnabled: false });
        assert.match(await page.locator("figure.machine").innerText(), /L3 32 MiB/);
        const about = page.locator("#picture-0 details.about");
        assert.equal(await about.locator("p").first().isVisible(), false);
        await about.locator("summary").click();
        assert.match(await about.locator("p").first().innerText(), /^How long one load takes/);
        assert.equal(await page.locator("button").count(), 5, "what only works with script is hidden");
        assert.equal(await page.locator("button:visible").count(), 0);
    },

    async "explanations fold below their charts, and are printed"(browser) {
        const page = await browser.open("large");
        for (const picture of ["#picture-0", "#picture-2"]) {
            const about = page.locator(`${picture} details.about`);
            assert.equal(await about.getAttribute("open"), null);
            assert.ok((await reach(page, `${picture} .drawing`)).bottom <= (await reach(page, `${picture} .about`)).top);
        }
        await page.emulateMedia({ media: "print" });
        assert.ok(await page.evaluate(() => document.querySelector("#picture-0 details.about p").checkVisibility()));
    },

    async "several documents stand in columns, named by file and date"(browser) {
        const page = await browser.open([SAMPLE, "large", "twin"], DESK);
        const heads = ["sample.json 2026-11-21 04:18 UTC", "large.json 2026-11-21 04:18 UTC", "twin.json 2026-11-21 04:18 UTC"];
        const texts = async (what) => (await page.locator(what).allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
        assert.deepEqual(await texts(".many > section .host"), [...heads, ...heads]);
        assert.deepEqual(await texts(".differences thead th"), ["finding", heads[0], heads[1], "change", heads[2], "change"]);
        const columns = await page.locator(".many").first().locator("> section").evaluateAll((list) =>
            list.map((one) => one.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
        for (let i = 1; i < columns.length; i++)
            assert.ok(columns[i].left > columns[i - 1].right && columns[i].top === columns[0].top, "side by side");
        assert.ok((await page.evaluate(() => window.fathom.pictures[0].picture.series.map(({ label }) => label)))
            .some((label) => label.startsWith("twin.json: ")));
    },

    async "a figure is saved as an SVG that needs nothing else"(browser) {
        const page = await browser.open("large", DESK);
        for (const [figure, texts, marks] of [["figure.machine", ["L3", "54.0 cycles", "of 32 MiB"], 8],
            ["#picture-0", ["latency, ns", "stride 4096", "L3 declared 32 MiB"], 18], ["#picture-2", ["120", "from row to column"], 40]]) {
            const { name, bytes } = await saved(page, figure, "SVG");
            assert.match(name, /^fathom-node-17-[a-z0-9-]+\.svg$/);
            const drawing = await page.evaluate((text) => {
                const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
                return { error: parsed.querySelector("parsererror")?.textContent, text: parsed.documentElement.textContent,
                    size: ["width", "height"].map((side) => Number(parsed.documentElement.getAttribute(side))),
                    shapes: parsed.querySelectorAll("rect, path").length,
                    strange: [...parsed.querySelectorAll("*")].filter((one) => [...one.attributes].some(({ name, value }) =>
                        ["class", "style", "href"].includes(name) || /NaN|undefined|var\(/.test(value))).length };
            }, bytes.toString());
            assert.equal(drawing.error, undefined);
            assert.equal(drawing.strange, 0);
            assert.ok(drawing.size[0] > 500 && drawing.size[0] < 1000 && drawing.size[1] > 200 && drawing.size[1] < 1000, drawing.size);
            assert.ok(drawing.shapes >= marks, `${figure}: ${drawing.shapes} shapes`);
            for (const text of texts)
                assert.ok(drawing.text.includes(text), `${figure} says ${text}`);
        }
        assert.deepEqual(page.wrong, []);
    },

    async "points that no line joins are saved with a bar each"(browser) {
        const page = await browser.open("numbered", DESK), { bytes } = await saved(page, "#picture-1", "SVG");
        for (const shape of [/<circle /g, /<path [^>]*stroke-width="1.75"/g])
            assert.equal(bytes.toString().match(shape).length, 8);
        assert.deepEqual(page.wrong, []);
    },

    async "a figure is saved as a PNG of the colours that it is seen in"(browser) {
        for (const [scheme, least, most] of [["light", 0.8, 1], ["dark", 0, 0.35]]) {
            const page = await browser.open("small", { ...DESK, colorScheme: scheme });
            for (const figure of ["figure.machine", "#picture-0", "#picture-2"]) {
                const { name, bytes } = await saved(page, figure, "PNG");
                assert.match(name, /\.png$/);
                const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
                assert.ok(width > 1000 && width < 2400 && height > 400 && height < 2400, `${width} x ${height}`);
                const { colours, brightness } = await browser.pixels(bytes);
                assert.ok(colours > 50, `${figure}: ${colours} colours`);
                if (figure !== "#picture-2")
                    assert.ok(brightness >= least && brightness <= most, `${figure}, ${scheme}: ${brightness}`);
            }
            assert.deepEqual(page.wrong, []);
            await page.context().close();
        }
    },
};

module.exports = { tests };
