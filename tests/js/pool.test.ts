/** The pool: cancelling, progress, dying workers, closing, and the page itself standing in for workers. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { load, type Pool, SqrtdkError } from "sqrtdk";
import { createPool } from "sqrtdk/worker";

const core = await load();
const long = { dimension: 512, samples: 2 ** 31, seed: 1 }; // minutes
const short = { dimension: 8, samples: 3000, seed: 1 };
const expected = core.sampleDotProducts(short);

let pools: Pool[] = [];
function pool(size?: number): Pool {
  const made = createPool(size === undefined ? {} : { size });
  pools.push(made);
  return made;
}
afterEach(() => {
  for (const made of pools) made.close();
  pools = [];
});

/** A pool where workers are refused: as in a browser whose policy forbids them. */
function poolWithoutWorkers(): Pool {
  const { getBuiltinModule } = process;
  // biome-ignore lint/suspicious/noExplicitAny: taking away what the types say is there
  (process as any).getBuiltinModule = undefined;
  try {
    return pool(2);
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
}

const kinds: [string, () => Pool][] = [
  ["in workers", () => pool(2)],
  ["on this thread", poolWithoutWorkers],
];

for (const [where, make] of kinds) {
  test(`results ${where} are those of the core`, async () => {
    const p = make();
    assert.deepEqual(await p.sampleDotProducts(short), expected);
    const sweep = { dimensions: [32, 2], keys: 8, trials: 20, seed: 4 };
    assert.deepEqual(await p.gradientSweep(sweep), core.gradientSweep(sweep));
    assert.equal((await p.info()).variant, "simd");
  });

  test(`a signal ends a call ${where}, and the pool goes on`, async () => {
    const p = make();
    const control = new AbortController();
    const running = p.sampleDotProducts(long, {
      signal: control.signal,
      onProgress: () => control.abort("enough"),
    });
    await assert.rejects(running, (error: SqrtdkError) => {
      assert.equal(error.name, "AbortError");
      assert.equal(error.code, "ERR_ABORTED");
      assert.equal(error.cause, "enough");
      return true;
    });
    assert.deepEqual(await p.sampleDotProducts(short), expected);
  });

  test(`progress ${where} comes in order, from fewer samples`, async () => {
    const p = make();
    const control = new AbortController();
    const counts: number[] = [];
    const onProgress = ({ moments }: { moments: { count: number } }) => {
      counts.push(moments.count);
      if (counts.length === 3) control.abort();
    };
    await assert.rejects(p.sampleDotProducts(long, { signal: control.signal, onProgress }), {
      code: "ERR_ABORTED",
    });
    assert.equal(counts.length, 3);
    assert.ok((counts[0] as number) > 0 && (counts[0] as number) < (counts[1] as number));
    assert.ok((counts[1] as number) < (counts[2] as number));
  });

  test(`other events get their turn while a call runs ${where}`, async () => {
    const p = make();
    const control = new AbortController();
    const running = p
      .varianceSweep({ ...long, dimension: undefined, dimensions: [512] } as never, {})
      .catch((e) => e);
    assert.equal((await running).code, "ERR_OPTION"); // "dimension" is no option of a sweep
    const sweep = p.sampleDotProducts(long, { signal: control.signal });
    setTimeout(() => control.abort(), 20);
    await assert.rejects(sweep, { code: "ERR_ABORTED" });
  });

  test(`an error ${where} keeps its code and message`, async () => {
    const p = make();
    const refused = p.gradientSweep({ dimensions: [65536], keys: 65536, trials: 1, seed: 1 });
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof SqrtdkError);
      assert.equal(error.code, "ERR_OUT_OF_MEMORY");
      assert.match(error.message, /^gradientSweep: needs .* MB/);
      return true;
    });
    assert.deepEqual(await p.sampleDotProducts(short), expected);
  });

  test(`closing ends what runs and what waits ${where}`, async () => {
    const p = make();
    const calls = Array.from({ length: 5 }, () => p.sampleDotProducts(long));
    const results = Promise.allSettled(calls);
    p.close();
    for (const result of await results)
      assert.equal((result as PromiseRejectedResult).reason.code, "ERR_CLOSED");
    await assert.rejects(p.info(), { code: "ERR_CLOSED" });
  });
}

test("a worker that dies rejects its call, and the next call gets a new one", async () => {
  const threads = await import("node:worker_threads");
  const { getBuiltinModule } = process;
  const born: InstanceType<typeof threads.Worker>[] = [];
  class Watched extends threads.Worker {
    constructor(...args: ConstructorParameters<typeof threads.Worker>) {
      super(...args);
      born.push(this);
    }
  }
  process.getBuiltinModule = ((id: string) =>
    id === "node:worker_threads"
      ? { ...threads, Worker: Watched }
      : getBuiltinModule(id)) as typeof getBuiltinModule;
  try {
    const p = pool(1);
    let died = false;
    const onProgress = () => {
      if (!died) born[0]?.terminate();
      died = true;
    };
    await assert.rejects(p.sampleDotProducts(long, { onProgress }), {
      code: "ERR_WORKER",
      message: /worker died/,
    });
    assert.deepEqual(await p.sampleDotProducts(short), expected);
    assert.equal(born.length, 2);
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
});

test("a signal that was aborted before is never started", async () => {
  const control = new AbortController();
  control.abort();
  await assert.rejects(pool(1).sampleDotProducts(long, { signal: control.signal }), { code: "ERR_ABORTED" });
});

test("an error in onProgress is the call's", async () => {
  const onProgress = () => {
    throw new Error("mine");
  };
  await assert.rejects(pool(1).sampleDotProducts(long, { onProgress }), { message: "mine" });
});

test("options are checked before anything is sent", async () => {
  const p = pool(1);
  // biome-ignore lint/suspicious/noExplicitAny: the point is to pass what the types forbid
  const loose = p as any;
  await assert.rejects(loose.sampleDotProducts({ ...short, dimension: 0 }), { code: "ERR_RANGE" });
  await assert.rejects(loose.sampleDotProducts({ ...short, extra: () => {} }), { code: "ERR_OPTION" });
  await assert.rejects(loose.sampleDotProducts(short, { signal: 1 }), {
    code: "ERR_TYPE",
    message: /AbortSignal/,
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const signal of [null, proxy, { aborted: false, addEventListener() {} }])
    await assert.rejects(loose.sampleDotProducts(short, { signal }), { code: "ERR_TYPE", message: /signal/ });
  for (const call of [loose.softmax, loose.sampleDotProducts, loose.expectedMaximum])
    await assert.rejects(call(proxy), { code: "ERR_TYPE", message: /an object/ });
  await assert.rejects(loose.softmax(new Float32Array(2), proxy), { code: "ERR_TYPE" });
  await assert.rejects(loose.sampleDotProducts(short, { onprogress() {} }), {
    message: /did you mean "onProgress"/,
  });
  for (const x of [[1], "5"])
    await assert.rejects(loose.dotProductDensity(x, { dimension: 2 }), {
      code: "ERR_TYPE",
      message: /x must be a number or a Float64Array, got/,
    });
  await assert.rejects(loose.randomNormal(-1, { seed: 1 }), {
    code: "ERR_RANGE",
    message: /^randomNormal: count must be/,
  });
  await assert.rejects(loose.randomNormal(1, { sed: 1 }), { code: "ERR_OPTION" });
  assert.throws(() => createPool({ size: 0 }), {
    code: "ERR_RANGE",
    message: /size must be an integer from 1 to 64/,
  });
  assert.throws(() => createPool({ sise: 1 } as never), { code: "ERR_OPTION" });
});

test("more calls than workers wait their turn, and an aborted one in the queue leaves it", async () => {
  const p = pool(1);
  const control = new AbortController();
  const first = p.sampleDotProducts({ ...short, samples: 200_000 });
  const second = p.sampleDotProducts(long, { signal: control.signal });
  const third = p.sampleDotProducts(short);
  control.abort();
  await assert.rejects(second, { code: "ERR_ABORTED" });
  assert.deepEqual(await third, expected);
  assert.equal((await first).moments.count, 200_000);
});

test("a sweep of very many dimensions is aborted as fast as a short one", async () => {
  const control = new AbortController();
  const dimensions = Array.from({ length: 40_000 }, (_, i) => 1 + (i % 512));
  const sweep = pool(2).varianceSweep({ dimensions, samples: 1000, seed: 1 }, { signal: control.signal });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const start = performance.now();
  control.abort();
  await assert.rejects(sweep, { code: "ERR_ABORTED" });
  const milliseconds = performance.now() - start;
  assert.ok(milliseconds < 1000, `${milliseconds} ms`);
});

test("densities are computed in pieces, with the same bits", async () => {
  const x = Float64Array.from({ length: 70_000 }, (_, i) => i / 700 - 50);
  const options = { dimension: 64 };
  assert.deepEqual(await pool(1).dotProductDensity(x, options), core.theory.dotProductDensity(x, options));
});
