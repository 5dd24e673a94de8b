/**
 * How a page knows that a worker is gone: what it had locked is free again. Held only while there is work, because
 * Firefox does not keep pages with locks ready for "back". Frames without an origin and addresses without https have no
 * locks.
 */

/** Locks `name` for this thread until the returned function is called. */
export function hold(name: string): () => void {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  navigator.locks?.request(name, () => released).catch(() => {});
  return release;
}

/** Whether nobody holds it; false where that cannot be known. */
export async function isFree(name: string): Promise<boolean> {
  try {
    return await navigator.locks.request(name, { ifAvailable: true }, (lock) => lock !== null);
  } catch {
    return false;
  }
}
