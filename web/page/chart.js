/*
 * Curves, drawn by uPlot: each series is a line with the band of its interval behind it; where x
 * numbers things (CPUs), which nothing lies between, points with a bar each. Lines across mark
 * capacities that were found (whole) and declared (broken).
 */

const positive = (value) => Number.isFinite(value) && value > 0;

/* One unit's columns of a series; null where it has none in that unit. */
function columnsOf(series, cycles) {
    return cycles ? series.cycles ?? null : series;
}

/* Points that are few are shown as such, and those that no line joins. */
const hasDots = (picture, series) => picture.apart || series.x.length <= 40;

/* A scale is logarithmic where that shows more: all values are positive and far apart. */
function kindOf(values, ratio) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
        if (value === null)
            continue;
        if (!(value > 0))
            return "linear";
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    return high / low >= ratio ? "log" : "linear";
}

/* All series over all x. Where a series has no such x it is undefined, which draws through; null is
 * a point that has no value, which leaves a gap. */
function joined(picture, cycles) {
    const tables = picture.series.map((series) => {
        const columns = columnsOf(series, cycles);
        const order = series.x.map((_, i) => i).filter((i) => Number.isFinite(series.x[i]))
            .sort((a, b) => series.x[a] - series.x[b]);
        const pick = (from) => order.map((i) => from ? from[i] ?? null : null);
        return [order.map((i) => series.x[i]), pick(columns?.y), pick(columns?.high),
            pick(columns?.low)];
    });
    return uPlot.join(tables);
}

class Chart {
    constructor(picture, figure) {
        this.picture = picture;
        this.host = figure.querySelector(".drawing");
        this.hasCycles = picture.series.some((series) => series.cycles);
        this.shown = picture.series.map(() => true);
        this.cycles = false;
        this.xKind = picture.apart ? "linear" : kindOf(picture.series.flatMap((series) => series.x), 8);
        this.frame = element("div", { class: "frame", tabindex: "0", role: "group",
            "aria-label": `Chart: ${figure.querySelector("figcaption").textContent}. ` +
                "Arrow keys, Home and End read out its points; plus and minus zoom, " +
                "Escape shows all of it." });
        this.readout = element("p", { class: "readout" });
        this.live = element("p", { class: "unseen", "aria-live": "polite" });
        this.host.append(this.frame, this.legend(), this.readout, this.live);
        this.frame.addEventListener("keydown", (event) => this.onKey(event));
        this.draw();
        new ResizeObserver(() => this.resize()).observe(this.frame);
    }

    legend() {
        const list = element("ul", { class: "legend" });
        this.entries = this.picture.series.map((series, index) => {
            const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
            const value = element("output", { class: "value" });
            const button = element("button", { type: "button", "aria-pressed": "true" }, swatch,
                element("span", { class: "label" }, series.label || "series"), value);
            button.addEventListener("click", () => this.toggle(index));
            list.append(element("li", {}, button));
            return { button, swatch, value };
        });
        return list;
    }

    toggle(index) {
        this.shown[index] = !this.shown[index];
        this.entries[index].button.setAttribute("aria-pressed", String(this.shown[index]));
        for (let part = 1; part <= 3; part++)
            this.plot.setSeries(3 * index + part, { show: this.shown[index] });
    }

    isDrawn(index) {
        return Boolean(columnsOf(this.picture.series[index], this.cycles && this.hasCycles));
    }

    get unit() {
        return this.cycles && this.hasCycles ? "cycles" : this.picture.y.unit;
    }

    /* Room for as many ticks as their labels need. */
    splits(kind, unit, room) {
        return (plot, axis, low, high, _increment, _space) => {
            const length = axis === 0 ? plot.bbox.width : plot.bbox.height;
            const most = Math.max(2, Math.floor(length / uPlot.pxRatio / room));
            if (kind === "linear") {
                const ticks = isSize(unit)
                    ? linearTicks(low / 1024, high / 1024, most).map((v) => v * 1024)
                    : linearTicks(low, high, most);
                /* A count has no decimals. */
                const whole = axis === 0 && !unit ? ticks.filter(Number.isInteger) : [];
                return whole.length ? whole : ticks;
            }
            /* Of bytes and of counts the powers of two are the round ones. */
            return isSize(unit) || (axis === 0 && !unit) ? powerTicks(low, high, most)
                : decadeTicks(low, high, most);
        };
    }

    /* What a scale shows of values from low to high, with a margin on either side. */
    range(kind, margin) {
        return (_plot, low, high) => {
            if (!Number.isFinite(low) || !Number.isFinite(high))
                return kind === "log" ? [1, 10] : [0, 1];
            if (kind === "log") {
                const factor = low === high ? 1.5 : (high / low) ** margin;
                return [low / factor, high * factor];
            }
            const pad = low === high ? Math.abs(low) / 10 || 1 : (high - low) * margin;
            /* Zero belongs to the picture where it is not far. */
            const foot = margin && low >= 0 && low < high / 2 ? 0 : low - pad;
            return [foot, high + pad];
        };
    }

    /* Of things by number, with room beside the first and the last. */
    rangeApart({ data: [xs] }, low, high) {
        return [low > xs[0] ? low : (xs[0] ?? 0) - 0.5, high < xs.at(-1) ? high : (xs.at(-1) ?? 0) + 0.5];
    }

    draw() {
        const { x, y } = this.picture, cycles = this.cycles && this.hasCycles;
        const data = joined(this.picture, cycles);
        const medians = data.filter((_, i) => i % 3 === 1).flat()
            .filter((value) => Number.isFinite(value));
        const yKind = kindOf(medians, 4), scale = scaleOf(this.unit), across = scaleOf(x.unit);
        const { zoom } = this;
        if (yKind === "log")
            for (const column of data.slice(1))
                column.forEach((value, i) => {
                    if (value !== null && value !== undefined && !(value > 0))
                        column[i] = null;
                });
        const ink = colourOf("--ink-soft"), rule = colourOf("--rule");
        const font = `12px ${styleValue("--sans")}`;
        const axis = (more) => ({ stroke: ink, font, labelFont: font, labelSize: 22,
            grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 4 }, ...more });
        const series = [{}], bands = [];
        this.picture.series.forEach((one, index) => {
            const { colour, dash, border } = lineOf(index), show = this.shown[index];
            const edge = { show, stroke: "transparent", width: 0, points: { show: false } };
            series.push({ show, label: one.label, stroke: colour, width: 1.75, dash,
                ...(this.picture.apart && { paths: () => null }),
                points: { show: hasDots(this.picture, one), size: 5, fill: colour, stroke: colour } }, edge, { ...edge });
            if (!this.picture.apart)
                bands.push({ series: [3 * index + 2, 3 * index + 3], fill: faded(colour, 0.22) });
            this.entries[index].swatch.style.borderTop = `3px ${border} ${colour}`;
            this.entries[index].button.classList.toggle("undrawn", !this.isDrawn(index));
        });
        const options = {
            width: this.width(), height: this.height(),
            scales: {
                x: { time: false, distr: this.xKind === "log" ? 3 : 1, log: 2,
                    range: this.picture.apart ? this.rangeApart : this.range(this.xKind, 0) },
                y: { distr: yKind === "log" ? 3 : 1, log: 10,
                    range: this.range(yKind, 0.05) },
            },
            axes: [
                axis({ label: [x.name, !isSize(x.unit) ? across.unit : ""].filter(Boolean).join(", "), size: 34,
                    splits: this.splits(this.xKind, x.unit, 56),
                    filter: (_plot, splits) => splits,
                    values: (_plot, splits) => splits.map((v) => isSize(x.unit) ? bytes(v)
                        : tick(v / across.divisor)) }),
                axis({ label: [y.name, scale.unit].filter(Boolean).join(", "), size: 56,
                    splits: this.splits(yKind, y.unit, 34),
                    filter: (_plot, splits) => splits,
                    values: (_plot, splits) => splits.map((v) => isSize(y.unit) ? bytes(v)
                        : tick(v / scale.divisor)) }),
            ],
            series, bands,
            legend: { show: false },
            /* On the right, half of the widest label of x. */
            padding: [this.picture.marks.length ? 34 : 10, 28, 0, 0],
            cursor: { drag: { x: true, y: false, dist: 6 }, y: false, points: { size: 7 } },
            hooks: { draw: [(plot) => this.drawMarks(plot)], setCursor: [() => this.read()],
                setScale: [(plot, key) => key === "x" && this.onZoom(plot)] },
        };
        this.plot?.destroy();
        this.plot = new uPlot(options, data, this.frame);
        if (zoom)
            this.zoomTo(zoom.min, zoom.max);
        this.plot.root.querySelector("canvas").setAttribute("aria-hidden", "true");
        this.read();
    }

    /* The intervals of points that no line joins: where each stands, and its colour. */
    bars(plot) {
        const bars = [], [xs] = plot.data, { min, max } = plot.scales.x;
        this.picture.series.forEach((_, index) => {
            const [{ show, stroke }, highs, lows] = [plot.series[3 * index + 1], plot.data[3 * index + 2], plot.data[3 * index + 3]];
            if (this.picture.apart && show)
                xs.forEach((x, i) => x >= min && x <= max && Number.isFinite(lows[i]) && Number.isFinite(highs[i]) &&
                    bars.push({ x, low: lows[i], high: highs[i], colour: stroke() }));
        });
        return bars;
    }

    /* Where the lines of capacities stand, in pixels of the canvas; those that have room for it
     * have a text, centred at `at` in one of two rows. */
    marks({ ctx, bbox, scales, valToPos }) {
        const ratio = uPlot.pxRatio, taken = [[], []], marks = [];
        ctx.font = `${11 * ratio}px ${styleValue("--sans")}`;
        for (const [index, mark] of this.picture.marks.entries()) {
            /* One line is enough where the two are the same, and where documents agree. */
            const again = this.picture.marks.slice(0, index).some((other) => other.x === mark.x &&
                other.found === mark.found && other.label === mark.label);
            const twin = this.picture.marks.find((other) => other !== mark && other.found &&
                other.document === mark.document && other.label === mark.label &&
                Math.abs(other.x / mark.x - 1) < 0.03);
            if (!(mark.x >= scales.x.min && mark.x <= scales.x.max) || (!mark.found && twin) || again)
                continue;
            const x = Math.round(valToPos(mark.x, "x", true)) + 0.5;
            const text = mark.label + (mark.found ? " " : " declared ") + bytes(mark.x);
            const half = ctx.measureText(text).width / 2 + 4 * ratio;
            const at = Math.min(Math.max(x, bbox.left + half), bbox.left + bbox.width - half);
            const row = taken.findIndex((row) => row.every(([from, to]) => at + half < from || at - half > to));
            taken[row]?.push([at - half, at + half]);
            marks.push({ x, text: row < 0 ? "" : text, at, y: bbox.top - (7 + 14 * row) * ratio,
                colour: colourOf(mark.found ? "--accent" : "--ink-soft"), dash: mark.found ? [] : [3, 4] });
        }
        return marks;
    }

    drawMarks(plot) {
        const { ctx, bbox } = plot, ratio = uPlot.pxRatio;
        ctx.save();
        ctx.lineWidth = 1.75 * ratio;
        for (const { x, low, high, colour } of this.bars(plot)) {
            ctx.strokeStyle = colour;
            ctx.beginPath();
            ctx.moveTo(plot.valToPos(x, "x", true), plot.valToPos(low, "y", true));
            ctx.lineTo(plot.valToPos(x, "x", true), plot.valToPos(high, "y", true));
            ctx.stroke();
        }
        ctx.textAlign = "center";
        for (const { x, text, at, y, colour, dash } of this.marks(plot)) {
            ctx.strokeStyle = ctx.fillStyle = colour;
            ctx.globalAlpha = 0.8;
            ctx.lineWidth = ratio;
            ctx.setLineDash(dash.map((length) => length * ratio));
            ctx.beginPath();
            ctx.moveTo(x, bbox.top);
            ctx.lineTo(x, bbox.top + bbox.height);
            ctx.stroke();
            ctx.globalAlpha = 1;
            ctx.fillText(text, at, y);
        }
        ctx.restore();
    }

    /* The value of a series at the cursor: its own nearest x. */
    nearest(index, at) {
        const columns = columnsOf(this.picture.series[index], this.cycles && this.hasCycles);
        const xs = this.plot.data[0], ys = this.plot.data[3 * index + 1];
        for (let away = 0; columns && away < xs.length; away++)
            for (const i of [at - away, at + away])
                if (ys[i] !== undefined && i >= 0 && i < xs.length)
                    return { x: xs[i], y: ys[i], high: this.plot.data[3 * index + 2][i],
                        low: this.plot.data[3 * index + 3][i] };
        return null;
    }

    /* What is in view, for when all is drawn anew; null where that is everything. */
    onZoom(plot) {
        const { min, max } = plot.scales.x, xs = plot.data[0];
        this.zoom = min > xs[0] || max < xs[xs.length - 1] ? { min, max } : null;
    }

    get view() {
        const xs = this.plot.data[0];
        return this.zoom ?? { min: xs[0], max: xs[xs.length - 1] };
    }

    read() {
        const at = this.plot?.cursor.idx;
        const here = at !== null && at !== undefined && this.plot.data[0].length > 0;
        const said = [];
        this.entries.forEach(({ value }, index) => {
            const { label } = this.picture.series[index];
            if (!this.isDrawn(index)) {
                value.textContent = `only in ${this.picture.y.unit}`;
                said.push(`${label}: ${value.textContent}`);
                return;
            }
            const point = here && this.shown[index] ? this.nearest(index, at) : null;
            const interval = point && Number.isFinite(point.low) && Number.isFinite(point.high) &&
                point.high > point.low ? ` (${figure(point.low / scaleOf(this.unit).divisor)} to ` +
                    `${figure(point.high / scaleOf(this.unit).divisor)})` : "";
            value.textContent = !point ? "" : point.y === null ? "no value"
                : valued(point.y, this.unit) + interval;
            if (point)
                said.push(`${label}: ${value.textContent}`);
        });
        const x = here ? valued(this.plot.data[0][at], this.picture.x.unit) : "";
        this.readout.textContent = here ? `${this.picture.x.name || "x"} ${x}`
            : matchMedia("(hover: none)").matches ? "Touch the chart to read it."
            : "Point at the chart to read it; drag to zoom, double-click to see all of it again. " +
                "By keyboard: arrows, + and -, Escape.";
        this.spoken = here ? `${x}. ${said.join(". ")}` : "";
    }

    onKey(event) {
        const xs = this.plot.data[0], { min, max } = this.view;
        const first = xs.findIndex((x) => x >= min), last = xs.findLastIndex((x) => x <= max);
        const now = this.plot.cursor.idx ?? first - 1;
        const share = { "+": 0.5, "=": 0.5, "-": 2, "_": 2 }[event.key];
        const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: first, End: last }[event.key];
        if (event.key === "Escape")
            this.reset();
        /* With these a key is the browser's: its own zoom, and its history. */
        if (event.ctrlKey || event.metaKey || event.altKey || !xs.length)
            return;
        if (share) {
            event.preventDefault();
            this.zoomBy(share);
        } else if (next !== undefined && first <= last) {
            event.preventDefault();
            this.pointAt(Math.min(last, Math.max(first, next)));
            this.live.textContent = this.spoken;
        }
    }

    /* A place at the very edge may be computed to be outside, where there is no cursor. */
    pointAt(index) {
        const { clientWidth, clientHeight } = this.plot.over;
        const left = this.plot.valToPos(this.plot.data[0][index], "x");
        this.plot.setCursor({ left: Math.min(clientWidth, Math.max(0, left)), top: clientHeight / 2 });
    }

    /* Shows `times` as much of x, about the point that is read or else the middle, but no
     * fewer than two points. */
    zoomBy(share) {
        const xs = this.plot.data[0], at = this.plot.cursor.idx, { min, max } = this.view;
        const [to, from] = this.xKind === "log" ? [Math.log2, (x) => 2 ** x] : [Number, Number];
        const [first, last] = [xs[0], xs[xs.length - 1]], end = to(last);
        const span = (to(max) - to(min)) * share;
        const middle = Number.isInteger(at) ? to(xs[at]) : (to(min) + to(max)) / 2;
        const low = Math.max(to(first), Math.min(middle - span / 2, end - span));
        /* No rounding may leave the points at the ends outside. */
        const left = low > to(first) ? from(low) : first;
        const right = low + span < end ? from(low + span) : last;
        if (xs.filter((x) => x >= left && x <= right).length >= 2)
            this.zoomTo(left, right);
        if (Number.isInteger(at))
            this.pointAt(at);
        this.live.textContent = [this.view.min, this.view.max]
            .map((x) => valued(x, this.picture.x.unit)).join(" to ");
    }

    /* At once: the places of points are asked for next. */
    zoomTo(min, max) {
        this.plot.batch(() => this.plot.setScale("x", { min, max }));
    }

    reset() {
        const xs = this.plot.data[0];
        if (xs.length)
            this.zoomTo(xs[0], xs[xs.length - 1]);
    }

    width() {
        return Math.max(240, this.frame.clientWidth);
    }

    height() {
        return Math.round(Math.min(420, Math.max(260, this.width() * 0.46)));
    }

    resize() {
        if (Math.abs(this.width() - this.plot.width) > 1)
            this.plot.setSize({ width: this.width(), height: this.height() });
    }

    setCycles(cycles) {
        this.cycles = cycles;
        if (this.hasCycles)
            this.draw();
    }

    recolour() {
        this.draw();
    }
}

/* On an axis: no more digits than it takes. */
function tick(value) {
    const text = Number(value.toPrecision(6));
    return Math.abs(text) >= 1e7 || (text !== 0 && Math.abs(text) < 1e-4) ? text.toExponential()
        : String(text);
}
