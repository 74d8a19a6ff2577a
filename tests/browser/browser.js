/* A browser, pages in it whose every complaint and request is kept, and pixels. */
"use strict";
const { execFileSync } = require("node:child_process");
const { createRequire } = require("node:module");
const fs = require("node:fs");
const path = require("node:path");
const { documents } = require("./documents.js");

const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--force-color-profile=srgb", "--disable-dev-shm-usage"];

/* Nothing a page does takes a second on a machine of its own; on a busy one it may take a hundred. */
const PATIENCE_MS = 120e3;

class Browser {
    static async start(fathom, folder, program) {
        const { chromium } = createRequire(path.resolve(folder, "npm") + "/")("playwright-core");
        const made = new Browser();
        Object.assign(made, { fathom, folder, pages: new Map() });
        made.browser = await chromium.launch({ executablePath: program, args: QUIET,
            timeout: PATIENCE_MS });
        made.version = made.browser.version();
        return made;
    }

    /* The page of these documents, each a name in documents.js or a file; made once. */
    html(...names) {
        const key = names.map((name) => path.basename(name)).join("+");
        const file = path.resolve(this.folder, `${key}.html`);
        if (!this.pages.has(key)) {
            const files = names.map((name) => {
                if (!documents[name])
                    return name;
                const json = path.resolve(this.folder, `${name}.json`);
                fs.writeFileSync(json, JSON.stringify(documents[name]()));
                return json;
            });
            execFileSync(this.fathom, ["report", ...files, "--format", "html", "-o", file],
                { stdio: ["ignore", "inherit", "inherit"] });
            this.pages.set(key, file);
        }
        return file;
    }

    /* An open page; `wrong` gathers errors, complaints and requests for anything but itself. */
    open(names, options = {}) {
        return this.visit(this.html(...[names].flat()), options);
    }

    /* Without motion: a page that still scrolls smoothly moves away under the pointer. */
    async visit(file, options = {}) {
        const context = await this.browser.newContext({ viewport: { width: 1200, height: 900 },
            colorScheme: "light", reducedMotion: "reduce", ...options });
        context.setDefaultTimeout(PATIENCE_MS);
        const page = await context.newPage();
        page.wrong = [];
        page.on("console", (message) => ["error", "warning"].includes(message.type()) &&
            page.wrong.push(`${message.type()}: ${message.text()}`));
        page.on("pageerror", (error) => page.wrong.push(`exception: ${error.message}`));
        page.on("dialog", (dialog) => {
            page.wrong.push(`dialog: ${dialog.message()}`);
            dialog.dismiss();
        });
        /* A blob is what the page itself has made, to be saved. */
        page.on("request", (request) => !request.url().startsWith(`file://${file}`) &&
            page.wrong.push(`request: ${request.url()}`));
        await page.goto(`file://${file}`);
        return page;
    }

    /* Of a picture: the colours at some places, how many different ones there are, and how bright it
     * is from 0 to 1. Decoded in a page of its own, because the
     * report's policy allows no images. */
    async pixels(png, places = []) {
        this.decoder ??= await this.browser.newPage();
        return this.decoder.evaluate(async ({ url, places }) => {
            const image = new Image();
            image.src = url;
            await image.decode();
            const canvas = Object.assign(document.createElement("canvas"),
                { width: image.width, height: image.height });
            const context = canvas.getContext("2d", { willReadFrequently: true });
            context.drawImage(image, 0, 0);
            const { data } = context.getImageData(0, 0, image.width, image.height);
            const seen = new Set();
            let sum = 0, count = 0;
            for (let i = 0; i < data.length; i += 4 * 17, count++) {
                seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
                sum += (data[i] + data[i + 1] + data[i + 2]) / 765;
            }
            return { colours: seen.size, brightness: sum / count,
                at: places.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3)) };
        }, { url: `data:image/png;base64,${png.toString("base64")}`, places });
    }

    async shot(page, name) {
        const png = await page.screenshot({ fullPage: true });
        fs.writeFileSync(path.join(this.folder, "shots", `${name}.png`), png);
        return this.pixels(png);
    }

    document(name) {
        return documents[name] ? documents[name]() : JSON.parse(fs.readFileSync(name, "utf8"));
    }

    close() {
        return this.browser.close();
    }
}

module.exports = { Browser };
