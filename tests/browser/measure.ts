/**
 * `npm run measure`: what the built page weighs, when its first figure is alive, and how long it holds the reader's hand.
 * Tasks are measured in processor time of the page's thread, so that other work on the machine does not count.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { figureNames } from "../../web/state/fields.ts";
import { servePage, uncovered } from "./served-page.ts";

const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;

function weigh(): void {
  const folder = fileURLToPath(new URL("../../build/page/", import.meta.url));
  const assets = readdirSync(`${folder}assets`).map((name) => `assets/${name}`);
  const size = (name: string) => gzipSync(readFileSync(folder + name), { level: 9 }).length;
  // The worker's file is a way out, asked for only where the page's own bytes are refused.
  const page = ["index.html", ...assets.filter((name) => !/embed|pool-worker/.test(name))];
  const frame = ["embed.html", ...assets.filter((name) => /embed/.test(name))];
  for (const [what, names] of Object.entries({ page, frame })) {
    const total = names.reduce((sum, name) => sum + size(name), 0);
    console.log(`${what}: ${kilobytes(total)} gzip, engine included (${names.join(", ")})`);
  }
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: { name?: string };
}

/** Processor time of the page's tasks while `act` runs, in milliseconds, longest first. */
async function tasks(page: Page, act: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser() as Browser;
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const mains = traceEvents.filter(
    ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain",
  );
  return traceEvents
    .filter(({ name, ph, pid, tid }) => {
      const main = mains.some((thread) => thread.pid === pid && thread.tid === tid);
      return main && ph === "X" && name === "RunTask";
    })
    .map(({ tdur = 0 }) => tdur / 1000)
    .sort((a, b) => b - a);
}

function tell(what: string, times: number[]): void {
  const long = times.filter((time) => time > 50).length;
  const longest = times.slice(0, 5).map((time) => time.toFixed(0));
  const busy = times.reduce((sum, time) => sum + time, 0);
  console.log(
    `${what}: ${long} tasks over 50 ms; longest ${longest.join(", ")} ms; ${busy.toFixed(0)} ms in all`,
  );
}

async function slide(page: Page, figure: string): Promise<void> {
  const slider = page.locator(`${figure} input[type=range]`).first();
  await slider.scrollIntoViewIfNeeded();
  await page.waitForTimeout(4000);
  const box = await slider.boundingBox();
  if (!box) return;
  tell(
    `${figure}, its first slider moved across`,
    await tasks(page, async () => {
      await page.mouse.move(box.x + 10, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width - 10, box.y + box.height / 2, { steps: 120 });
      await page.mouse.up();
    }),
  );
}

weigh();
const served = await servePage();
const { page } = await served.open({ viewport: { width: 1280, height: 900 } });
await page.addInitScript(() => {
  addEventListener("sqrtdk-result", () => performance.mark("alive"), { once: true });
});
tell(
  "loading",
  await tasks(page, async () => {
    await page.goto(uncovered(served.url));
    await page.locator("sqrtdk-attention #words[aria-busy=false]").waitFor();
    await page.waitForTimeout(2000);
  }),
);
const alive = await page.evaluate(() => performance.getEntriesByName("alive")[0]?.startTime);
console.log(
  `first figure alive ${alive?.toFixed(0)} ms after the start (by the clock: other work counts here)`,
);
tell(
  "scrolled to the end",
  await tasks(page, async () => {
    for (const name of figureNames) {
      await page.locator(`sqrtdk-${name}`).scrollIntoViewIfNeeded();
      await page.locator(`sqrtdk-${name} #words[aria-busy=false]`).waitFor();
    }
  }),
);
for (const name of figureNames) await slide(page, `sqrtdk-${name}`);
await served.close();
