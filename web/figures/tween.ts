/** A number that follows its goal a little later, for motion that explains. It jumps where motion is not wanted. */
export class Tween {
  value: number;
  readonly #milliseconds: number;
  readonly #moved: () => void;
  #goal: number;
  #frame = 0;

  constructor(value: number, milliseconds: number, moved: () => void) {
    this.value = value;
    this.#goal = value;
    this.#milliseconds = milliseconds;
    this.#moved = moved;
  }

  get moving(): boolean {
    return !Object.is(this.value, this.#goal);
  }

  /** Moves on from where it is. Without motion it is there at once, and tells nobody. */
  to(goal: number, motion: boolean): void {
    if (goal === this.#goal && (motion || this.value === goal)) return;
    if (this.#frame) cancelAnimationFrame(this.#frame);
    this.#goal = goal;
    if (!motion) {
      this.value = goal;
      return;
    }
    const from = this.value;
    const start = performance.now();
    const step = (now: number) => {
      const time = Math.min(1, Math.max(0, (now - start) / this.#milliseconds));
      const eased = time < 0.5 ? 4 * time ** 3 : 1 - (2 - 2 * time) ** 3 / 2;
      // Exactly there in the end: rounding must not leave it on the way for ever.
      this.value = time < 1 ? from + (goal - from) * eased : goal;
      this.#moved();
      if (time < 1) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** For an element that leaves the page: the motion is over. */
  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.value = this.#goal;
  }
}
