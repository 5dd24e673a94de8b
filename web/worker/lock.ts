/**
 * How a page knows that a worker is gone: what it had locked is free again. Held only while there is work, because
 * Firefox does not keep pages with locks ready for "back". Frames without an origin and addresses without https have no
 * locks.
 */

/**
 * Locks `name` for this thread until the function is called that it resolves to. It resolves when the lock is there, or
 * cannot be had: Chromium grants a worker's first one only when its events get a turn, and a long call gives them none.
 */
export function hold(name: string): Promise<() => void> {
  return new Promise((resolve) => {
    const { locks } = navigator;
    if (!locks) return resolve(() => {});
    locks
      .request(name, () => new Promise<void>((release) => resolve(release)))
      .catch(() => resolve(() => {}));
  });
}

/** Whether nobody holds it; false where that cannot be known. */
export async function isFree(name: string): Promise<boolean> {
  try {
    return await navigator.locks.request(name, { ifAvailable: true }, (lock) => lock !== null);
  } catch {
    return false;
  }
}
