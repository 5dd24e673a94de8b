/**
 * A frame that has the focus swallows every key, and a slide show around it no longer turns its pages. Arrow keys and
 * Escape that the figure has no use for are therefore told to the host.
 */
export const handedKeys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Escape"] as const;
export type HandedKey = (typeof handedKeys)[number];

/** These use arrow keys themselves, and the browser does not say so. */
const usesKeys = "input, select, textarea, [contenteditable], [role=slider]";

/** The key that a keydown, seen at the window, leaves to the host; null where it is the figure's or the browser's. */
export function unusedKey(event: KeyboardEvent): HandedKey | null {
  if (event.defaultPrevented || event.isComposing) return null;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return null;
  // Of the whole path: the event's target is the figure, whatever has the focus inside it.
  const within = event.composedPath().some((part) => (part as Partial<Element>).matches?.(usesKeys));
  return within ? null : (handedKeys.find((key) => key === event.key) ?? null);
}
