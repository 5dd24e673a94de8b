/** Whether memory stays flat while every figure of the page is used. */
import type { Page } from "playwright-core";
import { figureNames } from "../../web/state/fields.ts";

const changes = 200;
/** The first round fills what is kept on purpose: laws, templates, buffers of the engine. */
const rounds = 3;

const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(2);

/** Moves the first slider of every figure; each figure comes to rest before the next. */
async function use(page: Page): Promise<void> {
  for (const name of figureNames) {
    const figure = page.locator(`sqrtdk-${name}`);
    await figure.scrollIntoViewIfNeeded();
    await figure
      .locator("input[type=range]")
      .first()
      .evaluate(
        async (element, times) => {
          const input = element as HTMLInputElement;
          for (let change = 1; change <= times; ++change) {
            // Ends where every round ends, so that the same picture is compared.
            input.valueAsNumber = Math.round((Number(input.max) * ((change * 37) % times)) / times);
            input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
            await new Promise(requestAnimationFrame);
          }
        },
        Math.ceil(changes / figureNames.length),
      );
    await page.waitForFunction(
      (tag) => (document.querySelector(tag) as unknown as { complete: boolean }).complete,
      `sqrtdk-${name}`,
      { timeout: 120_000 },
    );
  }
}

export async function measureMemory(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  for (let round = 0; round <= rounds; ++round) {
    if (round > 0) await use(page);
    await cdp.send("HeapProfiler.collectGarbage");
    await cdp.send("HeapProfiler.collectGarbage");
    // Embedder heap: the document; backing stores: array buffers, and the engine's memory on this thread.
    const heap = (await cdp.send("Runtime.getHeapUsage")) as Record<string, number>;
    const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");
    const when = round === 0 ? "at first" : `after ${round * changes} changes over all figures`;
    console.log(
      `memory ${when}: objects ${megabytes(heap.usedSize ?? 0)} MB, document ${megabytes(heap.embedderHeapUsedSize ?? 0)} MB, buffers ${megabytes(heap.backingStorageSize ?? 0)} MB, ${nodes} nodes, ${jsEventListeners} listeners`,
    );
  }
}
