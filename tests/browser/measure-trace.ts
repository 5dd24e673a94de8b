/** What the page's own main thread does while something happens, in processor time. */
import type { Browser, Page } from "playwright-core";

export interface Task {
  start: number;
  /** Processor time, in milliseconds. */
  time: number;
}

export interface Trace {
  tasks: Task[];
  /** All work between one frame of the page and the next, in milliseconds. */
  perFrame: number[];
}

interface Place {
  url?: string;
  processId?: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  tdur?: number;
  args: { name?: string; data?: Place & { frames?: Place[] } };
}

export const ranked = (tasks: readonly Task[]) => tasks.map(({ time }) => time).sort((a, b) => b - a);

/** The value that so large a share of all values does not exceed. */
export function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export async function trace(page: Page, act: () => Promise<void>): Promise<Trace> {
  const browser = page.context().browser() as Browser;
  await browser.startTracing(page, {
    categories: ["toplevel", "disabled-by-default-devtools.timeline", "devtools.timeline"],
  });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  // Chromium has pages of its own, whose tasks are none of ours.
  const origin = new URL(page.url()).origin;
  const places = traceEvents.flatMap(({ args: { data } }) => (data ? [data, ...(data.frames ?? [])] : []));
  const processes = new Set(
    places.filter((place) => place.url?.startsWith(origin)).map(({ processId }) => processId),
  );
  const threads = traceEvents.filter(
    ({ name, pid, args }) => name === "thread_name" && args.name === "CrRendererMain" && processes.has(pid),
  );
  const own = traceEvents.filter(
    ({ ph, pid, tid }) => ph === "X" && threads.some((thread) => thread.pid === pid && thread.tid === tid),
  );
  const tasks = own
    .filter(({ name }) => name === "RunTask")
    .map(({ ts, tdur = 0 }) => ({ start: ts, time: tdur / 1000 }));
  const frames = own
    .filter(({ name }) => name === "FireAnimationFrame")
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  const perFrame = frames
    .slice(1)
    // Several callbacks may be fired in one frame.
    .filter((ts, i) => ts - (frames[i] as number) > 4000)
    .map((end, i, ends) => [i === 0 ? (frames[0] as number) : (ends[i - 1] as number), end] as const)
    .map(([from, to]) =>
      tasks.filter(({ start }) => start >= from && start < to).reduce((sum, { time }) => sum + time, 0),
    );
  return { tasks, perFrame };
}
