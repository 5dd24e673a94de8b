/** Addresses that restore a figure: on the lesson page, alone in a frame, and the code that puts the frame into a page. */
import type { FigureName } from "./fields.ts";
import { type FigureState, readable, writeHash } from "./hash.ts";

/** Where links to a figure lead; set by pages whose address keeps the figures' state. */
export interface Address {
  /** A page that opens with this figure as it is now. */
  link<N extends FigureName>(figure: N, state: FigureState<N>, id: string): string;
  /** The figure alone. */
  frame<N extends FigureName>(figure: N, state: FigureState<N>): string;
}

/** The link to a page with one figure's state set and everything else in its hash left as it is. */
export function linkTo<N extends FigureName>(
  href: string,
  figure: N,
  state: FigureState<N>,
  at: string,
): string {
  const url = new URL(href);
  const old = new URLSearchParams(url.hash.includes("=") ? url.hash.slice(1) : "");
  const own = writeHash({ [figure]: state }, at);
  for (const [name, text] of new URLSearchParams(own.slice(1))) old.set(name, text);
  url.hash = readable(old);
  return url.href;
}

/** `href` is that of the page for frames: embed.html#figure=variance&v=1&seed=2017&... */
export function frameUrl<N extends FigureName>(href: string, figure: N, state: FigureState<N>): string {
  const url = new URL(href);
  url.search = "";
  const own = new URLSearchParams(writeHash({ [figure]: state }).slice(1));
  const bare = [...own].map(([name, text]) => [name.replace(`${figure}.`, ""), text] as [string, string]);
  url.hash = readable(new URLSearchParams([["figure", figure], ...bare]));
  return url.href;
}

const entities: Record<string, string> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string) => text.replace(/[&"<>]/g, (character) => entities[character] as string);

/** Sandboxed as tightly as the figure allows: it needs its script, and downloads for "CSV", "SVG" and "PNG". */
export function frameCode(url: string, title: string, height: number): string {
  return [
    `<iframe src="${escaped(url)}"`,
    `title="${escaped(title)}" width="100%" height="${Math.ceil(height)}" style="border:0"`,
    'loading="lazy" sandbox="allow-scripts allow-downloads" allow="clipboard-write"></iframe>',
  ].join(" ");
}
