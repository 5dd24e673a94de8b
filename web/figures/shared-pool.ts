/** One pool for all figures of a page, made when the first one needs it. */
import type { Pool } from "../core/types.ts";
import { createPool } from "../worker/client.ts";

let pool: Pool | undefined;

export function sharedPool(): Pool {
  pool ??= createPool();
  return pool;
}
