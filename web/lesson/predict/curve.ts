/** A curve drawn by hand: the variance of q.k against d_k. One handle a column, each a slider of its own. */
import { html, nothing, render, svg, type TemplateResult } from "lit";
import { bottomAxis, leftAxis } from "../../charts/axis.ts";
import { type Box, drawing, label } from "../../charts/drawing.ts";
import { lineWithBand, spot } from "../../charts/line.ts";
import { count, fixed } from "../../charts/numbers.ts";
import { dashed, pageTheme as theme } from "../../charts/theme.ts";
import { commitOrSkip, marked, paragraph } from "./form.ts";

const given = 128;
const columns = [256, 384, 512, 640, 768, 896, 1024];
const most = 2000;
const step = 25;

/** The power of d_k that the drawn curve follows best, in the sense of least squares of the logarithms. */
export function drawnPower(values: readonly number[]): number {
  let top = 0;
  let bottom = 0;
  values.forEach((value, i) => {
    const x = Math.log((columns[i] as number) / given);
    top += x * Math.log(Math.max(1, value) / given);
    bottom += x * x;
  });
  return top / bottom;
}

export function curveVerdict(power: number): string {
  if (power < 0.15) return "Your curve stays about level, as if the terms cancelled.";
  if (power < 0.8) return "Your curve bends down, as if more terms cancelled better.";
  if (power <= 1.2) return "Your curve is very nearly right.";
  return "Your curve bends up, as if the terms fed each other.";
}

/** "The power 0.0" would be no help to anyone. */
export function drawnGrowth(power: number): string {
  if (Math.abs(power) < 0.05) return "It does not grow,";
  if (power < 0) return "It falls";
  return `It grows about like the power ${fixed(power, 1)} of the number of components,`;
}

class CurveDrawing {
  readonly values: number[] = columns.map(() => given);
  revealed = false;
  readonly #place: HTMLElement;
  #box: Box = { left: 46, right: 0, top: 14, bottom: 0 };

  constructor(place: HTMLElement) {
    this.#place = place;
    new ResizeObserver(() => this.draw()).observe(place);
    place.addEventListener("pointerdown", (event) => this.#point(event));
    place.addEventListener("pointermove", (event) => this.#point(event));
  }

  #x = (d: number) => this.#box.left + ((this.#box.right - this.#box.left) * d) / 1088;
  #y = (value: number) => this.#box.bottom - ((this.#box.bottom - this.#box.top) * value) / most;

  #point(event: PointerEvent): void {
    if (this.revealed || (event.type === "pointermove" && event.buttons !== 1)) return;
    const frame = this.#place.getBoundingClientRect();
    const x = event.clientX - frame.left;
    const y = event.clientY - frame.top;
    const distance = columns.map((d) => Math.abs(this.#x(d) - x));
    const nearest = distance.indexOf(Math.min(...distance));
    if ((distance[nearest] as number) > (this.#x(128) - this.#x(0)) / 2 + 4) return;
    if (event.type === "pointerdown") this.#place.setPointerCapture(event.pointerId);
    this.#set(nearest, (most * (this.#box.bottom - y)) / (this.#box.bottom - this.#box.top));
  }

  #key(event: KeyboardEvent, column: number): void {
    const steps: Record<string, number> = {
      ArrowUp: step,
      ArrowRight: step,
      ArrowDown: -step,
      ArrowLeft: -step,
      PageUp: 4 * step,
      PageDown: -4 * step,
      Home: -most,
      End: most,
    };
    const change = steps[event.key];
    if (change === undefined || this.revealed) return;
    event.preventDefault();
    this.#set(column, (this.values[column] as number) + change);
  }

  #set(column: number, value: number): void {
    this.values[column] = Math.round(Math.min(most, Math.max(0, value)) / step) * step;
    this.draw();
  }

  #handle(d: number, column: number): unknown {
    const value = this.values[column] as number;
    return svg`<g role="slider" tabindex=${this.revealed ? -1 : 0} aria-label="variance at d k = ${d}" aria-valuemin="0" aria-valuemax=${most}
      aria-valuenow=${value} aria-disabled=${this.revealed} @keydown=${(event: KeyboardEvent) => this.#key(event, column)}>
      <circle cx=${this.#x(d)} cy=${this.#y(value)} r="16" fill="transparent"></circle>
      ${spot({ cx: this.#x(d), cy: this.#y(value), paint: theme.ink, theme, mark: "hollow", radius: 7 })}</g>`;
  }

  draw(): void {
    const width = Math.floor(this.#place.clientWidth);
    if (width === 0) return;
    const height = width < 480 ? 260 : 320;
    this.#box = { ...this.#box, right: width - 8, bottom: height - 44 };
    const common = { x: this.#x, y: this.#y, theme };
    const drawn = [{ x: given, y: given }, ...columns.map((x, i) => ({ x, y: this.values[i] as number }))];
    const truth = [0, 1088].map((at) => ({ x: at, y: at }));
    const ticks = (every: number, to: number) =>
      Array.from({ length: Math.floor(to / every) + 1 }, (_, i) => ({
        at: i * every,
        label: String(i * every),
      }));
    const content: unknown[] = [
      leftAxis({ scale: this.#y, box: this.#box, ticks: ticks(500, most), theme }),
      bottomAxis({ scale: this.#x, box: this.#box, ticks: ticks(256, 1024), theme, title: "d_k" }),
      lineWithBand({ ...common, points: drawn, paint: theme.ink, width: 2 }),
      this.revealed ? this.#truth(truth) : nothing,
      spot({ cx: this.#x(given), cy: this.#y(given), paint: theme.raw, theme, mark: "dot", radius: 6 }),
      label("given: 128", {
        // Beside the axis and above: the truth runs up to the right of the point, and must not cross the words.
        x: this.#x(given) - 28,
        y: this.#y(given) - 26,
        fill: theme.raw,
        size: 12,
        weight: 600,
        halo: theme.panel,
      }),
      columns.map((d, i) => this.#handle(d, i)),
    ];
    render(html`${drawing({ width, height, theme }, content) as TemplateResult}`, this.#place);
  }

  #truth(points: { x: number; y: number }[]): unknown {
    const common = { x: this.#x, y: this.#y, theme };
    return svg`${lineWithBand({ ...common, points, paint: theme.raw, dash: dashed, width: 3 })}
      ${lineWithBand({ ...common, points, paint: theme.theory, width: 1 })}
      ${label("exact: d_k", { x: this.#x(900) - 8, y: this.#y(930) - 8, fill: theme.raw, anchor: "end", weight: 600, halo: theme.panel })}`;
  }
}

export function guessCurve(form: HTMLFormElement): void {
  const place = form.querySelector<HTMLElement>(".canvas");
  if (!place) return;
  const curve = new CurveDrawing(place);
  commitOrSkip(form, {
    reveal(answer, guessed) {
      const power = drawnPower(curve.values);
      const last = curve.values.at(-1) as number;
      curve.revealed = true;
      curve.draw();
      const words = guessed
        ? `${curveVerdict(power)} ${drawnGrowth(power)} and ends at ${count(last)}. `
        : "";
      answer.replaceChildren(
        paragraph(
          words,
          "The variance is ",
          marked("exactly the number of components", "raw"),
          ": 1024 at 1024, a straight line. The terms do cancel, but what is left over grows with every one of them.",
        ),
      );
    },
  });
}
