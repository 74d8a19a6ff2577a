/*
 * Saves a figure as it is seen: what stands in it becomes one SVG, box by box and line by line, and
 * a PNG is that SVG, painted. A chart that is drawn on a canvas says what it looks like in vectors.
 */

const UNSAVED = "details, .tools, .choice, .readout, .unseen, .value, .u-over, .u-under";
const INHERITED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size",
    "text-anchor", "dominant-baseline"];
const MARGIN = 16, SHARPNESS = 2;

/* A colour without its opacity, and that: some programs that open an SVG know no rgba(). */
function paint(kind, colour) {
    const [red, green, blue, alpha = 1] = channels(colour);
    return { [kind]: `rgb(${red},${green},${blue})`, [`${kind}-opacity`]: alpha };
}

const channels = (colour) => colour.match(/[\d.]+/g).map(Number);

/* What a colour looks like on another one, which is opaque. */
function blended(colour, below) {
    const [red, green, blue, alpha = 1] = channels(colour), under = channels(below);
    return `rgb(${[red, green, blue].map((value, i) => Math.round(value * alpha + under[i] * (1 - alpha))).join()})`;
}

/* The lines that a text is broken into, with their places in the window. */
function linesOf(node) {
    const range = document.createRange(), lines = [];
    for (const word of node.data.matchAll(/\S+/g)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const rect = range.getBoundingClientRect(), last = lines.at(-1);
        if (last && Math.abs(last.top - rect.top) < 2)
            Object.assign(last, { text: `${last.text} ${word[0]}`, right: rect.right });
        else if (rect.width)
            lines.push({ text: word[0], left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom });
    }
    return lines;
}

class Drawing {
    constructor(root, vectors) {
        const { left, top } = root.getBoundingClientRect(), paper = colourOf("--paper");
        Object.assign(this, { vectors, paper, left: left - MARGIN, top: top - MARGIN, width: 0, height: 0 });
        this.pen = document.createElement("canvas").getContext("2d");
        const ground = svg("rect", { fill: paper });
        this.svg = svg("svg", { xmlns: SVG }, ground);
        this.add(root, paper);
        for (const element of [this.svg, ground]) {
            element.setAttribute("width", this.width);
            element.setAttribute("height", this.height);
        }
        this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    }

    /* `ground` is the colour that the element stands on. */
    add(element, ground) {
        const style = getComputedStyle(element), box = element.getBoundingClientRect();
        if (style.display === "none" || element.matches(UNSAVED))
            return;
        const place = { x: box.left - this.left, y: box.top - this.top, width: box.width, height: box.height };
        if (element.localName === "svg" || this.vectors.has(element)) {
            this.reach(box);
            this.svg.append(this.vectors.has(element) ? this.vectors.get(element)(place) : styled(element, place));
            return;
        }
        const fill = blended(style.backgroundColor, ground);
        if (parseFloat(style.borderTopWidth))
            this.addBox(style, place, fill);
        for (const child of element.childNodes)
            if (child.nodeType === Node.ELEMENT_NODE)
                this.add(child, fill);
            else if (child.nodeType === Node.TEXT_NODE)
                this.addText(child, style);
    }

    /* A box, which may be the first of a pile, or a line where it has no sides. */
    addBox(style, place, fill) {
        const border = parseFloat(style.borderTopWidth), line = { ...paint("stroke", style.borderTopColor),
            "stroke-width": border };
        const rect = (by, colour) => svg("rect", { x: place.x + by + border / 2, y: place.y + by + border / 2,
            width: place.width - border, height: place.height - border, rx: parseFloat(style.borderTopLeftRadius),
            fill: colour, ...line });
        if (!parseFloat(style.borderLeftWidth)) {
            this.svg.append(svg("path", { d: `M${place.x} ${place.y + border / 2}h${place.width}`, ...line,
                "stroke-dasharray": { dashed: "6 3", dotted: "2 2" }[style.borderTopStyle] ?? "" }));
            return;
        }
        const pile = style.boxShadow === "none" ? [] : [6, 3];
        this.svg.append(...pile.map((by) => rect(by, this.paper)), rect(0, fill));
        this.reach({ right: place.x + place.width + this.left + 6, bottom: place.y + place.height + this.top + 6 });
    }

    addText(node, style) {
        this.pen.font = style.font;
        for (const { text, left, right, top, bottom } of linesOf(node)) {
            const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.pen.measureText(text);
            this.svg.append(svg("text", { x: left - this.left, y: (top + bottom + up - down) / 2 - this.top,
                "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight,
                textLength: right - left, lengthAdjust: "spacingAndGlyphs", ...paint("fill", style.color) }, text));
            this.reach({ right, bottom });
        }
    }

    /* The picture ends a margin beyond whatever is in it. */
    reach({ right, bottom }) {
        this.width = Math.max(this.width, Math.ceil(right - this.left + MARGIN));
        this.height = Math.max(this.height, Math.ceil(bottom - this.top + MARGIN));
    }
}

/* A copy that needs no style sheet. */
function styled(element, place) {
    const copy = element.cloneNode(true), copies = [copy, ...copy.querySelectorAll("*")];
    [element, ...element.querySelectorAll("*")].forEach((from, index) => {
        const style = getComputedStyle(from);
        for (const name of INHERITED)
            copies[index].setAttribute(name, style.getPropertyValue(name));
        copies[index].removeAttribute("class");
    });
    for (const [name, value] of Object.entries(place))
        copy.setAttribute(name, value);
    return copy;
}

const encoded = (drawing) => new Blob([new XMLSerializer().serializeToString(drawing.svg)],
    { type: "image/svg+xml" });

async function painted(drawing) {
    const url = URL.createObjectURL(encoded(drawing)), image = new Image();
    image.src = url;
    await image.decode();
    const canvas = element("canvas", { width: drawing.width * SHARPNESS, height: drawing.height * SHARPNESS });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function nameOf(figure) {
    const words = `${document.title} ${figure.querySelector("figcaption").textContent}`;
    return words.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 80);
}

function saveButtons(figure, vectors, status) {
    return [["SVG", encoded], ["PNG", painted]].map(([format, encode]) => {
        const button = element("button", { type: "button", class: "tool" }, `Save ${format}`);
        button.addEventListener("click", async () => {
            const link = element("a", { download: `${nameOf(figure)}.${format.toLowerCase()}` });
            try {
                const blob = await encode(new Drawing(figure, vectors));
                link.href = URL.createObjectURL(blob);
                link.click();
                setTimeout(() => URL.revokeObjectURL(link.href), 60e3);
                status.textContent = `Saved ${link.download}.`;
            } catch {
                status.textContent = `This browser could not make the ${format} file: save the other format.`;
            }
        });
        return button;
    });
}
