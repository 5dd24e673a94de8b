/** One figure alone, in a frame of somebody's page. Its address says which one and how it stands. */
import { defineFigure } from "../figures/define.ts";
import type { FigureElement } from "../figures/figure-element.ts";
import { type Address, frameUrl, linkTo } from "../state/address.ts";
import { type FigureName, figureNames, figureSchemas } from "../state/fields.ts";
import { readHash } from "../state/hash.ts";
import { followHeight } from "./height.ts";
import { talkToHost } from "./messages.ts";

const style = new CSSStyleSheet();
// No height here may depend on the window's: the host makes the window as high as the figure.
style.replaceSync(`
  html { font-family: system-ui, sans-serif; overflow-wrap: anywhere; }
  body { margin: 0; padding: 1px; display: flow-root; }
  p { margin: 0 0 0.5rem; padding: 0.5rem 1rem; border-inline-start: 3px solid; }
`);
document.adoptedStyleSheets = [style];

const address: Address = {
  link: (figure, state, id) => linkTo(new URL("./", location.href).href, figure, state, id),
  frame: (figure, state) => frameUrl(location.href, figure, state),
};

function say(text: string): void {
  document.body.prepend(Object.assign(document.createElement("p"), { textContent: text }));
}

function figureFor(wanted: string | null): FigureName {
  const known = figureNames.find((name) => name === wanted);
  if (!known) say(`The address names no figure that is known here; these are: ${figureNames.join(", ")}.`);
  return known ?? "variance";
}

/** What the address says about the figure; what is not said keeps its default. */
function applyAddress(figure: FigureElement<FigureName>): void {
  const reader = readHash(location.hash, location.search);
  reader.notes.forEach(say);
  const name = figure.figureName;
  figure.adopt(
    Object.fromEntries(Object.keys(figureSchemas[name]).map((field) => [field, reader.raw(name, field)])),
  );
}

const name = figureFor(readHash(location.hash, location.search).figure);
defineFigure(name);
const figure = document.createElement(`sqrtdk-${name}`) as FigureElement<FigureName>;
figure.id = name;
// A page that came without an address of its own (srcdoc, a blob) has none to give away.
if (/^(https?|file):$/.test(location.protocol)) figure.address = address;
applyAddress(figure);
document.body.append(figure);
addEventListener("hashchange", () => applyAddress(figure));
if (parent !== window) {
  followHeight(parent, document.body);
  talkToHost(parent, figure);
}
