/** What is on the page and where, in CSS pixels of the window. Runs inside the page. */

export interface Place {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** How far two places lie over each other: negative where there is room between them. */
export const shared = (a: Place, b: Place) => ({
  wide: Math.min(a.right, b.right) - Math.max(a.left, b.left),
  high: Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
});

/** How far `inner` reaches beyond `outer`, at the side where it does so most. */
export const beyond = (inner: Place, outer: Place) =>
  Math.max(
    outer.left - inner.left,
    inner.right - outer.right,
    outer.top - inner.top,
    inner.bottom - outer.bottom,
  );

export const holds = ({ left, right, top, bottom }: Place, x: number, y: number) =>
  x >= left && x <= right && y >= top && y <= bottom;

/** Seen by eye: not what is there for screen readers alone, nor what lies in a closed <details>. */
export function seen(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return (
    width > 1 &&
    height > 1 &&
    element.closest(".hidden") === null &&
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })
  );
}

export function nameOf(node: Node): string {
  const text = (node.textContent ?? "").trim().replace(/\s+/g, " ");
  const element = node as Partial<HTMLElement>;
  return `"${text.slice(0, 40) || element.getAttribute?.("aria-label") || element.id || node.nodeName}"`;
}

/** Every two of a list. */
export function* pairs<T>(list: readonly T[]): Generator<[T, T]> {
  for (const [i, one] of list.entries()) for (const other of list.slice(i + 1)) yield [one, other];
}

/** What holds the figure's content: its shadow tree, or the element itself. */
export const contentOf = (scope: Element): Element | ShadowRoot => scope.shadowRoot ?? scope;
