/** Watches what an element needs to know of its surroundings: how wide it is, and whether anybody can see it. */

/** Whether the reader asked for less motion. Where there is no page nothing can move. */
export const reducedMotion = (): boolean =>
  globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true;

/** What drawings are laid out for at least; where there is less room, as while a window is being resized, they shrink. */
const narrowest = 200;

export interface PresenceOptions {
  host: Element;
  /** The part whose width the drawing takes. */
  measured: Element;
  onWidth: (width: number) => void;
  onSight: (inSight: boolean) => void;
}

/** Returns the function that stops watching. */
export function watchPresence({ host, measured, onWidth, onSight }: PresenceOptions): () => void {
  let onScreen = false;
  const tell = () => onSight(onScreen && !document.hidden);
  const sizes = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    // A hidden tab or a closed <details> has no width: wait for one.
    if (width > 0) onWidth(Math.max(width, narrowest));
  });
  sizes.observe(measured);
  const sight = new IntersectionObserver(
    // A busy page hears of coming and going at once; the newest counts.
    (entries) => {
      onScreen = entries.at(-1)?.isIntersecting ?? false;
      tell();
    },
    { rootMargin: "25%" },
  );
  sight.observe(host);
  document.addEventListener("visibilitychange", tell);
  return () => {
    sizes.disconnect();
    sight.disconnect();
    document.removeEventListener("visibilitychange", tell);
  };
}
