/**
 * What a drawing can be read along, by keyboard and by pointer; for those who do not see it, a slider. Most figures are
 * read along the d_k axis: by keyboard a quarter of an octave a press, one stop with Shift, Home and End.
 */
import { dimensionLimits, dimensionStops, nearestStop } from "./stops.ts";

export interface ReadingCursor<State> {
  /** Accessible name of the slider, and its value as it is spoken. */
  name: string;
  text: string;
  min: number;
  max: number;
  now: number;
  /** What a key press changes; null for keys that mean nothing here. */
  afterKey(event: KeyboardEvent): Partial<State> | null;
  /** What a press or a drag on the drawing changes; null where it changes nothing. */
  atPointer(event: PointerEvent): Partial<State> | null;
}

/** The d_k under a point of the drawing, or null where there is none. */
type DimensionAt = (x: number, y: number) => number | null;

export function dimensionCursor(
  dimension: number,
  at: DimensionAt,
): ReadingCursor<{ readonly dimension: number }> {
  const changed = (next: number | null) => (next === null || next === dimension ? null : { dimension: next });
  return {
    name: "Reading cursor, d k",
    text: `d k = ${dimension}`,
    min: dimensionLimits.min,
    max: dimensionLimits.max,
    now: dimension,
    afterKey(event) {
      const next = dimensionAfterKey(event, dimension);
      // At the end of the axis the key has its meaning too, and must not scroll the page.
      return next === null ? null : { dimension: next };
    },
    atPointer: (event) => changed(dimensionAtPointer(event, at)),
  };
}

const coarseStep = 3;

function dimensionAfterKey(event: KeyboardEvent, dimension: number): number | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const at = nearestStop(dimensionStops, dimension);
  const step = event.shiftKey ? 1 : coarseStep;
  const last = dimensionStops.length - 1;
  const goals: Record<string, number> = {
    ArrowRight: at + step,
    ArrowUp: at + step,
    ArrowLeft: at - step,
    ArrowDown: at - step,
    PageUp: at + 4 * step,
    PageDown: at - 4 * step,
    Home: 0,
    End: last,
  };
  const goal = goals[event.key];
  return goal === undefined ? null : (dimensionStops[Math.min(last, Math.max(0, goal))] as number);
}

/** The d_k a pressed pointer stands at, or null; a drag that began in the drawing keeps the pointer. */
function dimensionAtPointer(event: PointerEvent, at: DimensionAt): number | null {
  if (event.type === "pointermove" && event.buttons !== 1) return null;
  const plot = event.currentTarget as HTMLElement;
  const box = plot.getBoundingClientRect();
  const dimension = at(event.clientX - box.left, event.clientY - box.top);
  if (dimension !== null && event.type === "pointerdown") plot.setPointerCapture(event.pointerId);
  return dimension;
}
