/* How long a page takes until it can be used, for the benchmark: opening.js FOLDER CHROMIUM PAGE
 * RUNS prints one line of milliseconds a run, from the start of the navigation to the mark that the
 * page's script leaves when every picture is drawn. */
"use strict";
const { chromium } = require("node:module").createRequire(require("node:path").resolve(process.argv[2],
    "npm") + "/")("playwright-core");

async function main([, program, page, runs]) {
    const browser = await chromium.launch({ executablePath: program,
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
    for (let run = 0; run < Number(runs); run++) {
        const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        await tab.goto(`file://${page}`);
        console.log(await tab.evaluate(() => performance.getEntriesByName("fathom-usable")[0].startTime));
        await tab.close();
    }
    await browser.close();
}

main(process.argv.slice(2));
