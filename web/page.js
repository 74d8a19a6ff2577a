/* What the page does beyond being read: colours, reading out pictures, saving them. All it shows stands in
 * the page without it. */

const root = document.documentElement;
const controls = document.getElementById("controls");
controls.hidden = false;
controls.addEventListener("click", ({ target }) => {
    const { theme } = target.dataset ?? {};
    if (!theme)
        return;
    root.dataset.theme = theme;
    for (const button of controls.querySelectorAll("[data-theme]"))
        button.setAttribute("aria-pressed", String(button === target));
});

/* A large table was held back: it is put in place when it is asked for. */
for (const held of document.querySelectorAll("details.table > noscript"))
    held.parentElement.addEventListener("toggle", () => {
        const made = document.createElement("template");
        made.innerHTML = held.textContent;
        held.replaceWith(made.content);
    }, { once: true });

/* A link to what is folded unfolds it. */
function unfold() {
    for (let at = document.getElementById(location.hash.slice(1)); at; at = at.parentElement)
        if (at.localName === "details")
            at.open = true;
}
addEventListener("hashchange", unfold);
unfold();

/* --- pictures --- */

/* What can be read: the groups that have a title, with their places; each x of a chart once. */
function stopsOf(picture) {
    const stops = new Map();
    for (const title of picture.querySelectorAll("title")) {
        const mark = title.parentElement, cell = mark.querySelector("rect");
        const x = Number((cell ?? mark).getAttribute(cell ? "x" : "cx")) + (cell ? cell.getAttribute("width") / 2 : 0);
        const y = cell ? Number(cell.getAttribute("y")) + cell.getAttribute("height") / 2 : 0;
        const key = `${x} ${y}`;
        stops.set(key, stops.get(key) ?? { x, y, cell, texts: [] });
        stops.get(key).texts.push(title.textContent);
    }
    return [...stops.values()].sort((a, b) => a.y - b.y || a.x - b.x);
}

function readOut(figure, picture) {
    const readout = figure.querySelector(".readout"), frame = picture.parentElement;
    const cursor = document.createElementNS(picture.namespaceURI, "path");
    const { height } = picture.viewBox.baseVal;
    let stops = null, now = -1;
    cursor.setAttribute("class", "cursor");
    const show = (index) => {
        now = index;
        const stop = stops[index];
        if (!stop)
            return;
        const box = stop.cell && ["x", "y", "width", "height"].map((side) => Number(stop.cell.getAttribute(side)));
        cursor.setAttribute("d", box ? `M${box[0]} ${box[1]}h${box[2]}v${box[3]}h${-box[2]}z` : `M${stop.x} 0V${height}`);
        picture.append(cursor);
        readout.textContent = stop.texts.join(" · ");
    };
    const nearest = (event) => {
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
        stops ??= stopsOf(picture);
        const far = ({ x, y, cell }) => cell ? Math.hypot(x - at.x, y - at.y) : Math.abs(x - at.x);
        show(stops.reduce((best, stop, i) => best < 0 || far(stop) < far(stops[best]) ? i : best, -1));
    };
    for (const kind of ["pointermove", "pointerdown"])
        picture.addEventListener(kind, nearest);
    frame.addEventListener("keydown", (event) => {
        stops ??= stopsOf(picture);
        const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: stops.length - 1 }[event.key];
        if (next === undefined || event.ctrlKey || event.metaKey || event.altKey)
            return;
        event.preventDefault();
        show(Math.min(stops.length - 1, Math.max(0, next)));
    });
}

/* The picture is a file as it stands: its colours are attributes. */
function saveButton(figure, picture) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "tool";
    button.textContent = "Save SVG";
    button.addEventListener("click", () => {
        const link = document.createElement("a"), copy = picture.cloneNode(true);
        copy.querySelector(".cursor")?.remove();
        const text = new XMLSerializer().serializeToString(copy);
        link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
        link.download = `fathom-${figure.id}.svg`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60e3);
    });
    figure.querySelector(".readout").after(button);
}

for (const figure of document.querySelectorAll("figure.picture"))
    for (const picture of figure.querySelectorAll("svg.picture")) {
        readOut(figure, picture);
        saveButton(figure, picture);
    }
performance.mark("fathom-usable");
