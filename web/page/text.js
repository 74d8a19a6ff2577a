/* Numbers as the tables have them: three significant digits, and a unit of the right size. */

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

function figure(value) {
    if (!Number.isFinite(value))
        return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e9 || size < 1e-4))
        return value.toExponential(2).replace(/\.?0+e\+?/, "e");
    if (size >= 1000)
        return value.toFixed(0);
    return value.toPrecision(3).includes("e") ? value.toFixed(0) : value.toPrecision(3);
}

function bytes(value, gap = " ") {
    let power = 0;
    for (let rest = Math.abs(value); rest >= 1024 && power < BINARY.length - 1; rest /= 1024)
        power++;
    const scaled = value / 1024 ** power;
    const text = Number.isInteger(scaled) ? String(scaled) : scaled.toPrecision(3);
    return text + gap + (gap ? BINARY[power] : BINARY[power][0].replace("B", ""));
}

/* What a document's values are divided by to be shown, and the unit they are then in: by the table of
 * units that stands in the page's data. */
function scaleOf(unit) {
    return Object.hasOwn(data.units, unit) ? data.units[unit] : { divisor: 1, unit };
}

function isSize(unit) {
    return Boolean(scaleOf(unit).size);
}

function valued(value, unit) {
    if (isSize(unit) && Number.isFinite(value))
        return bytes(value);
    const scale = scaleOf(unit);
    return figure(value / scale.divisor) + (scale.unit ? " " + scale.unit : "");
}

/* As exact as the document, for CSV. */
function exact(value) {
    return value === null || value === undefined || !Number.isFinite(value) ? "" : String(value);
}

/* "0-3,8" as the ids in it; a list that makes no sense is empty. */
function cpuIds(list) {
    const ids = [];
    for (const part of list.split(",")) {
        const match = /^(\d{1,7})(?:-(\d{1,7}))?(?::(\d{1,7}))?$/.exec(part.trim());
        if (!match)
            return [];
        const last = Number(match[2] ?? match[1]);
        for (let id = Number(match[1]); id <= last && ids.length < 65536; id += Number(match[3] ?? 1) || 1)
            ids.push(id);
    }
    return ids;
}

function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    made.append(...children);
    return made;
}
