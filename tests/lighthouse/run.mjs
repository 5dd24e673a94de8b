/** `npm run lighthouse`: what Lighthouse says of the built page, on a phone it simulates and on a desktop. */
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";
import { preview } from "vite";

const server = await preview({ preview: { port: 0, open: false }, logLevel: "error" });
const chrome = await launch({
  chromePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"],
});
const url = server.resolvedUrls.local[0];
for (const [name, config] of [["mobile"], ["desktop", desktopConfig]]) {
  const { lhr } = await lighthouse(url, { port: chrome.port, logLevel: "silent" }, config);
  const scores = Object.values(lhr.categories).map(
    ({ title, score }) => `${title} ${Math.round(100 * score)}`,
  );
  console.log(`${name}: ${scores.join(", ")}`);
  for (const { title, score, displayValue = "" } of Object.values(lhr.audits))
    if (score !== null && score < 0.9) console.log(`  ${score.toFixed(2)} ${title} ${displayValue}`);
}
await chrome.kill();
await server.close();
