/* CSV of what a picture shows, with the digits that the page has: all of them, but of a matrix of
 * more than 32 by 32 cells four or more, no trials and no intervals of cycles (show/render/page/data.c). Text
 * that begins like a formula gets an apostrophe, or a spreadsheet would run it. */

function cell(value) {
    if (typeof value === "number" || value === null || value === undefined)
        return exact(value);
    const inert = /^[=+\-@]/.test(value) ? "'" + value : value;
    return /[",\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

function rowsToCsv(rows) {
    return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function chartCsv(picture) {
    const { x, y } = picture;
    const rows = [["series", `${x.name || "x"} (${x.unit})`, `${y.name || "y"} (${y.unit})`, "low",
        "high", "cycles", "cycles_low", "cycles_high", "trials"]];
    for (const { label, x: xs, y: ys, low, high, cycles, n } of picture.series)
        xs.forEach((value, i) => rows.push([label, value, ys[i], low[i], high[i], cycles?.y[i],
            cycles?.low[i], cycles?.high[i], n[i]]));
    return rowsToCsv(rows);
}

function matrixCsv(picture) {
    const rows = [["series", "from", "to", `${picture.y.name || "y"} (${picture.y.unit})`, "low",
        "high", "cycles", "cycles_low", "cycles_high", "trials"]];
    for (const series of picture.series)
        series.rows.forEach((from, r) => series.columns.forEach((to, c) => {
            const value = cellOf(series, r, c), cycles = cellOf(series, r, c, true);
            if (value)
                rows.push([series.label, from, to, value.y, value.low, value.high, cycles?.y,
                    cycles?.low, cycles?.high, series.n?.[r * series.columns.length + c]]);
        }));
    return rowsToCsv(rows);
}

async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        /* A page from disk may be refused the clipboard; the old way asks for no permission. */
        const area = element("textarea", { readonly: "", class: "copied", "aria-hidden": "true" });
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        return done;
    }
}

function copyButton(picture, status) {
    const button = element("button", { type: "button", class: "tool copy" }, "Copy CSV");
    button.addEventListener("click", async () => {
        const csv = picture.matrix ? matrixCsv(picture) : chartCsv(picture);
        const done = await copyText(csv);
        status.textContent = done ? `Copied ${csv.split("\n").length - 2} rows.`
            : "The browser did not allow copying.";
        button.dataset.copied = done ? "yes" : "no";
    });
    return button;
}
