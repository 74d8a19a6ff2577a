/* Puts the pictures into their figures and the switches to work. */

const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
/* What can be done with a figure, below what it shows. */
function addTools(figure, vectors, ...buttons) {
    const status = element("span", { class: "status", role: "status" });
    figure.querySelector(".drawing").after(element("p", { class: "tools" },
        ...buttons.map((button) => button(status)), ...saveButtons(figure, vectors, status), status));
}

const pictures = data.pictures.map((picture, index) => {
    const figure = document.getElementById(`picture-${index}`), vectors = new Map();
    const made = picture.matrix ? new Matrix(picture, figure) : new Chart(picture, figure);
    if (made.frame)
        vectors.set(made.frame, (place) => chartVector(made, place));
    addTools(figure, vectors, (status) => copyButton(picture, status));
    return made;
});
for (const figure of document.querySelectorAll("figure.machine"))
    addTools(figure, new Map());

/* A table that was held back is put in place when it is asked for. */
for (const held of document.querySelectorAll("details.table > noscript"))
    held.parentElement.addEventListener("toggle", () => {
        const made = document.createElement("template");
        made.innerHTML = held.textContent;
        held.replaceWith(made.content);
    }, { once: true });

function choose(kind, value) {
    for (const button of document.querySelectorAll(`[data-${kind}]`))
        if (button.tagName === "BUTTON")
            button.setAttribute("aria-pressed", String(button.dataset[kind] === value));
}

const controls = document.getElementById("controls");
controls.hidden = false;
if (!pictures.some((picture) => picture.hasCycles))
    controls.querySelector("[data-unit]").parentElement.remove();
function chooseUnit(unit) {
    choose("unit", unit);
    pictures.forEach((picture) => picture.setCycles(unit === "cycles"));
}

/* Of devices alone cycles come first: their clocks move more than their caches do. */
if (data.pictures.length && data.pictures.every((picture) => picture.device))
    chooseUnit("cycles");
controls.addEventListener("click", (event) => {
    const { unit, theme } = event.target.dataset ?? {};
    if (unit)
        chooseUnit(unit);
    if (theme) {
        choose("theme", theme);
        root.dataset.theme = theme;
        pictures.forEach((picture) => picture.recolour());
    }
});

/* Paper is light whatever the screen is; the style sheet says so, and the charts follow. */
for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", () =>
        pictures.forEach((picture) => picture.recolour()));

/* For tests, and for whoever wants to see in the console what is drawn. */
window.fathom = { data, pictures };
performance.mark("fathom-usable");
