/** What a figure's live region says: a summary once the reader's hand rests, never while numbers stream in. */

export interface AnnouncerOptions {
  show(text: string): void;
  /** Resolves once what was shown is on the page. */
  shown(): Promise<unknown>;
  /** What there is to say, or null while an answer is awaited. */
  summary(): string | null;
}

const restMilliseconds = 800;

export class Announcer {
  readonly #options: AnnouncerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const summary = this.#options.summary();
      if (summary === null) this.soon();
      else this.#options.show(summary);
    }, restMilliseconds);
  }

  /** A live region is read when its text changes; for the same words twice it has to be empty in between. */
  async now(text: string): Promise<void> {
    this.#options.show("");
    await this.#options.shown();
    this.#options.show(text);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
