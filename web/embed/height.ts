/**
 * Tells the host how high the figure is, in the three dialects hosts understand: our own, H5P's (Moodle and many other
 * course systems load its resizer) and Canvas's.
 */
import { outgoing } from "./messages.ts";

export function followHeight(host: Window, content: Element): void {
  let height = 0;
  const post = () => {
    if (height === 0) return; // not shown: a closed tab, a slide to come
    host.postMessage(outgoing({ type: "resize", height }), "*");
    host.postMessage(
      { context: "h5p", action: "resize", height, scrollHeight: height, clientHeight: height },
      "*",
    );
    host.postMessage({ subject: "lti.frameResize", height }, "*");
  };
  host.postMessage({ context: "h5p", action: "hello" }, "*");
  new ResizeObserver(([entry]) => {
    const now = Math.ceil(entry?.borderBoxSize[0]?.blockSize ?? 0);
    if (now === height) return;
    height = now;
    post();
  }).observe(content);
  // A host that came later than the figure asks in its own words; any of them is answered with all.
  addEventListener("message", ({ source, data }) => {
    if (source === host && typeof data === "object" && data?.context === "h5p") post();
  });
}
