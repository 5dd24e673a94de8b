/** What each stage of attention has done, said with the numbers of the matrices on display. */
import { html, type TemplateResult } from "lit";
import { count, exact } from "../charts/numbers.ts";
import { handMade } from "./attention-cells.ts";
import { entry, type Matrix, type Pass, summarise } from "./attention-model.ts";
import { plainName, type Stage } from "./attention-stages.ts";
import { rootDk } from "./controls.ts";

const spread = (matrix: Matrix) => exact(Math.sqrt(summarise(matrix).variance), 3);
const size = (matrix: Matrix) => exact(Math.abs(summarise(matrix).largest), 2);

/** The largest weight of every row, averaged. */
export function meanLargest({ values, rows, columns }: Matrix): number {
  let sum = 0;
  for (let row = 0; row < rows; ++row)
    sum += values.subarray(row * columns, (row + 1) * columns).reduce((a, b) => Math.max(a, b), 0);
  return sum / rows;
}

/** One or two sentences in plain text. */
export function stageText(stage: Stage, { forward, backward, source }: Pass): string {
  const { dimension, tokens, scale, causal } = source;
  const root = exact(Math.sqrt(dimension), 4);
  const divided = scale === "rsqrt";
  switch (stage.name) {
    case "inputs":
      return `${tokens} tokens bring a query, a key and a value each. Queries and keys have d_k = ${count(dimension)} components, drawn with mean 0 and variance 1.`;
    case "scores":
      return `Every query meets every key: ${tokens ** 2} dot products of ${count(dimension)} terms. Their standard deviation here is ${spread(forward.raw)}; over all draws it is \u221a${dimension} = ${root}.`;
    case "scale":
      return divided
        ? `Every score is divided by \u221a${dimension} = ${root}: the standard deviation goes from ${spread(forward.raw)} to ${spread(forward.scaled)}.`
        : `The scale is off: the scores go on as they are, with standard deviation ${spread(forward.scaled)}.`;
    case "mask":
      return causal
        ? "The causal mask sets every score of a later key to \u2212\u221e: no token sees what comes after it."
        : "The mask is off: every token sees every other.";
    case "softmax":
      return "Softmax turns every row into weights that add up to 1.";
    case "output":
      return "Every output is the mean of the values by these weights.";
    case "grad-output":
      return "Now backward. Whatever follows says how the loss changes with each output: that is dO, random here.";
    case "grad-matmul":
      return `Through O = PV the gradient splits: dV = P\u1d40dO for the values, and dP = dO V\u1d40 for the weights, up to ${size(backward.weights)} in size.`;
    case "grad-softmax":
      return `Softmax takes each row\u2019s mean away and multiplies the rest by the weights: where one weight is near 1, next to nothing is left.`;
    case "grad-scale":
      return divided
        ? `The mask hands the gradient on, and the scale divides it by ${root} as it divided the scores.`
        : "The mask hands the gradient on, and the scale is off.";
    case "grad-inputs":
      return "The last products: dQ = dS K for the queries, dK = dS\u1d40Q for the keys.";
  }
}

/** " Set by hand: 1 number of Q, 2 of P."; empty where there are none. */
export function handCount(pass: Pass): string {
  const names = handMade(pass).map(({ slot, direction }) => plainName(slot, direction));
  const parts = [...new Set(names)].map((name, i) => {
    const many = names.filter((other) => other === name).length;
    return `${many}${i > 0 ? "" : many === 1 ? " number" : " numbers"} of ${name}`;
  });
  return parts.length > 0 ? ` Set by hand: ${parts.join(", ")}.` : "";
}

/** Far more than float32 leaves of the sum of a row, and half of what can be typed. */
const sumError = 5e-5;

/** What numbers set by hand make of the rest. */
export function handText({ direction }: Stage, pass: Pass): string {
  const { forward, backward, untouched, source } = pass;
  const said = [handCount(pass).trim()];
  const made = handMade(pass);
  for (let row = 0; row < source.tokens; ++row) {
    let sum = 0;
    for (let column = 0; column < source.tokens; ++column) sum += entry(forward.weights, row, column);
    if (Math.abs(sum - 1) > sumError)
      said.push(
        `Row ${row + 1} of P adds up to ${Number(sum.toFixed(4))}, not 1, as no softmax\u2019s would.`,
      );
  }
  const computed = made.some(({ slot }) => !["query", "key", "value", "output"].includes(slot));
  if (computed && direction === "backward")
    said.push("The way back uses the numbers shown, as if those set by hand had been computed.");
  if (made.some(({ slot, direction: way }) => slot === "output" && way === "forward")) {
    const loss = (output: Matrix) =>
      exact(
        output.values.reduce((sum, o, i) => sum + o * (backward.output.values[i] as number), 0),
        3,
      );
    said.push(
      `Nothing is computed from O but the loss: were it the sum of dO times O, it would be ${loss(forward.output)} instead of ${loss(untouched.forward.output)}. The gradients stay; change dO to move them.`,
    );
  }
  return said.join(" ");
}

export interface Comparison {
  what: string;
  raw: string;
  scaled: string;
}

/** The number this stage is about, without the scale and with it; null where the scale makes no difference yet. */
export function comparison(stage: Stage, pass: Pass, other: Pass): Comparison | null {
  const { scaledScores, maskedScores, weights } = pass.source;
  // Numbers set by hand behind the scale are the same without it.
  if (scaledScores.length + maskedScores.length + weights.length > 0) return null;
  const [raw, scaled] = pass.source.scale === "none" ? [pass, other] : [other, pass];
  const both = (what: string, text: (pass: Pass) => string) => ({
    what,
    raw: text(raw),
    scaled: text(scaled),
  });
  switch (stage.name) {
    case "softmax":
    case "output":
      return both("The largest weight of a row averages", (p) => exact(meanLargest(p.forward.weights), 2));
    case "grad-softmax":
      return both("The largest entry of dZ", (p) => size(p.backward.masked));
    case "grad-scale":
      return both("The largest entry of dS", (p) => size(p.backward.raw));
    case "grad-inputs":
      return both("The largest entry of dQ", (p) => size(p.backward.query));
    default:
      return null;
  }
}

export function compared(stage: Stage, pass: Pass, other: Pass): TemplateResult | "" {
  const both = comparison(stage, pass, other);
  return both
    ? html`${both.what}: unscaled <span class="raw">${both.raw}</span>, divided by ${rootDk}
      <span class="scaled">${both.scaled}</span>.`
    : "";
}

/** What one draw must not be taken for. */
export function asideText({ name }: Stage): string {
  return name === "grad-inputs"
    ? "This is one draw. Over many of them, unscaled, most queries get next to nothing and a few get a lot: keys of length \u221ad_k enlarge what does come through softmax."
    : "";
}
