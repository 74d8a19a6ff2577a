/*
 * Matrices as heat maps. A colour is one path, however many cells have it, and the pointer's place
 * is computed: 256 by 256 cells are some fifty elements and no listener more than four cells have.
 */

const SVG = "http://www.w3.org/2000/svg";
const BINS = 48;

function svg(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    made.append(...children);
    return made;
}

/* The cell of a row and column by their index; null where nothing was measured. Of a large matrix
 * all is in steps, and the interval is how far it reaches below and above. */
function cellOf(series, row, column, cycles = false) {
    const of = cycles ? series.cycles : series;
    const at = row * series.columns.length + column;
    if (!of || of.y[at] === null)
        return null;
    if (of.low)
        return { y: of.y[at], low: of.low[at], high: of.high[at] };
    const scaled = (value) => value === null ? null : Number((value * of.step).toPrecision(9));
    const low = of.below?.[at] ?? null, high = of.above?.[at] ?? null;
    return { y: scaled(of.y[at]), low: low === null ? null : scaled(of.y[at] - low),
        high: high === null ? null : scaled(of.y[at] + high) };
}

/* Ids by group, as the findings nest: first by the groups that an id is in, then by id. */
function byCluster(ids, clusters) {
    const path = new Map(ids.map((id) => [id, []]));
    clusters.forEach((list, index) => cpuIds(list).forEach((id) => path.get(id)?.push(index)));
    const compare = (a, b) => {
        for (let i = 0; i < Math.max(a.length, b.length); i++)
            if (a[i] !== b[i])
                return (a[i] ?? Infinity) - (b[i] ?? Infinity);
        return 0;
    };
    const order = ids.map((_, index) => index)
        .sort((a, b) => compare(path.get(ids[a]), path.get(ids[b])) || ids[a] - ids[b]);
    const edges = [];
    order.forEach((index, place) => {
        if (place && compare(path.get(ids[order[place - 1]]), path.get(ids[index])) !== 0)
            edges.push(place);
    });
    return { order, edges };
}

const asListed = (ids) => ({ order: ids.map((_, index) => index), edges: [] });

/* Which shade a value has: 0 to BINS. */
function shadeOf(value, shades) {
    let low = 0, high = shades.ends.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (shades.ends[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

class HeatMap {
    constructor(picture, series, host, shades) {
        Object.assign(this, { picture, series, shades, clustered: false, cycles: false });
        this.frame = element("div", { class: "map", tabindex: "0", role: "group",
            "aria-label": `Heat map: ${series.label}, ${series.rows.length} rows and ` +
                `${series.columns.length} columns. Arrow keys read out its cells.` });
        this.readout = element("p", { class: "readout" });
        this.live = element("p", { class: "unseen", "aria-live": "polite" });
        host.append(this.frame, this.readout, this.live);
        this.frame.addEventListener("pointermove", (event) => this.onPointer(event));
        this.frame.addEventListener("pointerdown", (event) => this.onPointer(event));
        this.frame.addEventListener("pointerleave", () => this.select(-1, -1));
        this.frame.addEventListener("keydown", (event) => this.onKey(event));
        this.draw();
    }

    get unit() {
        return this.cycles && this.series.cycles ? "cycles" : this.picture.y.unit;
    }

    value(row, column) {
        return cellOf(this.series, this.rows.order[row], this.columns.order[column],
            this.cycles && Boolean(this.series.cycles));
    }

    draw() {
        const { series } = this;
        const arrange = (ids) => this.clustered ? byCluster(ids, series.clusters) : asListed(ids);
        this.rows = arrange(series.rows);
        this.columns = arrange(series.columns);
        const across = series.columns.length, down = series.rows.length;
        const size = this.size = Math.min(52, Math.max(3, 640 / Math.max(across, down, 1)));
        const margin = this.margin = 12 + 7 * String(Math.max(...series.rows, ...series.columns, 0)).length;
        const width = margin + across * size + 8, height = margin + down * size + 8;
        /* In units of a cell: the shorter a path is, the sooner it is parsed. */
        const cells = svg("g", { "shape-rendering": "crispEdges",
            transform: `translate(${margin} ${margin}) scale(${size})` }), words = svg("g", { class: "words" });
        const shades = this.shades(this.unit);
        const paths = Array.from({ length: BINS + 1 }, () => []);
        const blank = [];
        const labelled = size >= 30;
        const at = (index) => Number((margin + index * size).toFixed(2));
        for (let r = 0; r < down; r++) {
            let begun = -1, colour = -1;
            const end = (c) => {
                if (begun >= 0)
                    (colour < 0 ? blank : paths[colour]).push(
                        `M${begun} ${r}h${c - begun}v1h${begun - c}z`);
            };
            for (let c = 0; c < across; c++) {
                const cell = this.value(r, c);
                const bin = cell ? shadeOf(cell.y, shades) : -1;
                if (begun < 0 || bin !== colour) {
                    end(c);
                    begun = c;
                    colour = bin;
                }
                if (labelled && cell)
                    words.append(svg("text", { x: at(c + 0.5), y: at(r + 0.5), fill: heat(bin / BINS).ink,
                        class: "cell" }, this.short(cell.y)));
            }
            end(across);
        }
        if (blank.length)
            cells.append(svg("path", { class: "blank", d: blank.join("") }));
        paths.forEach((path, bin) => {
            if (path.length)
                cells.append(svg("path", { fill: heat(bin / BINS).fill, d: path.join("") }));
        });
        this.cursor = svg("path", { class: "cursor", d: "" });
        const lines = svg("path", { class: "edges", d: [
            ...this.rows.edges.map((r) => `M${margin} ${at(r)}H${at(across)}`),
            ...this.columns.edges.map((c) => `M${at(c)} ${margin}V${at(down)}`)].join("") });
        this.picked = [-1, -1];
        this.frame.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height,
            "aria-hidden": "true", focusable: "false" }, cells, words,
        this.ids(this.columns.order.map((i) => series.columns[i]), true),
        this.ids(this.rows.order.map((i) => series.rows[i]), false), lines, this.cursor));
        this.say();
    }

    ids(ids, across) {
        const group = svg("g", { class: "ids" });
        const room = across ? 8 + 7 * String(Math.max(...ids, 0)).length : 13;
        const step = 2 ** Math.max(0, Math.ceil(Math.log2(room / this.size)));
        ids.forEach((id, index) => {
            const place = this.margin + (index + 0.5) * this.size;
            if (index % step === 0)
                group.append(svg("text", across ? { x: place, y: this.margin - 7, class: "column" }
                    : { x: this.margin - 7, y: place, class: "row" }, String(id)));
        });
        return group;
    }

    short(value) {
        const scaled = value / scaleOf(this.unit).divisor;
        return Math.abs(scaled) >= 100 ? scaled.toFixed(0) : figure(scaled);
    }

    /* The cell under a place of the page. */
    onPointer(event) {
        const drawing = this.frame.firstElementChild;
        const box = drawing.getBoundingClientRect();
        const scale = drawing.viewBox.baseVal.width / box.width;
        const index = (place) => Math.floor((place * scale - this.margin) / this.size);
        this.select(index(event.clientY - box.top), index(event.clientX - box.left));
    }

    onKey(event) {
        const [row, column] = this.picked;
        const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
        if (!move)
            return;
        event.preventDefault();
        const within = (value, count) => Math.min(count - 1, Math.max(0, value));
        if (row < 0)
            this.select(0, 0);
        else
            this.select(within(row + move[0], this.series.rows.length),
                within(column + move[1], this.series.columns.length));
        this.live.textContent = this.readout.textContent;
    }

    select(row, column) {
        const inside = row >= 0 && column >= 0 && row < this.series.rows.length &&
            column < this.series.columns.length;
        this.picked = inside ? [row, column] : [-1, -1];
        const { margin, size } = this;
        const across = this.series.columns.length * size, down = this.series.rows.length * size;
        const x = margin + column * size, y = margin + row * size;
        this.cursor.setAttribute("d", inside ? `M${margin} ${y}h${across}v${size}h${-across}z` +
            `M${x} ${margin}h${size}v${down}h${-size}z` : "");
        this.say();
    }

    say() {
        const [row, column] = this.picked;
        if (row < 0) {
            this.readout.textContent = "Point at a cell to read it.";
            return;
        }
        const from = this.series.rows[this.rows.order[row]];
        const to = this.series.columns[this.columns.order[column]];
        const cell = this.value(row, column);
        const divisor = scaleOf(this.unit).divisor;
        const interval = cell && cell.low !== null && cell.high !== null && cell.high > cell.low
            ? ` (${figure(cell.low / divisor)} to ${figure(cell.high / divisor)})` : "";
        this.readout.textContent = `from ${from} to ${to}: ` +
            (cell ? valued(cell.y, this.unit) + interval : from === to ? "itself" : "no value");
    }

    set(changes) {
        Object.assign(this, changes);
        this.draw();
    }
}

/* The maps of one picture share a scale, so that machines can be compared by eye. */
class Matrix {
    constructor(picture, figure) {
        this.picture = picture;
        this.hasCycles = picture.series.some((series) => series.cycles);
        const host = figure.querySelector(".drawing");
        if (!picture.series.length) {
            host.append(element("p", { class: "readout" }, "Too scattered, or too large, for a map: the table has it."));
            this.maps = [];
            return;
        }
        const row = element("div", { class: "maps" });
        this.scale = element("div", { class: "scale" });
        this.host = host;
        host.append(this.orderChoice(), row, this.scale);
        this.maps = picture.series.map((series) => {
            const cell = element("div", { class: "one" });
            if (picture.series.length > 1)
                cell.append(element("p", { class: "label" }, series.label));
            row.append(cell);
            return new HeatMap(picture, series, cell, (unit) => this.shades(unit));
        });
        this.drawScale();
    }

    shades(unit) {
        return this.hasCycles && unit === "cycles" ? this.picture.shades.cycles : this.picture.shades.y;
    }

    orderChoice() {
        const group = element("div", { class: "choice", role: "group", "aria-label": "Order" });
        if (!this.picture.series.some((series) => series.clusters.length > 1))
            return group;
        for (const [clustered, text] of [[false, "by id"], [true, "by cluster"]]) {
            const button = element("button", { type: "button", "aria-pressed": String(!clustered) }, text);
            button.addEventListener("click", () => {
                for (const other of group.children)
                    other.setAttribute("aria-pressed", String(other === button));
                this.maps.forEach((map) => map.set({ clustered }));
            });
            group.append(button);
        }
        return group;
    }

    drawScale() {
        const unit = this.maps[0].unit, { least, most } = this.shades(unit);
        const bar = svg("svg", { viewBox: `0 0 ${BINS} 1`, preserveAspectRatio: "none",
            "aria-hidden": "true", class: "bar" });
        const reach = shadeOf(most, this.shades(unit)) / BINS;
        for (let bin = 0; bin < BINS; bin++)
            bar.append(svg("rect", { x: bin, y: 0, width: 1.02, height: 1,
                fill: heat(bin / (BINS - 1) * reach).fill }));
        this.scale.replaceChildren(element("span", {}, valued(least, unit)), bar,
            element("span", {}, valued(most, unit)));
    }

    setCycles(cycles) {
        if (!this.hasCycles || !this.maps.length)
            return;
        this.maps.forEach((map) => map.set({ cycles }));
        this.drawScale();
    }

    recolour() {}
}
