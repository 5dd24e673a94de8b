/** The block diagram: matrices with their numbers, the blocks between them, and the way the computation goes. */
import { nothing, type SVGTemplateResult, svg } from "lit";
import { label } from "../charts/drawing.ts";
import { heatMap } from "../charts/heat-map.ts";
import { roughWidth } from "../charts/names.ts";
import { exact, fixed } from "../charts/numbers.ts";
import { dashed, type Theme } from "../charts/theme.ts";
import { handMade } from "./attention-cells.ts";
import {
  type Block,
  type CellPosition,
  gutter,
  headHeight,
  type Layout,
  type Link,
  type Place,
} from "./attention-layout.ts";
import { type Matrix, type Pass, type Slot, slots, summarise } from "./attention-model.ts";
import {
  made,
  type Origin,
  origins,
  type Stage,
  slotName,
  stages,
  stageThatMakes,
} from "./attention-stages.ts";

export interface DiagramOptions {
  pass: Pass;
  stage: Stage;
  layout: Layout;
  /** The cell that is looked at. */
  cell: CellPosition | null;
  theme: Theme;
}

/** A value in five characters at most. */
export function cellText(value: number): string {
  if (Number.isNaN(value)) return "\u2212\u221e";
  const size = Math.abs(value);
  if (size >= 99.95) return fixed(value, 0).replace(/\s/g, "");
  if (size >= 9.995) return fixed(value, 1);
  if (size >= 0.005 || size === 0) return size === 0 ? "0" : fixed(value, 2);
  const exponent = Math.floor(Math.log10(size));
  if (exponent < -9) return "\u22480";
  const digit = Math.min(9, Math.round(size / 10 ** exponent));
  return `${value < 0 ? "\u2212" : ""}${digit}e\u2212${-exponent}`;
}

export function diagram(options: DiagramOptions): SVGTemplateResult {
  const { layout, stage } = options;
  const ready = made(stage);
  return svg`<g>
    ${layout.links.map((link) => arrow(link, ready, options))}
    ${layout.blocks.map((block) => blockView(block, options))}
    ${slots.map((slot) => matrixView(slot, ready.has(slot), options))}
    ${handMarks(ready, options)}
    ${framed(options)}
  </g>`;
}

/** A filled corner in every cell that is set by hand. */
function handMarks(
  ready: ReadonlySet<Slot>,
  { pass, stage, layout, theme }: DiagramOptions,
): SVGTemplateResult[] {
  const { width, height } = layout.cell;
  const shown = handMade(pass).filter(
    ({ slot, column, direction }) =>
      direction === stage.direction && ready.has(slot) && column < layout.places[slot].columns,
  );
  return shown.map(({ slot, row, column }) => {
    const place = layout.places[slot];
    const [x, y] = [place.x + column * width, place.y + headHeight + row * height];
    return svg`<path class="hand" d=${`M${x} ${y}h9l-9 9Z`} fill=${theme.ink}></path>`;
  });
}

const isScaled = (slot: Slot) => slot !== "query" && slot !== "key" && slot !== "raw" && slot !== "value";

function arrow(
  { points, from, into }: Link,
  ready: ReadonlySet<Slot>,
  options: DiagramOptions,
): SVGTemplateResult {
  const { stage, pass, theme } = options;
  const ahead = stage.direction === "forward";
  const lit = ready.has(ahead ? into : from);
  const scaled = isScaled(from) || (isScaled(into) && from === "raw");
  const arm = pass.source.scale === "rsqrt" ? "scaled" : "raw";
  const paint = lit ? (scaled ? theme[arm] : theme.muted) : theme.grid;
  const way = ahead ? points : [...points].reverse();
  const [x, y] = way.at(-1) as [number, number];
  const [fromX, fromY] = way.at(-2) as [number, number];
  const [dx, dy] = [Math.sign(x - fromX), Math.sign(y - fromY)];
  const head = `M${x - 5 * dx - 3.5 * dy} ${y - 5 * dy - 3.5 * dx}L${x} ${y}L${x - 5 * dx + 3.5 * dy} ${y - 5 * dy + 3.5 * dx}Z`;
  return svg`<path d=${`M${way.map((point) => point.join(" ")).join("L")}`} fill="none" stroke=${paint} stroke-width="1.6"
      stroke-linejoin="round" stroke-dasharray=${lit && scaled && arm === "raw" ? dashed : nothing}></path>
    <path d=${head} fill=${paint}></path>`;
}

function blockLines({ operation }: Block, { pass, stage }: DiagramOptions): [string, string] {
  const ahead = stage.direction === "forward";
  const { scale, causal, dimension } = pass.source;
  switch (operation) {
    case "matmul":
      return ["MatMul", ahead ? "QK\u1d40" : "dS K\u2026"];
    case "scale":
      return ["Scale", scale === "rsqrt" ? `\u00f7 ${exact(Math.sqrt(dimension), 4)}` : "off"];
    case "mask":
      return ["Mask", causal ? "causal" : "none"];
    case "softmax":
      return ["SoftMax", ahead ? "along rows" : "J\u00b7dP"];
    case "weigh":
      return ["MatMul", ahead ? "PV" : "P\u1d40dO, dO V\u1d40"];
  }
}

function blockView(block: Block, options: DiagramOptions): SVGTemplateResult {
  const { theme, stage, pass } = options;
  const { x, y, width, height, operation } = block;
  const result: Record<Block["operation"], Slot> = {
    matmul: "raw",
    scale: "scaled",
    mask: "masked",
    softmax: "weights",
    weigh: "output",
  };
  const source: Record<Block["operation"], Slot> = {
    matmul: "query",
    scale: "raw",
    mask: "scaled",
    softmax: "masked",
    weigh: "weights",
  };
  const works = stage.makes.includes((stage.direction === "forward" ? result : source)[operation]);
  const off = operation === "scale" && pass.source.scale === "none";
  const paint = operation === "scale" ? (off ? theme.raw : theme.scaled) : works ? theme.ink : theme.muted;
  const [name, detail] = blockLines(block, options);
  const middle = x + width / 2;
  return svg`<rect x=${x} y=${y} width=${width} height=${height} rx="7" fill=${theme.panel} stroke=${paint} stroke-width=${works ? 2.5 : 1.2}
      stroke-dasharray=${off ? "4 3" : nothing}></rect>
    ${label(name, { x: middle, y: y + 14, fill: theme.ink, anchor: "middle", size: width < 54 ? 11 : 11.5, weight: 650 })}
    ${label(detail, { x: middle, y: y + 27, fill: operation === "scale" ? paint : theme.muted, anchor: "middle", size: 11 })}`;
}

/** The size that is painted in full. Scores before and after the scale share it, so that it is seen to calm them. */
function reachOf(slot: Slot, { pass, stage }: DiagramOptions): number {
  if (stage.direction === "backward") return slot === "raw" || slot === "scaled" || slot === "masked" ? 1 : 3;
  if (slot === "weights") return 1;
  if (slot === "raw" || slot === "scaled" || slot === "masked")
    return Math.max(3, Math.abs(summarise(pass.forward.raw).largest));
  return 3;
}

function matrixView(slot: Slot, ready: boolean, options: DiagramOptions): SVGTemplateResult {
  const { pass, stage, layout, theme } = options;
  const place = layout.places[slot];
  const matrix = pass[stage.direction][slot];
  const { width, height } = layout.cell;
  const top = place.y + headHeight;
  const box = {
    left: place.x,
    right: place.x + place.columns * width,
    top,
    bottom: top + place.rows * height,
  };
  const current = stage.makes.includes(slot);
  const body = ready
    ? heatMap({
        values: shown(matrix, place),
        rows: place.rows,
        columns: place.columns,
        box,
        reach: reachOf(slot, options),
        theme,
        text: cellText,
        textSize: width < 40 ? 11 : 11.5,
        ...(slot === "weights" && stage.direction === "forward" && { rise: theme.weight }),
      })
    : svg`<rect x=${box.left} y=${top} width=${box.right - box.left} height=${box.bottom - top} rx="3" fill="none" stroke=${theme.grid} stroke-width="1.5" stroke-dasharray="3 4"></rect>`;
  const halo = current
    ? svg`<rect x=${box.left - 3} y=${top - 3} width=${box.right - box.left + 6} height=${box.bottom - top + 6} rx="5" fill="none" stroke=${theme.ink} stroke-width="2"></rect>`
    : nothing;
  return svg`<g>${head(slot, matrix, place, ready, options)}${body}${halo}</g>`;
}

/** The columns there is room for; a masked score is no number. */
function shown({ values, columns }: Matrix, place: Place): Float32Array {
  return Float32Array.from({ length: place.rows * place.columns }, (_, at) => {
    const value = values[Math.floor(at / place.columns) * columns + (at % place.columns)] as number;
    return value === Number.NEGATIVE_INFINITY ? Number.NaN : value;
  });
}

function head(
  slot: Slot,
  matrix: Matrix,
  place: Place,
  ready: boolean,
  options: DiagramOptions,
): SVGTemplateResult {
  const { stage, pass, theme } = options;
  const name = slotName(slot, stage.direction, pass.source);
  const cut = place.columns < matrix.columns ? `, first ${place.columns}` : "";
  const { variance, largest } = summarise(matrix);
  const largestText = `largest ${exact(largest, 3)}`;
  const numbers = `var ${exact(variance, 3)} \u00b7 ${largestText}`;
  const shape = `${matrix.rows} \u00d7 ${matrix.columns}${cut}`;
  const width = place.columns * options.layout.cell.width;
  // A small matrix has its shape below its name, and what there is no room for stands in the table.
  const inLine = roughWidth(`${name} ${shape}`) < width;
  const step = `step ${stages.indexOf(stageThatMakes(slot, stage.direction)) + 1}`;
  const second = [ready ? numbers : step, ready ? largestText : step]
    .map((text) => (inLine ? text : `${shape} \u00b7 ${text}`))
    .find((text) => roughWidth(text) < width + gutter);
  return svg`${label(name, { x: place.x, y: place.y + 12, fill: ready ? theme.ink : theme.muted, size: 12.5, weight: 700 })}
    ${inLine ? label(shape, { x: place.x + width, y: place.y + 12, fill: theme.muted, size: 11, anchor: "end" }) : nothing}
    ${label(second ?? (inLine ? "" : shape), { x: place.x, y: place.y + 27, fill: theme.muted, size: 11 })}`;
}

/** The cell that is looked at, and what it was made from. */
function framed({ stage, layout, cell, theme }: DiagramOptions): SVGTemplateResult | typeof nothing {
  if (!cell || !made(stage).has(cell.slot)) return nothing;
  const frame = ({ slot, row, column }: Origin, width: number, dash?: string) => {
    const place = layout.places[slot];
    if ((column ?? 0) >= place.columns || (row ?? 0) >= place.rows) return nothing;
    const across = column === undefined ? place.columns : 1;
    const down = row === undefined ? place.rows : 1;
    return svg`<rect x=${place.x + (column ?? 0) * layout.cell.width} y=${place.y + headHeight + (row ?? 0) * layout.cell.height}
      width=${across * layout.cell.width} height=${down * layout.cell.height} rx="2" fill="none" stroke=${theme.ink} stroke-width=${width}
      stroke-dasharray=${dash ?? nothing}></rect>`;
  };
  return svg`${origins(cell, stage.direction).map((origin) => frame(origin, 1.8, "4 2.5"))}${frame(cell, 2.6)}`;
}
