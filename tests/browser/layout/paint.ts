/** What is painted under and over a text of a drawing: its ground, and lines that cross it. Runs inside the page. */
import { contrast } from "../../../web/charts/theme.ts";
import { beyond, holds, type Place, shared } from "./boxes.ts";

export interface Layer {
  colour: string;
  opacity: number;
}

const opacityOf = (element: Element, kind: "fillOpacity" | "strokeOpacity") => {
  let opacity = Number(getComputedStyle(element)[kind]);
  for (let at: Element | null = element; at && at.nodeName !== "svg"; at = at.parentElement) {
    opacity *= Number(getComputedStyle(at).opacity);
  }
  return opacity;
};

/** Hairlines of a grid may pass under a text, and so may what can hardly be seen. */
function strikes(shape: SVGGeometryElement): boolean {
  const { stroke } = getComputedStyle(shape);
  const grid = getComputedStyle(shape).getPropertyValue("--sqrtdk-grid");
  return (
    stroke !== "none" &&
    opacityOf(shape, "strokeOpacity") > 0.1 &&
    hexOf([{ colour: stroke, opacity: 1 }]) !== grid
  );
}

function crosses(shape: SVGGeometryElement, ink: Place): boolean {
  const matrix = shape.getScreenCTM();
  // Where a line only touches the outermost pixel of a text, both can be read.
  const inner = { left: ink.left + 1, right: ink.right - 1, top: ink.top + 1, bottom: ink.bottom - 1 };
  if (!matrix) return false;
  const length = shape.getTotalLength();
  for (let at = 0; at <= length; at += 2) {
    const { x, y } = shape.getPointAtLength(at).matrixTransform(matrix);
    if (holds(inner, x, y)) return true;
  }
  return false;
}

function fillUnder(shape: SVGGeometryElement, ink: Place): boolean {
  const matrix = shape.getScreenCTM();
  if (!matrix || getComputedStyle(shape).fill === "none") return false;
  const middle = new DOMPoint((ink.left + ink.right) / 2, (ink.top + ink.bottom) / 2);
  return shape.isPointInFill(middle.matrixTransform(matrix.inverse()));
}

/** Outside the drawing: the nearest background there is. */
function background(element: Element): Layer {
  for (let at: Element | null = element; at; ) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/, 0\)$|transparent/.test(colour)) return { colour, opacity: 1 };
    const root = at.getRootNode();
    at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return { colour: "white", opacity: 1 };
}

export interface Shape {
  shape: SVGGeometryElement;
  place: Place;
}

/** All that is painted, in the order in which it is. */
export function shapesOf(svg: SVGSVGElement): Shape[] {
  return [
    ...svg.querySelectorAll<SVGGeometryElement>("path, line, rect, circle, polygon, polyline, ellipse"),
  ].map((shape) => ({ shape, place: shape.getBoundingClientRect() }));
}

export function paintsUnder(
  text: SVGTextElement,
  ink: Place,
  shapes: readonly Shape[],
): { layers: Layer[]; crossing: string } {
  const { paintOrder, stroke } = getComputedStyle(text);
  const haloed = paintOrder.startsWith("stroke") && stroke !== "none";
  let layers = [background(text.ownerSVGElement as SVGSVGElement)];
  let crossing = "";
  for (const { shape, place } of shapes) {
    const { wide, high } = shared(ink, place);
    if (wide < 0 || high < 0 || shape.closest("defs, clipPath, mask")) continue;
    const over = (text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    const line = /^(path|line|polyline)$/.test(shape.nodeName);
    if (line && (over || !haloed) && strikes(shape) && crosses(shape, ink)) crossing ||= shape.nodeName;
    if (over || !fillUnder(shape, ink)) continue;
    const layer = { colour: getComputedStyle(shape).fill, opacity: opacityOf(shape, "fillOpacity") };
    layers.push(layer);
    // What is wholly covered does not matter any more.
    if (layer.opacity === 1 && beyond(ink, place) <= 0) {
      layers = [layer];
      crossing = "";
    }
  }
  return { layers: haloed ? [{ colour: stroke, opacity: 1 }] : layers, crossing };
}

const canvas = new OffscreenCanvas(1, 1).getContext("2d", {
  willReadFrequently: true,
}) as OffscreenCanvasRenderingContext2D;

/** The colour that layers make together, as #rrggbb; the browser mixes them. */
function hexOf(layers: readonly Layer[]): string {
  for (const { colour, opacity } of layers) {
    canvas.fillStyle = colour;
    canvas.globalAlpha = opacity;
    canvas.fillRect(0, 0, 1, 1);
  }
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

export function contrastOf(text: SVGTextElement, ground: readonly Layer[]): number {
  const ink = { colour: getComputedStyle(text).fill, opacity: opacityOf(text, "fillOpacity") };
  return contrast(hexOf(ground), hexOf([...ground, ink]));
}
