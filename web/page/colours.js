/* Colours: of lines from the style sheet, so that light, dark and paper each have their own; of
 * heat maps from cividis, which people with any kind of colour vision read as the same order
 * (Nunez, Anderton and Renslow 2018, doi:10.1371/journal.pone.0199239). */

const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74",
    "#c3b369", "#e1cc55", "#fee838"].map(rgb);
const LINES = 8;
const DASHES = [[[], "solid"], [[8, 4], "dashed"], [[2, 4], "dotted"], [[12, 4, 2, 4], "double"]];

function rgb(hex) {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/* A named colour as it is just now, in the form rgb(1, 2, 3): the sheet has one for light and one
 * for dark, and only an element's own colour is resolved to one of them. */
function colourOf(name) {
    colourOf.probe ??= document.body.appendChild(element("i", { hidden: "" }));
    colourOf.probe.style.color = `var(${name})`;
    return getComputedStyle(colourOf.probe).color;
}

function styleValue(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* The line of the i-th series: after eight colours the dashes change. `border` is the border that
 * looks most like it. */
function lineOf(index) {
    const [dash, border] = DASHES[Math.floor(index / LINES) % DASHES.length];
    return { colour: colourOf(`--line-${index % LINES + 1}`), dash, border };
}

function faded(colour, opacity) {
    return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${opacity})`);
}

/* share: 0 (near) to 1 (far). Near is light, so that what is far stands out dark on paper. */
function heat(share) {
    const at = (1 - Math.min(1, Math.max(0, share))) * (CIVIDIS.length - 1);
    const below = Math.min(CIVIDIS.length - 2, Math.floor(at)), part = at - below;
    const mixed = CIVIDIS[below].map((value, channel) =>
        Math.round(value + (CIVIDIS[below + 1][channel] - value) * part));
    return { fill: `rgb(${mixed.join(",")})`, ink: share < 0.5 ? "#101418" : "#ffffff" };
}
