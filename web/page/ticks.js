/* Where the lines of an axis stand. Every function gives at most `most` values within the range,
 * whatever the range is. */

function thin(values, most) {
    const step = Math.ceil(values.length / Math.max(1, most));
    return values.filter((_, index) => index % step === 0);
}

/* Powers of two, with the same ratio between any two of them. */
function powerTicks(low, high, most) {
    const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, most)));
    const values = [];
    for (let power = Math.ceil(first / step) * step; power <= last; power += step)
        values.push(2 ** power);
    return values.length >= 2 ? values : linearTicks(low, high, most);
}

/* 1, 2, 5, 10, 20 ... where there is room, else decades. */
function decadeTicks(low, high, most) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const values = [], decades = [];
    for (let power = first; power <= last && last - first < 700; power++)
        for (const digit of [1, 2, 5]) {
            const value = digit * 10 ** power;
            if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9))
                continue;
            values.push(value);
            if (digit === 1)
                decades.push(value);
        }
    if (values.length < 2)
        return linearTicks(low, high, most);
    return values.length <= most ? values : decades.length >= 2 ? thin(decades, most)
        : thin(values, most);
}

function linearTicks(low, high, most) {
    const span = high - low;
    if (!(span > 0) || !Number.isFinite(span))
        return [low];
    const rough = span / Math.max(1, most), magnitude = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((digit) => digit * magnitude).find((size) => size >= rough);
    const values = [];
    for (let index = Math.ceil(low / step); index * step <= high && values.length <= most + 1; index++)
        values.push(index * step);
    return values;
}
