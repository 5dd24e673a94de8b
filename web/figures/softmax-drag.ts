/** Bars that a pointer drags by their ends, and keys that move them. */

export interface Grip {
  index: number;
  value: number;
}

export interface DragOptions {
  /** The bar whose end, or whose slot, lies under a point; null where there is none. */
  at(x: number, y: number): Grip | null;
  /** Units of the value that one pixel is worth. */
  unitsPerPixel: number;
}

/** Where a pointer is, in the drawing. */
export function pointIn(event: PointerEvent): { x: number; y: number } {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** A step a hand can aim at: a power of ten, at least a pixel. */
export function roundStep(unitsPerPixel: number): number {
  return 10 ** Math.ceil(Math.log10(unitsPerPixel) - 1e-9);
}

export function rounded(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toPrecision(12));
}

export class Drag {
  #grip: (Grip & { from: number; id: number }) | null = null;

  get active(): boolean {
    return this.#grip !== null;
  }

  /** What the event makes of a bar; null where nothing is dragged. A press takes hold and changes nothing yet. */
  follow(event: PointerEvent, { at, unitsPerPixel }: DragOptions): Grip | null {
    const { x, y } = pointIn(event);
    if (event.type === "pointerdown") {
      const grip = at(x, y);
      // A finger beside the ends scrolls the page, and only chooses.
      const holds = event.pointerType !== "touch" || isGrip(event);
      this.#grip = grip && holds ? { ...grip, from: y, id: event.pointerId } : null;
      if (this.#grip) (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      return grip;
    }
    const grip = this.#grip;
    if (!grip || grip.id !== event.pointerId) return null;
    if (event.buttons !== 1) {
      this.end();
      return null;
    }
    if (y === grip.from) return null;
    const moved = grip.value + (grip.from - y) * unitsPerPixel;
    return { index: grip.index, value: rounded(moved, roundStep(unitsPerPixel)) };
  }

  end(): void {
    this.#grip = null;
  }

  /** Listens on a plot for what `follow` is not told: that the pointer lets go, and that a finger takes hold of a grip. */
  attend(plot: Element, released: () => void): void {
    const release = () => {
      this.end();
      released();
    };
    plot.addEventListener("pointerup", release);
    plot.addEventListener("pointercancel", release);
    // Not by touch-action: on shapes inside an <svg> browsers do not agree about it.
    const hold = (event: Event) => {
      if (isGrip(event) && event.cancelable) event.preventDefault();
    };
    plot.addEventListener("touchstart", hold, { passive: false });
  }
}

const isGrip = (event: Event) => (event.target as Element).classList.contains("grab");

/** What a key press does: choose another bar, or give the chosen one another value. */
export type Press = { index: number } | { value: number };

/** Null for keys that mean nothing here. With Shift a tenth of the step. */
export function afterKey(
  event: KeyboardEvent,
  count: number,
  { index, value }: Grip,
  step: number,
): Press | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const fine = event.shiftKey ? step / 10 : step;
  const choose = (next: number) => ({ index: Math.min(count - 1, Math.max(0, next)) });
  const move = (by: number) => ({ value: rounded(value + by, fine) });
  switch (event.key) {
    case "ArrowLeft":
      return choose(index - 1);
    case "ArrowRight":
      return choose(index + 1);
    case "Home":
      return choose(0);
    case "End":
      return choose(count - 1);
    case "ArrowUp":
      return move(fine);
    case "ArrowDown":
      return move(-fine);
    case "PageUp":
      return move(10 * step);
    case "PageDown":
      return move(-10 * step);
    default:
      return null;
  }
}
