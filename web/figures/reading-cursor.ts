/** Moving along the d_k axis: by keyboard a quarter of an octave a press, one stop with Shift, Home and End; by pointer. */
import { dimensionStops, nearestStop } from "./stops.ts";

const coarseStep = 3;

/** Where a key press leads from `dimension`, or null for keys that mean nothing here. */
export function dimensionAfterKey(event: KeyboardEvent, dimension: number): number | null {
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
export function dimensionAtPointer(
  event: PointerEvent,
  at: (x: number, y: number) => number | null,
): number | null {
  if (event.type === "pointermove" && event.buttons !== 1) return null;
  const plot = event.currentTarget as HTMLElement;
  const box = plot.getBoundingClientRect();
  const dimension = at(event.clientX - box.left, event.clientY - box.top);
  if (dimension !== null && event.type === "pointerdown") plot.setPointerCapture(event.pointerId);
  return dimension;
}
