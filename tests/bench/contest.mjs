/**
 * How contenders are timed against each other: each proves its answer once, then all take turns.
 *
 * A contender is `{ name, run, verify, prepare?, workScale? }`: `run()`, which may be async, is what is timed; `verify()`
 * gives null or what is wrong with its answer; `prepare()` comes before every turn and is not timed; `workScale` is how
 * many times `run()` would have to be called to do the whole workload.
 *
 * CPU time, not wall time, because machines are shared; turns of all contenders within one round, because clock
 * frequency and caches drift; medians over rounds, and ratios taken within a round before their median is.
 */
export const paces = {
  full: { rounds: 15, turnMs: 25, warmUpMs: 400, longestMs: 12_000 },
  quick: { rounds: 5, turnMs: 8, warmUpMs: 150, longestMs: 3_000 },
};

async function timed(contender, calls, cpuMs) {
  await contender.prepare?.();
  const start = await cpuMs();
  for (let i = 0; i < calls; i++) await contender.run();
  return ((await cpuMs()) - start) / calls;
}

/** Until the engine has optimised it, in ever longer turns: gives the time of a call in the last. */
async function warmUp(contender, pace, cpuMs) {
  let spent = 0;
  for (let calls = 1; ; calls *= 2) {
    const callMs = await timed(contender, calls, cpuMs);
    spent += callMs * calls;
    const isSlow = spent > 4 * pace.warmUpMs;
    if (isSlow || calls >= 512 || (calls >= 2 && spent >= pace.warmUpMs)) return callMs;
  }
}

const reason = (error) => String(error?.message ?? error).split("\n")[0];

/** Null, or why it is not to be timed. */
async function objection(contender) {
  try {
    await contender.prepare?.();
    return await contender.verify();
  } catch (error) {
    return `failed: ${reason(error)}`;
  }
}

export function quantile(values, probability) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * probability)];
}
export const median = (values) => quantile(values, 0.5);

/**
 * Gives `{ rejected: [{ name, reason }], timed: [{ contender, times }] }`; times in ms as `cpuMs()` counts them, one a
 * round.
 */
export async function contest(contenders, pace, cpuMs) {
  const rejected = [];
  const entries = [];
  for (const contender of contenders) {
    const why = await objection(contender);
    if (why) {
      rejected.push({ name: contender.name, reason: why });
      continue;
    }
    const callMs = Math.max(await warmUp(contender, pace, cpuMs), 1e-3);
    entries.push({ contender, times: [], calls: Math.ceil(Math.min(pace.turnMs / callMs, 2000)), callMs });
  }
  const roundMs = entries.reduce((sum, { callMs, calls }) => sum + callMs * calls, 0);
  const rounds = Math.max(3, Math.min(pace.rounds, Math.floor(pace.longestMs / roundMs)));
  for (let round = 0; round < rounds; round++)
    for (const { contender, times, calls } of entries) {
      // Or this one would pay for what the last one left behind.
      globalThis.gc?.();
      times.push((await timed(contender, calls, cpuMs)) * (contender.workScale ?? 1));
    }
  return { rejected, timed: entries.map(({ contender, times }) => ({ contender, times })) };
}
