/* What the page has to do in a browser: tests.js FATHOM FOLDER CHROMIUM. Prints TAP. */
"use strict";
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const { Browser } = require("./browser.js");
const layout = require("./layout.js");
const { EVIL } = require("./documents.js");

const SAMPLE = path.join(__dirname, "../cli/sample.json");
const DEVICES = path.join(__dirname, "../data/gpu/made-up.json");
const EXPERIMENTS = path.join(__dirname, "../data/findings/experiments.json");
const close = (a, b, relative) => a === b || Math.abs(a - b) <= relative * Math.abs(b);

class Skip extends Error {}

/* What the pictures of a figure can be read out as: the titles of their marks, with their places. */
const marksOf = (page, figure) => page.locator(`${figure} svg.picture title`).evaluateAll((titles) => titles.map((title) => {
    const mark = title.parentElement, at = (name) => Number((mark.querySelector("rect") ?? mark).getAttribute(name));
    return { text: title.textContent, x: mark.localName === "circle" ? at("cx") : at("x"), y: mark.localName === "circle" ? at("cy") : at("y"),
        fill: mark.querySelector("rect")?.getAttribute("fill") };
}));

/* The folded part of a probe, opened, and the number of its first figure. */
async function unfolded(page, title) {
    const part = page.locator("details.probe", { has: page.locator("summary", { hasText: title }) });
    await part.locator("summary").first().click();
    return `#${await part.locator("figure").first().getAttribute("id")}`;
}

const tests = {
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

    async "a chart has every point of its series, in its place"(browser) {
        const page = await browser.open("large"), document = browser.document("large");
        for (const [title, probe] of [["Load latency", 0], ["Bandwidth by number", 2]]) {
            const marks = await marksOf(page, await unfolded(page, title)), { series } = document.probes[probe];
            const points = series.flatMap((one) => one.points);
            assert.equal(marks.length, points.length);
            /* On logarithmic axes as on others, what is greater stands further right, and higher. */
            points.forEach((point, i) => points.slice(0, i).forEach((other, o) => {
                assert.ok(point.x === other.x || (point.x > other.x) === (marks[i].x > marks[o].x) || Math.abs(marks[i].x - marks[o].x) < 0.11);
                assert.ok(Math.abs(point.median / other.median - 1) < 0.01 || (point.median > other.median) === (marks[i].y < marks[o].y));
            }));
            assert.match(marks[0].text, new RegExp(`${series[0].points[0].median > 1e6 ? "GB/s" : `${series[0].points[0].median.toPrecision(3)} ns`}`));
        }
        assert.deepEqual(page.wrong, []);
    },

    async "lines, bands, capacities and the values of the levels are in the picture"(browser) {
        const page = await browser.open(SAMPLE), picture = page.locator("#picture-0 svg.picture");
        const texts = await picture.locator("text").allTextContents();
        for (const text of ["L1 declared 32 KiB", "L2 declared 512 KiB", "L3 declared 32 MiB", "latency, ns", "working set"])
            assert.ok(texts.some((one) => one.startsWith(text)), `${text}: ${texts.join(", ")}`);
        assert.equal(await picture.locator("path[fill-opacity]").count(), 1);
        assert.equal(await picture.locator("path[stroke-linejoin]").count(), 1);
        const claim = await page.locator("#picture-0 figcaption").textContent();
        assert.doesNotMatch(claim, /^latency by working set/i, "the title is a claim");
    },

    async "what is numbered is drawn as points with their intervals, and no line"(browser) {
        const page = await browser.open("numbered"), figure = await unfolded(page, "Who takes the core away");
        assert.match(await page.locator(`${figure} figcaption`).textContent(), /least 2\.00 % \(cpu 3\), most 40\.0 % \(cpu 1\)|least 4\.00 % \(cpu 0\), most 40\.0 % \(cpu 1\)/);
        const { points } = browser.document("numbered").probes[0].series[0];
        assert.equal((await marksOf(page, figure)).length % points.length, 0);
        assert.equal(await page.locator(`${figure} path[stroke-linejoin]`).count(), 0);
        assert.deepEqual(page.wrong, []);
    },

    async "a picture is read out by pointer and by keyboard, every series at once"(browser) {
        const page = await browser.open("large"), { series } = browser.document("large").probes[0];
        const readout = page.locator("#picture-0 .readout");
        await page.locator("#picture-0 .drawing").focus();
        for (let i = 0; i < 3; i++)
            await page.keyboard.press("ArrowRight");
        const said = (await readout.textContent()).split(" · ");
        assert.equal(said.length, series.length);
        series.forEach((one, i) => assert.ok(said[i].includes(`${one.points[2].median.toPrecision(3)} ns`), said[i]));
        await page.locator("#picture-0 svg.picture").hover({ position: { x: 200, y: 100 } });
        assert.notEqual(await readout.textContent(), said.join(" · "));
        await page.keyboard.press("End");
        assert.match(await readout.textContent(), /MiB|GiB/);
    },

    async "a matrix shows its groups with numbers, and every pair that has room"(browser) {
        const page = await browser.open("large");
        const groups = await marksOf(page, "#picture-1");
        assert.equal(groups.length, 64, "eight groups of sixteen CPUs");
        assert.match(groups[0].text, /^A to A: 31 ns \(1\d–3\d\)$/);
        assert.match(await page.locator("#picture-1 figcaption").textContent(), /^Hand-off: from 1\d\.\d ns \(\d+ to \d+\) to 2\d\d ns/);
        const near = groups.find(({ text }) => text.startsWith("B to B")), far = groups.find(({ text }) => text.startsWith("A to H"));
        assert.notEqual(near.fill, far.fill);
        const small = await browser.open("small"), { points } = browser.document("small").probes[1].series[0];
        const pairs = new Map((await marksOf(small, "#picture-1")).map(({ text }) => text.match(/^(\d+) to (\d+): ([\d.]+) ns/)?.slice(1))
            .filter(Boolean).map(([from, to, value]) => [`${from} ${to}`, Number(value)]));
        assert.equal(pairs.size, points.length);
        for (const { from, to, median } of points)
            assert.ok(Math.abs(pairs.get(`${from} ${to}`) - median) <= 0.051, `${from} to ${to}`);
        const huge = await browser.open("huge");
        const elements = await huge.locator(`${await unfolded(huge, "Hand-off")} svg *`).count();
        assert.ok(elements > 20 && elements < 2000, `${elements} elements for 65536 cells`);
    },

    async "colours follow the switch, whatever the system prefers"(browser) {
        const page = await browser.open("large", { colorScheme: "dark" });
        const colours = () => page.evaluate(() => [getComputedStyle(document.body).backgroundColor,
            getComputedStyle(document.querySelector("#picture-0 path[stroke-linejoin]")).stroke]);
        const dark = await colours();
        await page.getByRole("button", { name: "light" }).click();
        const light = await colours();
        assert.ok(light[0] !== dark[0] && light[1] !== dark[1]);
        await page.getByRole("button", { name: "auto" }).click();
        assert.deepEqual(await colours(), dark);
        await page.emulateMedia({ colorScheme: "light" });
        assert.deepEqual(await colours(), light);
    },

    async "tables say what the pictures show, with heads that have a scope"(browser) {
        const page = await browser.open("large"), matrix = await unfolded(page, "Hand-off"), curves = await unfolded(page, "Load latency");
        await page.locator(`${matrix} details.table summary`).click();
        const rows = page.locator(`${matrix} table.points tbody tr`);
        await rows.first().waitFor({ state: "attached" });
        assert.equal(await rows.count(), 128);
        const { points } = browser.document("large").probes[1].series[0];
        const cells = await rows.nth(3).locator("td").allTextContents();
        for (const point of points.filter(({ from }) => from === 3))
            assert.ok(close(Number(cells[point.to]), point.median, 6e-3), `3 to ${point.to}`);
        await page.locator(`${curves} details.table summary`).click();
        await page.locator(`${curves} table.points`).nth(5).waitFor({ state: "attached" });
        assert.equal(await page.locator(`${curves} table.points`).count(), 6);
        assert.equal(await page.locator("th:not([scope])").count(), 0);
        assert.equal(await page.locator("table:not(.changes):not(:has(caption))").count(), 0);
    },

    async "several documents: what differs first, curves overlaid, matrices below each other"(browser) {
        const page = await browser.open(["large", "twin"]);
        assert.equal(await page.locator("h1").count(), 1);
        const changed = /(\d+) of \d+ values changed/.exec(await page.locator("#differences h3").textContent());
        const changes = await page.locator("#differences > .scroll table.changes tbody tr").allInnerTexts();
        assert.ok(changes.length >= 2 && changes.length === Math.min(Number(changed[1]), 8) && changes.some((text) => /^L2\.latency/.test(text)), changes.join(" | "));
        assert.ok(await page.evaluate(() => document.querySelector("#differences h3").getBoundingClientRect().top < 300));
        assert.equal(await page.locator("#picture-0 path[stroke-linejoin]").count(), 12);
        const texts = await page.locator("#picture-0 text").allTextContents();
        assert.equal(texts.filter((text) => /^L3 declared 32/.test(text)).length, 1, texts.join(", "));
        assert.equal(await page.locator("#picture-1 text", { hasText: "groups of CPUs" }).count(), 2);
        await page.locator("summary", { hasText: "Every finding" }).click();
        const row = (name) => page.locator("table.differences tr", { has: page.getByText(name, { exact: true }) }).textContent();
        /* By the sizes that both curves have, each with noise of its own. */
        assert.match(await row("L2.latency"), /\+(9\.[5-9]|10\.[0-4]) % changed/);
        assert.match(await row("cores.cas.max"), /\+0\.0 %\s*$/);
        assert.deepEqual(page.wrong, []);
    },

    async "several experiments of one name are distinguished, and what a finding means unfolds"(browser) {
        const page = await browser.open(EXPERIMENTS);
        const levels = await page.locator(".datasheet tbody th").allTextContents();
        assert.deepEqual(levels.slice(0, 3), ["L1", "L2 [2]", "L2 order forward"]);
        await page.evaluate(() => document.querySelectorAll("details.probe").forEach((one) => { one.open = true; }));
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
            const state = await page.evaluate(() => ({ evil: window.evil,
                odd: document.querySelectorAll("img, iframe, object, embed, link, base, form, a[href^=javascript]").length,
                scripts: document.querySelectorAll("script").length,
                handlers: [...document.querySelectorAll("*")].filter((one) =>
                    [...one.attributes].some(({ name }) => name.startsWith("on"))).length,
                text: document.documentElement.textContent }));
            assert.equal(state.evil, undefined);
            assert.equal(state.odd, 0);
            assert.equal(state.scripts, 1);
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
        assert.match(await page.locator("#picture-0 figcaption").textContent(), /Latency/);
        assert.ok((await page.locator(".about").textContent()).length > 100, "it says what the numbers mean");
    },

    async "the page of a full run takes less than 600 KB"(browser) {
        const { size } = fs.statSync(browser.html(SAMPLE));
        assert.ok(size < 600e3, `${size} bytes`);
    },

    async "without script pictures and tables are there"(browser) {
        const page = await browser.open("large", { javaScriptEnabled: false }), matrix = await unfolded(page, "Hand-off");
        await page.locator(`${matrix} details.table summary`).click();
        assert.equal(await page.locator(`${matrix} table.points tbody tr`).count(), 128);
        assert.equal(await page.locator("#controls").isVisible(), false);
        assert.ok(await page.locator("table.datasheet").first().isVisible());
        assert.ok(await page.locator("#picture-0 svg.picture").isVisible());
    },

    async "landmarks, names and the order of focus serve a keyboard and a screen reader"(browser) {
        const page = await browser.open("large");
        for (const landmark of ["main", "header", "footer", "h1"])
            assert.equal(await page.locator(`body ${landmark}`).count(), 1, landmark);
        const nameless = await page.evaluate(() => [...document.querySelectorAll("button, summary, [role=group], [role=region], figure, section")]
            .filter((one) => !(one.getAttribute("aria-label") || document.getElementById(one.getAttribute("aria-labelledby"))?.textContent ||
                one.textContent).trim()).map((one) => one.outerHTML.slice(0, 80)));
        assert.deepEqual(nameless, []);
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
        const places = [];
        for (let i = 0; i < 12; i++) {
            await page.keyboard.press("Tab");
            places.push(await page.evaluate(() => document.activeElement.getBoundingClientRect().top + scrollY));
        }
        assert.ok(places.every((top, i) => !i || top >= places[i - 1] - 60), "focus goes down the page");
    },

    async "devices are drawn in cycles, and the curves of one share a chart"(browser) {
        const page = await browser.open(DEVICES), document = browser.document(DEVICES);
        const series = document.probes[0].series.filter((one) => one.name === "gpu0 latency");
        const texts = await page.locator("#picture-0 text").allTextContents();
        assert.ok(texts.includes("latency, cycles"), texts.join(", "));
        for (const { factors } of series)
            assert.ok(texts.includes(`path ${factors.path}, order ${factors.order}`));
        assert.equal((await marksOf(page, "#picture-0")).length, series.flatMap((one) => one.points).length);
        assert.deepEqual(page.wrong, []);
    },

    async "the summary takes two screens, and a printed page a few sheets"(browser) {
        for (const name of [SAMPLE, "large", "machine"]) {
            const page = await browser.open(name, { viewport: { width: 1280, height: 900 } });
            assert.ok(await page.evaluate(() => document.querySelector("details.probe").getBoundingClientRect().top < 2 * 900), name);
            await page.emulateMedia({ media: "print" });
            const pdf = await page.pdf({ format: "A4" });
            assert.ok((pdf.toString("latin1").match(/\/Type \/Page\b/g) ?? []).length <= 4, name);
            await page.context().close();
        }
    },

    async "screenshots: light, dark, phone and print"(browser) {
        const shots = {};
        for (const [name, options, media] of [["light", {}], ["dark", { colorScheme: "dark" }],
            ["phone", { viewport: { width: 390, height: 844 } }], ["print", { colorScheme: "dark" }, "print"]]) {
            const page = await browser.open("large", options);
            if (media)
                await page.emulateMedia({ media });
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
