/** What can be wrong with the texts of a drawing. Runs inside the page. */
import { beyond, holds, nameOf, type Place, pairs, seen, shared } from "./boxes.ts";
import { contrastOf, paintsUnder, type Shape, shapesOf } from "./paint.ts";

/** Labels of axes are 11.5 px; indices and exponents may be three quarters of their text. */
export const smallestTextPx = 11;
export const smallestIndexPx = 8.5;
/** Edges lie between pixels. */
export const slackPx = 1;
const leastContrast = 4.5;

interface Text {
  text: SVGTextElement;
  /** Where its ink is: boxes of text are higher than that, above and below. */
  ink: Place;
  sizePx: number;
}

function textOf(text: SVGTextElement): Text {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  const matrix = text.getScreenCTM();
  const scale = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
  const sizePx = Number.parseFloat(getComputedStyle(text).fontSize) * scale;
  // Of DejaVu's 1.16 em, capitals leave 0.2 above and figures 0.23 below.
  return { text, sizePx, ink: { left, right, top: top + 0.2 * sizePx, bottom: bottom - 0.2 * sizePx } };
}

/** Drawn as a frame for this text: a flag, a button, a cell. */
function frameOf({ text, ink, sizePx }: Text, rects: readonly SVGRectElement[]): Place | undefined {
  const x = (ink.left + ink.right) / 2;
  const y = (ink.top + ink.bottom) / 2;
  return rects
    .filter((rect) => rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)
    .map((rect) => rect.getBoundingClientRect())
    .filter((place) => holds(place, x, y) && place.height < 4 * sizePx)
    .sort((a, b) => a.width * a.height - b.width * b.height)[0];
}

function* wrongAlone(each: Text, drawing: Place, rects: readonly SVGRectElement[]): Generator<string> {
  const { text, ink, sizePx } = each;
  const name = nameOf(text);
  const out = beyond(ink, drawing);
  if (out > slackPx) yield `${name} leaves its drawing by ${out.toFixed(1)} px`;
  const frame = frameOf(each, rects);
  const narrow = frame ? beyond(ink, frame) : 0;
  if (narrow > 0) yield `${name} leaves its frame by ${narrow.toFixed(1)} px`;
  if (sizePx < smallestTextPx - 0.01) yield `${name} is ${sizePx.toFixed(1)} px small`;
  for (const span of text.querySelectorAll("tspan")) {
    const size = (Number.parseFloat(getComputedStyle(span).fontSize) * sizePx) / textSize(text);
    if (size < smallestIndexPx) yield `${nameOf(span)} in ${name} is ${size.toFixed(1)} px small`;
  }
}

const textSize = (text: Element) => Number.parseFloat(getComputedStyle(text).fontSize);

function* wrongOnItsGround({ text, ink }: Text, shapes: readonly Shape[]): Generator<string> {
  const { crossing, layers } = paintsUnder(text, ink, shapes);
  const name = nameOf(text);
  if (crossing) yield `${name} is crossed by a ${crossing}`;
  const contrast = contrastOf(text, layers);
  if (contrast < leastContrast) yield `${name} has a contrast of ${contrast.toFixed(2)}`;
}

export function* wrongDrawing(svg: SVGSVGElement): Generator<string> {
  const drawing = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter((text) => seen(text)).map(textOf);
  const rects = [...svg.querySelectorAll("rect")].filter((rect) => getComputedStyle(rect).fill !== "none");
  const shapes = shapesOf(svg);
  for (const each of texts) {
    yield* wrongAlone(each, drawing, rects);
    yield* wrongOnItsGround(each, shapes);
  }
  for (const [one, other] of pairs(texts)) {
    const { wide, high } = shared(one.ink, other.ink);
    if (wide > slackPx && high > slackPx) {
      yield `${nameOf(one.text)} and ${nameOf(other.text)} overlap by ${wide.toFixed(0)} × ${high.toFixed(0)} px`;
    }
  }
}
