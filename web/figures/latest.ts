/**
 * Newest wins. A job has a coarse part, meant to answer within a frame or two, and a refinement that may take seconds.
 * A refinement is aborted the moment something newer is asked. A coarse part in flight is let finish: were it aborted
 * on every move of a slider, a fast hand would never see an answer. Of the jobs that wait, only the newest is kept.
 */

/** A part of a job is what it is asked for and nothing else, so that it may be run again. */
export interface Job {
  coarse(signal: AbortSignal): Promise<void>;
  /** Left out where the first answer is exact. */
  refine?(signal: AbortSignal): Promise<void>;
}

/** How often a part is run again because its worker died: a request that kills every worker must come to an end. */
const retries = 2;

const workerDied = (error: unknown) => (error as { code?: unknown } | null)?.code === "ERR_WORKER";

export class Latest {
  /** While false, refinements wait: the reader pressed Pause. */
  refining = true;
  readonly #onError: (error: unknown) => void;
  #waiting: Job | null = null;
  #unrefined: Job | null = null;
  #running = false;
  #coarse = new AbortController();
  #refine = new AbortController();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Whether everything that was asked for has been answered, refinements included. */
  get done(): boolean {
    return !this.#running && !this.#waiting && !this.#unrefined;
  }

  ask(job: Job): void {
    this.#waiting = job;
    this.#refine.abort();
    void this.#run();
  }

  /** Goes on with a refinement that a pause or a stop had put off. */
  resume(): void {
    this.refining = true;
    void this.#run();
  }

  pause(): void {
    this.refining = false;
    this.#refine.abort();
  }

  /** Drops everything, for an element that leaves the page. */
  stop(): void {
    this.#waiting = null;
    this.#unrefined = null;
    this.#coarse.abort();
    this.#refine.abort();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#waiting || (this.#unrefined && this.refining)) {
        if (this.#waiting) await this.#next(this.#waiting);
        else if (this.#unrefined) await this.#improve(this.#unrefined);
      }
    } finally {
      this.#running = false;
    }
  }

  /** The pool starts another worker for the next call: nothing the reader has to know of. Something newer goes first. */
  async #surviving(part: Job["coarse"], job: Job, signal: AbortSignal): Promise<void> {
    for (let lost = 0; ; lost++) {
      try {
        return await part.call(job, signal);
      } catch (error) {
        if (signal.aborted || !workerDied(error) || lost === retries) throw error;
        if (this.#waiting) return;
      }
    }
  }

  async #next(job: Job): Promise<void> {
    this.#waiting = null;
    this.#unrefined = null;
    this.#coarse = new AbortController();
    const { signal } = this.#coarse;
    try {
      await this.#surviving(job.coarse, job, signal);
      if (!signal.aborted && job.refine) this.#unrefined = job;
    } catch (error) {
      if (!signal.aborted) this.#onError(error);
    }
  }

  async #improve(job: Job): Promise<void> {
    this.#refine = new AbortController();
    const { signal } = this.#refine;
    try {
      if (job.refine) await this.#surviving(job.refine, job, signal);
      if (!signal.aborted && this.#unrefined === job) this.#unrefined = null;
    } catch (error) {
      if (signal.aborted) return;
      this.#unrefined = null;
      this.#onError(error);
    }
  }
}
