/**
 * What passes between a framed figure and its host. From the figure: `ready`, `state`, `error`, `resize`, `key`. To the figure:
 * `set`, whose values go through the same schema as links do. Nothing said here is secret, so any page may listen.
 */
import type { FigureElement } from "../figures/figure-element.ts";
import { type FigureName, figureSchemas } from "../state/fields.ts";
import { hashVersion } from "../state/hash.ts";
import { publicState, type Schema } from "../state/schema.ts";
import { type HandedKey, unusedKey } from "./keys.ts";

export type Outgoing =
  | { type: "ready" | "state"; figure: FigureName; state: object; notes: readonly string[] }
  | { type: "error"; figure: FigureName; code: string; message: string }
  | { type: "key"; figure: FigureName; key: HandedKey }
  | { type: "resize"; height: number };

/** Every message says whose it is: hosts hear the messages of all their frames in one place. */
export function outgoing(message: Outgoing): object {
  return { source: "sqrtdk", v: hashVersion, ...message };
}

/** The values of `{ target: "sqrtdk", type: "set", state: { ... } }`; null for whatever else may arrive. */
export function readSet(data: unknown, schema: Schema): Record<string, unknown> | null {
  const message = data as { target?: unknown; type?: unknown; state?: unknown } | null;
  if (typeof message !== "object" || message?.target !== "sqrtdk" || message.type !== "set") return null;
  const { state } = message;
  if (typeof state !== "object" || state === null) return null;
  return publicState(schema, state as Record<string, unknown>);
}

/** Many times what any field takes; a longer text is refused before anything looks through it. */
export const maxText = 10_000;
const maxItems = 1000;

/** What is wrong with the length of these values, in a sentence; null where nothing is. */
export function tooLong(values: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(values)) {
    const items: unknown[] = Array.isArray(value) ? value.slice(0, maxItems).flat() : [value];
    const length = items.reduce<number>((sum, item) => sum + (typeof item === "string" ? item.length : 0), 0);
    if (length > maxText) return `set: state.${name} has ${length} characters; the most is ${maxText}`;
  }
  return null;
}

export function talkToHost(host: Window, figure: FigureElement<FigureName>): void {
  const name = figure.figureName;
  const schema: Schema = figureSchemas[name];
  const post = (message: Outgoing) => host.postMessage(outgoing(message), "*");
  const state = () => publicState(schema, figure.state);

  figure.addEventListener("sqrtdk-state", (event) => {
    const { notes } = (event as CustomEvent<{ notes: readonly string[] }>).detail;
    post({ type: "state", figure: name, state: state(), notes });
  });
  figure.addEventListener("sqrtdk-error", (event) => {
    const { code = "", message = "" } = (
      event as CustomEvent<{ error: { code?: unknown; message?: unknown } }>
    ).detail.error;
    post({ type: "error", figure: name, code: String(code), message: String(message) });
  });
  addEventListener("message", ({ source, data }) => {
    const values = source === host ? readSet(data, schema) : null;
    if (!values) return;
    const message = tooLong(values);
    if (message) post({ type: "error", figure: name, code: "ERR_RANGE", message });
    else figure.choose(values);
  });
  addEventListener("keydown", (event) => {
    const key = unusedKey(event);
    if (key) post({ type: "key", figure: name, key });
  });
  void figure.updateComplete.then(() => post({ type: "ready", figure: name, state: state(), notes: [] }));
}
