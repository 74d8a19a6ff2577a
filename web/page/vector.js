/*
 * What a chart shows, as SVG: the same lines, bands, marks and ticks as on its canvas, to be saved.
 */

/* The parts of a series that no missing value interrupts: lists of places among its x. */
function runsOf(values) {
    const runs = [[]];
    values.forEach((value, index) => {
        if (value === null && runs.at(-1).length)
            runs.push([]);
        else if (Number.isFinite(value))
            runs.at(-1).push(index);
    });
    return runs.filter((run) => run.length);
}

/* At that place; `place` is the canvas's. */
function chartVector(chart, place) {
    const { plot } = chart, ratio = uPlot.pxRatio, { min, max } = plot.scales.x;
    const [left, top, width, height] = ["left", "top", "width", "height"].map((side) => plot.bbox[side] / ratio);
    const font = { "font-family": styleValue("--sans"), "font-size": 12, ...paint("fill", colourOf("--ink-soft")) };
    const across = (x) => plot.valToPos(x, "x").toFixed(2), up = (y) => plot.valToPos(y, "y").toFixed(2);
    const drawing = svg("svg", { ...place, viewBox: `0 0 ${place.width} ${place.height}` });
    const inside = svg("svg", { x: left, y: top, width, height, fill: "none" });
    const grid = svg("g", { ...paint("stroke", colourOf("--rule")) });
    drawing.append(grid, inside);

    plot.axes.forEach((axis, index) => {
        const scale = plot.scales[axis.scale];
        const splits = axis.splits(plot, index, scale.min, scale.max, 0, 0);
        axis.values(plot, splits).forEach((text, i) => {
            const at = plot.valToPos(splits[i], axis.scale);
            if (!Number.isFinite(at) || at < -0.5 || at > (index ? height : width) + 0.5)
                return;
            grid.append(svg("path", { d: index ? `M${left - 4} ${top + at}h${width + 4}` : `M${left + at} ${top}v${height + 4}` }));
            drawing.append(svg("text", { ...font, ...(index ? { x: left - 9, y: top + at + 4, "text-anchor": "end" }
                : { x: left + at, y: top + height + 20, "text-anchor": "middle" }) }, text));
        });
        const middle = index ? top + height / 2 : left + width / 2;
        drawing.append(svg("text", { ...font, "text-anchor": "middle", ...(index
            ? { transform: `translate(14 ${middle}) rotate(-90)` } : { x: middle, y: place.height - 8 }) }, axis.label));
    });

    const xs = plot.data[0], { apart } = chart.picture;
    chart.picture.series.forEach((series, index) => {
        const line = plot.series[3 * index + 1], [ys, highs, lows] = [1, 2, 3].map((part) => plot.data[3 * index + part]);
        if (!line.show)
            return;
        const path = (run, values) => run.map((i) => `${across(xs[i])} ${up(values[i])}`).join("L");
        const colour = line.stroke();
        for (const run of apart ? [] : runsOf(highs.map((high, i) => Number.isFinite(lows[i]) ? high : high === undefined ? high : null)))
            inside.append(svg("path", { d: `M${path(run, highs)}L${path([...run].reverse(), lows)}Z`,
                ...paint("fill", faded(colour, 0.22)) }));
        for (const run of apart ? [] : runsOf(ys))
            inside.append(svg("path", { d: `M${path(run, ys)}`, ...paint("stroke", colour), "stroke-width": 1.75,
                "stroke-dasharray": line.dash?.join(" ") ?? "" }));
        ys.forEach((y, i) => {
            if (Number.isFinite(y) && hasDots(chart.picture, series) && xs[i] >= min && xs[i] <= max)
                inside.append(svg("circle", { cx: across(xs[i]), cy: up(y), r: 2.5, ...paint("fill", colour) }));
        });
    });
    for (const { x, low, high, colour } of chart.bars(plot))
        inside.append(svg("path", { d: `M${across(x)} ${up(low)}V${up(high)}`, ...paint("stroke", colour), "stroke-width": 1.75 }));
    for (const { x, text, at, y, colour, dash } of chart.marks(plot))
        drawing.append(svg("path", { d: `M${x / ratio} ${top}v${height}`, fill: "none", opacity: 0.8,
            ...paint("stroke", colour), "stroke-dasharray": dash.join(" ") }),
        svg("text", { ...font, "font-size": 11, x: at / ratio, y: y / ratio, "text-anchor": "middle",
            ...paint("fill", colour) }, text));
    return drawing;
}
