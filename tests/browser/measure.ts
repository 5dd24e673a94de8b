/**
 * `npm run measure`: what the built page weighs, when its first figure is alive, how long it holds the reader's hand, what
 * a frame costs while a slider moves, and whether memory grows. Processor time is that of the page's own thread: other
 * work on the machine slows it a little, but does not count. What is measured by the clock says so.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { figureNames } from "../../web/state/fields.ts";
import { measureMemory } from "./measure-memory.ts";
import { ranked, share, type Task, trace } from "./measure-trace.ts";
import { servePage, uncovered } from "./served-page.ts";

const loads = 3;
const frames = 120;
const budget = { weight: 250, alive: 1000, task: 50, frame: 1000 / 60 };

const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
const median = (values: readonly number[]) => share(values, 0.5);

function weigh(): void {
  const folder = fileURLToPath(new URL("../../build/page/", import.meta.url));
  const assets = readdirSync(`${folder}assets`).map((name) => `assets/${name}`);
  const size = (name: string) => gzipSync(readFileSync(folder + name), { level: 9 }).length;
  // The worker's file is a way out, asked for only where the page's own bytes are refused.
  const page = ["index.html", ...assets.filter((name) => !/embed|pool-worker/.test(name))];
  const frame = ["embed.html", ...assets.filter((name) => /embed/.test(name))];
  for (const [what, names] of Object.entries({ page, frame })) {
    const total = names.reduce((sum, name) => sum + size(name), 0);
    console.log(
      `${what}: ${kilobytes(total)} gzip of ${budget.weight}, engine included (${names.join(", ")})`,
    );
  }
}

function tell(what: string, tasks: readonly Task[]): void {
  const times = ranked(tasks);
  const long = times.filter((time) => time > budget.task).length;
  const longest = times.slice(0, 5).map((time) => time.toFixed(0));
  const busy = times.reduce((sum, time) => sum + time, 0);
  console.log(
    `${what}: ${long} tasks over ${budget.task} ms; longest ${longest.join(", ")} ms; ${busy.toFixed(0)} ms in all`,
  );
}

/** The page with every cover lifted. It says itself when its first figure shows numbers: asking it would cost it time. */
async function arrive(page: Page, url: string): Promise<void> {
  const alive = page.waitForEvent("console", (message) => message.text() === "alive");
  await page.goto(url);
  await alive;
}

const served = await servePage();
const url = uncovered(served.url);

async function opened(): Promise<Page> {
  const { page } = await served.open({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(() => {
    // Two frames after the numbers came they have been drawn.
    addEventListener(
      "sqrtdk-result",
      () =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            performance.mark("alive");
            console.info("alive");
          }),
        ),
      { once: true },
    );
  });
  return page;
}

async function measureLoading(): Promise<void> {
  const seconds: number[] = [];
  const runs: Task[][] = [];
  for (let load = 0; load < loads; ++load) {
    const page = await opened();
    const { tasks } = await trace(page, async () => {
      await arrive(page, url);
      await page.waitForTimeout(2000);
    });
    runs.push(tasks);
    seconds.push(
      await page.evaluate(() => performance.getEntriesByName("alive")[0]?.startTime ?? Number.NaN),
    );
    await page.context().close();
  }
  const byLongest = runs.sort((a, b) => (ranked(a)[0] ?? 0) - (ranked(b)[0] ?? 0));
  tell(`loading, the middle one of ${loads}`, byLongest[loads >> 1] as Task[]);
  console.log(
    `first figure drawn ${median(seconds).toFixed(0)} ms after the start, of ${budget.alive} (by the clock; ${seconds.map((time) => time.toFixed(0)).join(", ")})`,
  );
}

/** Moves the first slider of a figure to and fro, once a frame; the times between frames, by the clock. */
async function slide(page: Page, figure: string): Promise<number[]> {
  const slider = page.locator(`${figure} input[type=range]`).first();
  return slider.evaluate(async (element, frames) => {
    const input = element as HTMLInputElement;
    const intervals: number[] = [];
    let last = await new Promise<number>(requestAnimationFrame);
    for (let frame = 0; frame < frames; ++frame) {
      input.valueAsNumber = (Number(input.max) * (1 - Math.cos((2 * Math.PI * frame) / 60))) / 2;
      input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      const now = await new Promise<number>(requestAnimationFrame);
      intervals.push(now - last);
      last = now;
    }
    return intervals;
  }, frames);
}

async function measureSliding(page: Page): Promise<void> {
  for (const name of figureNames) {
    const figure = `sqrtdk-${name}`;
    await page.locator(figure).scrollIntoViewIfNeeded();
    await page.waitForTimeout(3000);
    let intervals: number[] = [];
    const { tasks, perFrame } = await trace(page, async () => {
      intervals = await slide(page, figure);
    });
    const [middle, high] = [median(perFrame), share(perFrame, 0.95)].map((time) => time.toFixed(1));
    const [between, late] = [median(intervals), share(intervals, 0.95)].map((time) => time.toFixed(1));
    const longest = ranked(tasks)[0]?.toFixed(0);
    console.log(
      `${figure}, its slider moved once a frame: ${middle} ms a frame of ${budget.frame.toFixed(1)}, p95 ${high}, longest task ${longest} ms; frames ${between} ms apart, p95 ${late} (by the clock)`,
    );
  }
}

weigh();
await measureLoading();
const page = await opened();
await arrive(page, url);
const { tasks: scrolling } = await trace(page, async () => {
  for (const name of figureNames) {
    await page.locator(`sqrtdk-${name}`).scrollIntoViewIfNeeded();
    await page.locator(`sqrtdk-${name} #words[aria-busy=false]`).waitFor();
  }
});
tell("scrolled to the end", scrolling);
await measureSliding(page);
await measureMemory(page);
await served.close();
