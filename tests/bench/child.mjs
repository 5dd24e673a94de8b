/**
 * One workload in a process of its own, so that no peer is timed with an engine another workload has warped: what the
 * JIT knows of types, and how full memory is. Gets `{ name, pace }` from its parent and sends the result back.
 */
import { measure } from "./measure.mjs";

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

process.once("message", async ({ name, pace }) => {
  const result = await measure(name, pace, cpuMs);
  process.send(result, () => process.exit(0));
});
