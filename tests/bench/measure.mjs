/** One workload, under Node.js or in a page: everybody enters, takes turns, and is compared. */
import { contest, median, paces, quantile } from "./contest.mjs";
import { hasRelaxedSimd, peakContender } from "./peak.mjs";
import { workloads } from "./workloads.mjs";

const variants = ["baseline", "relaxed"];

const makers = [
  ...variants.map((variant) => ({
    name: `sqrtdk ${variant}`,
    variant,
    load: async () => (await import("./ours.mjs")).load(variant),
  })),
  { name: "tfjs-wasm", load: () => import("./peers/tfjs.mjs") },
  { name: "onnxruntime-web", load: () => import("./peers/onnxruntime.mjs") },
  { name: "jax-js", load: () => import("./peers/jax.mjs") },
  { name: "plain JavaScript", load: () => import("./peers/plain-js.mjs") },
];

async function enter(workload) {
  const problem = workload.problem(workload.sizes);
  const contenders = [];
  const absent = [];
  for (const { name, variant, load } of makers) {
    try {
      const maker = await load();
      const made = await maker[workload.kind](problem);
      contenders.push(...made.map((contender) => ({ ...contender, variant })));
      if (variant && workload.target.of === "same, plain input") {
        const [plain] = maker[workload.kind](workload.problem({ ...workload.sizes, querySize: 1 }));
        contenders.push({ ...plain, name: `${plain.name}, plain input`, plainInputOf: variant });
      }
    } catch (error) {
      absent.push({ name, reason: String(error?.message ?? error).split("\n")[0] });
    }
  }
  if (workload.flops)
    for (const variant of variants)
      if (variant === "baseline" || hasRelaxedSimd())
        contenders.push({ ...peakContender(variant), peakOf: variant });
  return { contenders, absent };
}

/** Median over rounds of a figure computed within a round from two contenders' times. */
const paired = (entry, other, figure) =>
  median(entry.times.map((time, round) => figure(time, other.times[round])));
const ratioOf = (entry, other) => paired(entry, other, (time, otherTime) => time / otherTime);

/** Whether one of our variants reaches its target. */
function verdict({ target, onlyInPart }, row, plainInput) {
  const limit = target[row.variant];
  const value = { "best peer": row.ratio, peak: row.share, "same, plain input": plainInput }[target.of];
  const atLeast = target.of === "peak";
  const text = `${atLeast ? ">=" : "<="} ${limit.toFixed(2)} of ${target.of}`;
  if (atLeast ? value >= limit : value <= limit) return { text, value, result: "hit" };
  // A call that does more than the workload proves a hit, but never a miss.
  return { text, value, result: onlyInPart ? "n/a" : "miss" };
}

function summarise(workload, timed) {
  const peaks = {};
  const plainInputs = {};
  const competing = [];
  for (const entry of timed) {
    const { peakOf, plainInputOf } = entry.contender;
    if (peakOf) peaks[peakOf] = entry;
    else if (plainInputOf) plainInputs[plainInputOf] = entry;
    else competing.push(entry);
  }
  competing.sort((a, b) => median(a.times) - median(b.times));
  const bestPeer = competing.find(({ contender }) => !contender.variant);

  const rows = competing.map((entry) => {
    const { name, variant, workScale } = entry.contender;
    const row = { name, variant, workScale, ms: median(entry.times), rounds: entry.times.length };
    row.spread = [quantile(entry.times, 0.1), quantile(entry.times, 0.9)];
    row.rate = (workload.flops ?? workload.items[0]) / row.ms / 1e6;
    const peak = peaks[variant ?? "baseline"];
    if (peak) {
      const peakFlops = peak.contender.floatingPointOperations;
      row.share = paired(entry, peak, (time, peakTime) => workload.flops / time / (peakFlops / peakTime));
    }
    if (bestPeer) row.ratio = ratioOf(entry, bestPeer);
    const plainInput = variant && plainInputs[variant];
    if (variant) row.target = verdict(workload, row, plainInput && ratioOf(entry, plainInput));
    return row;
  });
  const peakRate = ({ contender, times }) => contender.floatingPointOperations / median(times) / 1e6;
  const peakRates = Object.fromEntries(
    Object.entries(peaks).map(([variant, entry]) => [variant, peakRate(entry)]),
  );
  return { rows, bestPeer: bestPeer?.contender.name, peakRates };
}

/** `cpuMs()`, which may be async, is the time to count. */
export async function measure(name, pace, cpuMs) {
  const workload = workloads.find((candidate) => candidate.name === name);
  const { contenders, absent } = await enter(workload);
  const { rejected, timed } = await contest(contenders, paces[pace], cpuMs);
  const unit = workload.flops ? "GFLOP/s" : `G${workload.items[1]}/s`;
  return {
    name,
    unit,
    note: workload.note,
    ...summarise(workload, timed),
    notTimed: [...absent, ...rejected],
  };
}
