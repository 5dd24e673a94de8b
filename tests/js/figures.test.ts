/** What stands behind the figures: the latest-wins protocol, slider stops, bins. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { DotProductResult, Pool, VarianceRow } from "../../web/core/types.ts";
import { trialsFor } from "../../web/figures/gradient-model.ts";
import { type Job, Latest } from "../../web/figures/latest.ts";
import { watchPresence } from "../../web/figures/presence.ts";
import { dimensionStops, keyStops, nearestStop } from "../../web/figures/stops.ts";
import { troubleSentence } from "../../web/figures/trouble.ts";
import { binning, densityGrid, VarianceModel } from "../../web/figures/variance-model.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { defaults } from "../../web/state/schema.ts";

test("slider stops grow, start and end right, and hold every power of two", () => {
  for (const [stops, low, high] of [
    [dimensionStops, 1, 4096],
    [keyStops, 2, 1024],
  ] as const) {
    assert.equal(stops[0], low);
    assert.equal(stops.at(-1), high);
    for (let i = 1; i < stops.length; ++i) assert.ok((stops[i] as number) > (stops[i - 1] as number));
    for (let power = low; power <= high; power *= 2) assert.ok(stops.includes(power), String(power));
  }
  assert.equal(dimensionStops[nearestStop(dimensionStops, 500)], 512);
});

test("sums of signs get one bin a lattice point, the point in its middle", () => {
  for (const dimension of [1, 2, 3, 7, 100, 1000, 4095, 4096]) {
    const { bins, range } = binning(dimension, { components: "rademacher", mean: 0, correlation: 0 });
    assert.ok(range);
    const width = (range[1] - range[0]) / bins;
    assert.equal(width, 2);
    const firstCentre = range[0] + 1;
    assert.equal(Math.abs(firstCentre % 2), dimension % 2, `parity at ${dimension}`);
    assert.equal(range[0], -range[1]);
    assert.ok(range[1] >= 5 * Math.sqrt(dimension));
  }
});

test("densities are never asked for at 0, where d_k = 1 is infinite", () => {
  assert.ok(densityGrid.every((z) => Math.abs(z) > 0.01));
  assert.ok(Math.abs((densityGrid[0] as number) + (densityGrid.at(-1) as number)) < 1e-9);
});

test("trials follow the work they mean, within bounds", () => {
  assert.equal(trialsFor([1], 16, 1e9, 100), 100);
  assert.equal(trialsFor([4096], 1024, 1, 100), 4);
  assert.equal(trialsFor([100, 100], 10, 2e6, 1e6), 1000);
});

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((r) => {
    resolve = r;
  });
  return { promise, resolve };
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 1));

function recorder() {
  const log: string[] = [];
  const gates = new Map<string, () => void>();
  const step = (name: string, signal: AbortSignal) => {
    log.push(name);
    const gate = deferred();
    gates.set(name, gate.resolve);
    return new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => {
        log.push(`${name} aborted`);
        reject(new Error("aborted"));
      });
      void gate.promise.then(resolve);
    });
  };
  const job = (name: string): Job => ({
    coarse: (signal) => step(`${name} coarse`, signal),
    refine: (signal) => step(`${name} refine`, signal),
  });
  return { log, job, open: (name: string) => gates.get(name)?.() };
}

test("latest wins: a coarse answer is let finish, a refinement is aborted, of those that wait only the newest runs", async () => {
  const { log, job, open } = recorder();
  const latest = new Latest((error) => assert.fail(String(error)));
  latest.ask(job("a"));
  latest.ask(job("b"));
  latest.ask(job("c"));
  open("a coarse");
  await settle();
  open("c coarse");
  await settle();
  latest.ask(job("d"));
  await settle();
  open("d coarse");
  await settle();
  open("d refine");
  await settle();
  const wanted = ["a coarse", "c coarse", "c refine", "c refine aborted", "d coarse", "d refine"];
  assert.deepEqual(log, wanted);
});

test("a pause stops the refinement, not the coarse answer; resuming takes it up", async () => {
  const { log, job, open } = recorder();
  const latest = new Latest((error) => assert.fail(String(error)));
  latest.pause();
  latest.ask(job("a"));
  open("a coarse");
  await settle();
  assert.deepEqual(log, ["a coarse"]);
  latest.resume();
  await settle();
  latest.pause();
  await settle();
  latest.resume();
  await settle();
  open("a refine");
  await settle();
  assert.deepEqual(log, ["a coarse", "a refine", "a refine aborted", "a refine"]);
});

test("an error is told once and does not stop what comes after", async () => {
  const errors: unknown[] = [];
  const latest = new Latest((error) => errors.push(error));
  latest.ask({ coarse: () => Promise.reject(new Error("no")), refine: () => assert.fail() });
  await settle();
  let done = false;
  latest.ask({
    coarse: () => Promise.resolve(),
    refine: async () => {
      done = true;
    },
  });
  await settle();
  assert.equal(errors.length, 1);
  assert.ok(done);
});

/** A job whose parts end, one call after the other, as told; `null` is a good end. */
function mortal(coarse: (string | null)[], refine: (string | null)[] = []) {
  const calls = { coarse: 0, refine: 0 };
  const part = (name: "coarse" | "refine", ends: (string | null)[]) => async () => {
    const code = ends[calls[name]++];
    if (code) throw Object.assign(new Error(code), { code });
  };
  return { calls, job: { coarse: part("coarse", coarse), refine: part("refine", refine) } };
}

test("a part whose worker died is run again, twice at most; other errors are told at once", async () => {
  const [dead, other] = ["ERR_WORKER", "ERR_OUT_OF_MEMORY"];
  for (const [coarse, refine, calls, told] of [
    [[dead, dead, null], [dead, null], { coarse: 3, refine: 2 }, []],
    [[dead, dead, dead, null], [], { coarse: 3, refine: 0 }, [dead]],
    [[null], [dead, dead, dead, null], { coarse: 1, refine: 3 }, [dead]],
    [[dead, other, null], [], { coarse: 2, refine: 0 }, [other]],
  ] as const) {
    const errors: unknown[] = [];
    const latest = new Latest((error) => errors.push((error as { code: string }).code));
    const made = mortal([...coarse], [...refine]);
    latest.ask(made.job);
    await settle();
    assert.deepEqual([made.calls, errors, latest.done], [calls, told, true]);
  }
});

test("something newer goes before a part whose worker died", async () => {
  const latest = new Latest((error) => assert.fail(String(error)));
  const [newer, answers] = [mortal([null]), [] as string[]];
  latest.ask({
    coarse: async () => {
      answers.push("old");
      latest.ask(newer.job);
      throw Object.assign(new Error("died"), { code: "ERR_WORKER" });
    },
  });
  await settle();
  assert.deepEqual([answers, newer.calls], [["old"], { coarse: 1, refine: 1 }]);
});

test("of comings and goings that are heard of at once the newest counts", () => {
  let heard: (entries: { isIntersecting: boolean }[]) => void = () => {};
  class Observer {
    constructor(callback: typeof heard) {
      heard = callback;
    }
    observe() {}
    disconnect() {}
  }
  const played = {
    ResizeObserver: Observer,
    IntersectionObserver: Observer,
    document: { hidden: false, addEventListener() {}, removeEventListener() {} },
  };
  Object.assign(globalThis, played);
  const seen: boolean[] = [];
  const host = {} as Element;
  watchPresence({ host, measured: host, onWidth() {}, onSight: (inSight) => seen.push(inSight) });
  heard([{ isIntersecting: false }, { isIntersecting: true }]);
  heard([{ isIntersecting: true }, { isIntersecting: false }]);
  for (const name of Object.keys(played)) Reflect.deleteProperty(globalThis, name);
  assert.deepEqual(seen, [true, false]);
});

test("errors become one clear sentence", () => {
  assert.match(troubleSentence({ code: "ERR_WASM_UNAVAILABLE" }), /^This browser has no WebAssembly SIMD/);
  assert.match(troubleSentence("anything"), /stopped unexpectedly/);
});

test("a correlation of 0 has a stop of its own on a slider that goes by ratios elsewhere", () => {
  assert.equal(nearestStop([0, 0.005, 0.1, 1], 0), 0);
  assert.equal(nearestStop([0, 0.005, 0.1, 1], 0.2), 2);
});

test("every figure's imports stay in the house: no figure knows another, charts know no figures", () => {
  const read = (path: string) => readFileSync(new URL(`../../web/${path}`, import.meta.url), "utf8");
  assert.doesNotMatch(read("figures/variance.ts"), /gradient/);
  assert.doesNotMatch(read("figures/gradient.ts"), /variance/);
});

test("progress that tells of some d_k only leaves the others as they are", async () => {
  const model = new VarianceModel(() => {});
  const rows = (dimensions: readonly number[], samples: number) =>
    dimensions.map((dimension) => ({
      dimension,
      variance: dimension,
      standardError: 1,
      exact: dimension,
      samples,
    }));
  const seen: number[] = [];
  const pool = {
    sampleDotProducts: async (o: { dimension: number; samples: number }) => {
      const moments = { count: o.samples, variance: o.dimension, varianceStandardError: 1 };
      return { seed: 1, moments } as DotProductResult;
    },
    varianceSweep: async (
      o: { dimensions: readonly number[]; samples: number },
      job?: { onProgress?: (soFar: VarianceRow[]) => void },
    ) => {
      job?.onProgress?.(rows(o.dimensions.slice(0, 2), o.samples));
      seen.push(model.rows.length);
      return rows(o.dimensions, o.samples);
    },
    dotProductDensity: async (x: Float64Array) => x,
    theory: { dotProductMoments: async () => ({ mean: 0, variance: 1 }) },
  } as unknown as Pool;
  const job = model.job(defaults(figureSchemas.variance), pool, true);
  const { signal } = new AbortController();
  await job.coarse(signal);
  await job.refine(signal);
  assert.deepEqual(seen, [0, 13, 13]);
  assert.ok(model.rows.every((row) => row.samples === 2 ** 15));
});
