/** A figure in a frame of another site's page: sandboxed, without an origin, and still alive. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Frame, Page } from "playwright-core";
import { figureNames } from "../../web/state/fields.ts";
import { type ServedPage, servePage } from "./served-page.ts";

let served: ServedPage;
let host: Server;
let hostUrl: string;

/** Another origin than the figure's; keeps all it is told, and makes the frame as high as it asks to be. */
const hostPage = (frame: string) => `<!doctype html><title>A course</title>${frame}<script>
  heard = [];
  addEventListener("message", ({ data, origin }) => {
    heard.push({ ...data, origin });
    if (data.source === "sqrtdk" && data.type === "resize") document.querySelector("iframe").height = data.height;
  });
</script>`;

before(async () => {
  served = await servePage();
  host = createServer(({ url }, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(hostPage(new URL(url ?? "/", "http://x").searchParams.get("frame") ?? ""));
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
});
after(async () => {
  host?.close();
  await served?.close();
});

interface Heard {
  source?: string;
  type?: string;
  context?: string;
  subject?: string;
  height?: number;
  origin: string;
  notes?: string[];
  state?: Record<string, unknown>;
}
const heard = (page: Page) => page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard);

async function openFrame(code: string): Promise<{ page: Page; frame: Frame; trouble: string[] }> {
  const { page, trouble } = await served.open({ viewport: { width: 900, height: 1400 } });
  await page.goto(`${hostUrl}?frame=${encodeURIComponent(code)}`);
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  assert.ok(frame);
  return { page, frame, trouble };
}

const frameTag = (hash: string, sandbox = "allow-scripts") =>
  `<iframe src="${served.url}embed.html#${hash}" title="figure" width="860" height="300" sandbox="${sandbox}"></iframe>`;

test("every figure lives in a sandboxed frame of another origin, touches no storage and asks nobody", async () => {
  for (const name of figureNames) {
    const { page, frame, trouble } = await openFrame(frameTag(`figure=${name}&v=1`));
    const figure = frame.locator(`sqrtdk-${name}`);
    await figure.locator("#words[aria-busy=false]").waitFor();
    // The origin is opaque: any touch of storage would have thrown.
    assert.equal(await frame.evaluate(() => globalThis.origin), "null");
    assert.equal(await figure.locator(".trouble").count(), 0);
    const own = trouble.filter((line) => !line.includes(hostUrl));
    assert.deepEqual(own, [], name);
    await page.context().close();
  }
});

test("the frame's address restores the figure; what is wrong in it is said and falls back", async () => {
  const { page, frame } = await openFrame(
    frameTag("figure=gradient&v=1&dimension=64&keys=9999&seed=5&hide=controls,actions,table"),
  );
  const figure = frame.locator("sqrtdk-gradient");
  await figure.getByText("keys = “9999” is not a whole number from 2 to 1024; 16 is shown").waitFor();
  await figure.locator("#words", { hasText: /With 16 keys and dk = 64/ }).waitFor();
  for (const [part, count] of [
    [".controls", 0],
    [".actions", 0],
    ["details", 0],
    [".meta", 1],
  ] as const)
    assert.equal(await figure.locator(part).count(), count, part);
  await page.context().close();
});

test("an unknown figure gets a sentence and a figure all the same", async () => {
  const { page, frame } = await openFrame(frameTag("figure=%3Cimg%3E&v=7"));
  await frame.getByText("names no figure that is known here").waitFor();
  await frame.getByText("made by another version").waitFor();
  await frame.locator("sqrtdk-variance #words b").first().waitFor();
  assert.equal(await frame.locator("img").count(), 0);
  await page.context().close();
});

test("the host hears ready, state and the height in three dialects, and may set what a link may set", async () => {
  const { page, frame } = await openFrame(frameTag("figure=variance&v=1&dimension=64"));
  const figure = frame.locator("sqrtdk-variance");
  await figure.locator("#words", { hasText: /k = 64\b/ }).waitFor();
  const first = await heard(page);
  const ready = first.find(({ type }) => type === "ready");
  assert.equal(ready?.state?.dimension, 64);
  assert.equal(ready?.origin, "null");
  const resize = first.filter(({ source, type }) => source === "sqrtdk" && type === "resize").at(-1);
  const height = await frame.evaluate(() => document.body.getBoundingClientRect().height);
  assert.equal(resize?.height, Math.ceil(height));
  assert.ok(first.some(({ context }) => context === "h5p"));
  assert.ok(first.some(({ subject, height }) => subject === "lti.frameResize" && (height ?? 0) > 300));
  assert.equal(await frame.evaluate(() => document.documentElement.scrollHeight), Math.ceil(height));

  const send = (message: unknown) =>
    page.evaluate((data) => {
      const { contentWindow } = document.querySelector("iframe") as HTMLIFrameElement;
      contentWindow?.postMessage(data, "*");
    }, message);
  await send({ target: "sqrtdk", type: "set", state: { dimension: 100, scale: "rsqrt", seed: "no" } });
  await figure.locator("#words", { hasText: /k = 100\b/ }).waitFor();
  const state = (await heard(page)).filter(({ type }) => type === "state").at(-1);
  assert.equal(state?.state?.scale, "rsqrt");
  assert.match(String(state?.notes), /seed = “no” is not/);

  // Junk, and a message from a frame that is not the parent, change nothing.
  for (const junk of [null, 7, "set", {}, { target: "sqrtdk", type: "set" }]) await send(junk);
  await frame.evaluate(() => postMessage({ target: "sqrtdk", type: "set", state: { dimension: 3 } }, "*"));
  await send({ target: "sqrtdk", type: "set", state: { seed: 8 } });
  const lastState = async () => (await heard(page)).filter(({ type }) => type === "state").at(-1)?.state;
  while ((await lastState())?.seed !== 8) await page.waitForTimeout(50);
  assert.equal((await lastState())?.dimension, 100);
  await page.context().close();
});

test("the code the page gives away works where it is pasted", async () => {
  const { page } = await served.open();
  await page.goto(`${served.url}#v=1&gradient.dimension=32&gradient.seed=4`);
  await page.locator("sqrtdk-gradient").scrollIntoViewIfNeeded();
  const embed = page.locator("sqrtdk-gradient button", { hasText: "Embed" });
  await embed.click();
  const code = await page.locator("sqrtdk-gradient input.link").inputValue();
  assert.match(code, /sandbox="allow-scripts allow-downloads"/);
  const opened = await openFrame(code);
  const figure = opened.frame.locator("sqrtdk-gradient");
  await figure.locator("#words", { hasText: /With 16 keys and dk = 32/ }).waitFor();
  assert.equal(await figure.locator("input.seed").inputValue(), "4");
  // From the frame the link leads back to the lesson.
  await figure.locator("button", { hasText: "Copy link" }).click();
  const link = await figure.locator("input.link").inputValue();
  assert.ok(link.startsWith(`${served.url}#v=1&gradient.seed=4&gradient.dimension=32`), link);
});
