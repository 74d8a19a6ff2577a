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

const tests = {
    async "grades, curve and machine are in the first screen of a desk; the sheet follows the curve"(browser) {
        for (const size of [DESK, PHONE])
            for (const name of [SAMPLE, "large", "machine"]) {
                const page = await browser.open(name, size), { height } = size.viewport;
                const grades = await reach(page, ".grades"), machine = await reach(page, "figure.machine");
                const curve = await reach(page, "#picture-0 svg"), sheet = await reach(page, ".datasheet");
                assert.ok(grades.bottom < height / 2, `${name}: grades end at ${grades.bottom}`);
                assert.ok(size === PHONE || machine.top < height * 0.5, `${name}: machine at ${machine.top}`);
                assert.ok(curve.bottom < (size === PHONE ? 1.1 : 1) * height, `${name}: curve ends at ${curve.bottom}`);
                assert.ok(curve.bottom <= sheet.top);
                assert.ok(size === PHONE || await page.evaluate(() => [...document.querySelectorAll(".datasheet")]
                    .every((table) => table.parentElement.scrollWidth <= table.parentElement.clientWidth)), `${name}: a datasheet is cut`);
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
            assert.ok((await reach(page, "#picture-0 svg")).top < 844);
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

    async "explanations fold, and a link to what is folded unfolds it"(browser) {
        const page = await browser.open("large");
        const about = page.locator("#probe-0 details.about");
        assert.equal(await about.locator("p").first().isVisible(), false);
        await page.evaluate(() => { location.hash = "#probe-0"; });
        await about.locator("summary").click();
        assert.match(await about.locator("p").first().innerText(), /^How long one load takes/);
    },

    async "several documents stand in columns, named by file and date"(browser) {
        const page = await browser.open([SAMPLE, "large", "twin"], DESK);
        const heads = ["sample.json 2026-11-21 04:18 UTC", "large.json 2026-11-21 04:18 UTC", "twin.json 2026-11-21 04:18 UTC"];
        const texts = async (what) => (await page.locator(what).allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
        assert.deepEqual(await texts(".many > section .host"), [...heads, ...heads]);
        await page.locator("summary", { hasText: "Every finding" }).click();
        assert.deepEqual(await texts(".differences thead th"), ["finding", heads[0], heads[1], "change", heads[2], "change"]);
        const columns = await page.locator(".many").first().locator("> section").evaluateAll((list) =>
            list.map((one) => one.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
        for (let i = 1; i < columns.length; i++)
            assert.ok(columns[i].left > columns[i - 1].right && columns[i].top === columns[0].top, "side by side");
        assert.ok((await page.locator("#picture-0 text").allTextContents()).some((text) => text.startsWith("twin.json: ")));
    },

    async "a picture is saved as an SVG that needs nothing else"(browser) {
        const page = await browser.open("large", DESK);
        for (const [figure, text] of [["#picture-0", "latency, ns"], ["#picture-1", "groups of CPUs"]]) {
            const waiting = page.waitForEvent("download");
            await page.locator(figure).getByRole("button", { name: "Save SVG" }).click();
            const download = await waiting, bytes = fs.readFileSync(await download.path());
            assert.match(download.suggestedFilename(), /^fathom-picture-\d\.svg$/);
            const drawing = await page.evaluate((text) => {
                const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
                return { error: parsed.querySelector("parsererror")?.textContent, text: parsed.documentElement.textContent,
                    unpainted: [...parsed.querySelectorAll("path, rect, circle, text")].filter((one) =>
                        !one.closest("[fill]") && !one.closest("[stroke]")).length,
                    strange: [...parsed.querySelectorAll("*")].filter((one) => [...one.attributes].some(({ name, value }) =>
                        ["style", "href"].includes(name) || /NaN|undefined|var\(/.test(value))).length };
            }, bytes.toString());
            assert.equal(drawing.error, undefined);
            assert.equal(drawing.strange + drawing.unpainted, 0);
            assert.ok(drawing.text.includes(text));
        }
        assert.deepEqual(page.wrong, []);
    },
};

module.exports = { tests };
