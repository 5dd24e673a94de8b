/** The state of every figure lives in the URL's hash, so that the address bar always holds a link to what is seen. */
import { type Address, frameUrl, linkTo } from "../state/address.ts";
import { type FigureName, figureSchemas } from "../state/fields.ts";
import { type FigureState, mentions, readFigure, readHash, writeHash } from "../state/hash.ts";
import { figurePlace, figuresHere, withFigure } from "./figures.ts";
import { coverOver } from "./predict/cover.ts";

// Safari refuses more than 100 changes in 30 seconds, and a moving slider makes more.
const writeDelay = 300;

const address: Address = {
  link: (figure, state, id) => linkTo(location.href, figure, state, id),
  frame: (figure, state) => frameUrl(new URL("embed.html", location.href).href, figure, state),
};

function showNotes(notes: readonly string[]): void {
  const place = document.querySelector("#link-notes");
  place?.replaceChildren(
    ...notes.map((note) => Object.assign(document.createElement("p"), { textContent: note })),
  );
}

const holdMs = 1500;

/**
 * Figures above the target may come to life and grow, text may be laid out: it is held in place for a moment, or until
 * the reader moves. A smooth way there would chase a place that moves on.
 */
function land(target: Element): void {
  const there = () => target.scrollIntoView({ behavior: "instant" });
  there();
  const held = new ResizeObserver(there);
  held.observe(document.body);
  const moved = new AbortController();
  const release = () => {
    held.disconnect();
    moved.abort();
  };
  setTimeout(release, holdMs);
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(kind, release, { signal: moved.signal, passive: true });
}

/** Applies the hash; what a figure cannot read it says itself. */
function applyHash(scroll: boolean): string | null {
  const reader = readHash(location.hash);
  showNotes(reader.notes);
  for (const name of figuresHere()) {
    if (!mentions(reader, name)) continue;
    const raw = Object.keys(figureSchemas[name]).map((field) => [field, reader.raw(name, field)] as const);
    withFigure(name, (figure) => figure.adopt(Object.fromEntries(raw)));
  }
  const target = reader.at ? document.getElementById(reader.at) : null;
  if (scroll && target) land(target);
  return target ? reader.at : null;
}

/**
 * What every figure shows, or will show when it comes to life. Covered ones stand as they do by default, and are left
 * out: an address that says how a figure stands uncovers it.
 */
function states(hash: string): { [N in FigureName]?: FigureState<N> } {
  const reader = readHash(hash);
  const state = (name: FigureName) => figurePlace(name)?.state ?? readFigure(reader, name).state;
  const open = figuresHere().filter((name) => {
    const figure = figurePlace(name);
    return figure && !coverOver(figure);
  });
  return Object.fromEntries(open.map((name) => [name, state(name)]));
}

export function keepLinkState(): void {
  for (const name of figuresHere()) {
    withFigure(name, (figure) => {
      figure.address = address;
    });
  }
  let place = applyHash(true);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const write = () => {
    try {
      // Pages of opaque origin (sandboxed frames, some file: pages) may refuse.
      history.replaceState(history.state, "", writeHash(states(location.hash), place));
    } catch {}
  };
  const writeSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(write, writeDelay);
  };
  // Later: changing the address makes the browser lay out the page, which at this moment is not needed yet.
  writeSoon();

  for (const kind of ["sqrtdk-state", "sqrtdk-uncovered"]) document.addEventListener(kind, writeSoon);
  addEventListener("hashchange", () => {
    place = applyHash(true);
    write();
  });
  // Chapter links are plain anchors that work without script; with it they must not throw the figures' state away.
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[href^="#"]');
    const target = link && document.getElementById(link.hash.slice(1));
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    land(target);
    const cover = coverOver(target);
    if (!cover) target.setAttribute("tabindex", "-1");
    (cover ?? (target as HTMLElement)).focus({ preventScroll: true });
    place = target.id;
    write();
  });
}
