/**
 * The state of a page of figures in the URL's hash: `#v=1&variance.seed=2017&variance.dimension=512&...&at=variance`.
 * A figure that stands alone may leave its prefix out.
 */
import { type FigureName, figureSchemas } from "./fields.ts";
import { parseState, type Schema, type StateOf, serialiseState } from "./schema.ts";

export const hashVersion = "1";

export type FigureState<N extends FigureName> = StateOf<(typeof figureSchemas)[N]>;

/** Everything a hash may say: raw words by figure, the place to open, and what could not be understood. */
export interface HashReader {
  /** The text given for a figure's field, prefixed or bare. */
  raw(figure: string, name: string): string | null;
  /** The figure that is to stand alone, by the name given. */
  figure: string | null;
  /** The id of the part of the page the link points at. */
  at: string | null;
  notes: string[];
}

/** The query says the same as the hash and gives way to it: some course systems cut hashes off. */
export function readHash(hash: string, query = ""): HashReader {
  const body = hash.replace(/^#/, "");
  // A bare "#growth" is an ordinary anchor.
  const anchor = body !== "" && !body.includes("=");
  const parameters = new URLSearchParams(query);
  for (const [name, text] of new URLSearchParams(anchor ? "" : body)) parameters.set(name, text);
  const notes: string[] = [];
  const version = parameters.get("v");
  if (version !== null && version !== hashVersion) {
    notes.push("This link was made by another version of the page; what could be read of it is shown.");
  }
  const place = anchor ? body : parameters.get("at");
  return {
    raw: (figure, name) => parameters.get(`${figure}.${name}`) ?? parameters.get(name),
    figure: parameters.get("figure"),
    at: place !== null && /^[\w-]{1,40}$/.test(place) ? place : null,
    notes,
  };
}

export function readFigure<N extends FigureName>(
  reader: HashReader,
  figure: N,
): { state: FigureState<N>; notes: string[] } {
  const schema: Schema = figureSchemas[figure];
  const { state, notes } = parseState(schema, (name) => reader.raw(figure, name));
  return { state: state as FigureState<N>, notes: [...reader.notes, ...notes] };
}

/** True where the hash says anything about this figure. */
export function mentions(reader: HashReader, figure: FigureName): boolean {
  return Object.keys(figureSchemas[figure]).some((name) => reader.raw(figure, name) !== null);
}

/** Commas and semicolons are legal in a fragment and much easier to read than %2C and %3B. */
export function readable(parameters: URLSearchParams): string {
  return parameters.toString().replaceAll("%2C", ",").replaceAll("%3B", ";");
}

export function writeHash(states: { [N in FigureName]?: FigureState<N> }, at?: string | null): string {
  const parameters = new URLSearchParams({ v: hashVersion });
  for (const [figure, state] of Object.entries(states)) {
    const schema: Schema = figureSchemas[figure as FigureName];
    for (const [name, text] of serialiseState(schema, state as StateOf<Schema>))
      parameters.set(`${figure}.${name}`, text);
  }
  if (at) parameters.set("at", at);
  return `#${readable(parameters)}`;
}
