/** Objects of options: what counts as one, what is read of it, and that nothing in it is silently ignored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, SqrtdkError } from "sqrtdk";
import * as external from "sqrtdk/external";
import { createPool } from "sqrtdk/worker";

// biome-ignore lint/suspicious/noExplicitAny: the point is to pass what the types forbid
const core = (await load()) as any;
const f = (length: number) => new Float32Array(length);
const shape = { queryLength: 2, keyLength: 3, headDim: 4 };
const attend = (options: object) => core.scaledDotProductAttention(f(8), f(12), f(12), { shape, ...options });
const sampling = { dimension: 4, samples: 10, seed: 1 };

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

test("options may be of a class: getters of its prototype are read", () => {
  class Rows {
    get columns() {
      return 2;
    }
  }
  assert.deepEqual(core.softmax(f(4), new Rows()), f(4).fill(0.5));
  assert.deepEqual(core.softmax(f(4), Object.create({ columns: 2 })), f(4).fill(0.5));
  assert.deepEqual(core.softmax(f(4), Object.assign(Object.create(null), { columns: 2 })), f(4).fill(0.5));
});

test("what Object.prototype was given by others is no option", () => {
  Object.defineProperty(Object.prototype, "polluted", { value: 1, enumerable: true, configurable: true });
  try {
    assert.deepEqual(core.softmax(f(4), { columns: 2 }), f(4).fill(0.5));
  } finally {
    delete (Object.prototype as { polluted?: number }).polluted;
  }
});

test("objects whose contents would be ignored are refused", () => {
  const buffer = core.buffer(4);
  const objects = [
    new Map([["columns", 2]]),
    new Set(),
    new Date(),
    /x/,
    [2],
    f(2),
    AbortSignal.abort(),
    new EventTarget(),
    new Intl.NumberFormat(),
    new ArrayBuffer(4),
    buffer,
  ];
  for (const options of [...objects, () => {}, Object(2), null, "columns", revoked({})])
    assert.throws(() => core.softmax(f(4), options), {
      code: "ERR_TYPE",
      message: /^softmax: options must be an object/,
    });
  assert.throws(() => core.softmax(f(4), buffer), { message: /got an object \(/ });
  buffer.free();
});

test("null is not 'not given': it is refused under every name, undefined is not", async () => {
  const calls: [string[], (o: object) => unknown][] = [
    [["columns", "scale", "out"], (o) => core.softmax(f(4), o)],
    [
      [
        "attnMask",
        "attnMaskShape",
        "isCausal",
        "causalOffset",
        "scale",
        "softcap",
        "returnWeights",
        "layout",
      ],
      attend,
    ],
    [["batch", "heads", "kvHeads", "valueDim"], (o) => attend({ shape: { ...shape, ...o } })],
    [
      ["components", "mean", "queryStd", "keyStd", "scale", "bins", "range"],
      (o) => core.sampleDotProducts({ ...sampling, ...o }),
    ],
    [["stream"], (o) => core.randomNormal(2, { seed: 1, ...o })],
    [["queryStd", "keyStd"], (o) => core.theory.dotProductDensity(1, { dimension: 2, ...o })],
    [["scale"], (o) => core.theory.expectedAttentionRow({ keys: 4, dimension: 2, ...o })],
    [["size"], (o) => createPool(o).close()],
  ];
  for (const [names, run] of calls) {
    for (const name of names) {
      const message = new RegExp(`\\.${name} must be given or left out, got null$`);
      assert.throws(() => run({ [name]: null }), { code: "ERR_TYPE", message });
      run({ [name]: undefined });
    }
  }
  for (const name of ["variant", "wasmBinary", "wasmModule", "wasmUrl"])
    await assert.rejects(load({ [name]: null }), { code: "ERR_TYPE", message: /left out, got null$/ });
});

test("proxies that were revoked are refused like anything else of a wrong type", async () => {
  const [list, object] = [revoked([]), revoked({})];
  const refused = [
    () => core.softmax(object),
    () => core.softmax(f(4), { scale: object }),
    () => core.softmax(f(4), { out: object }),
    () => core.sampleDotProducts({ ...sampling, range: list }),
    () => core.varianceSweep({ dimensions: list, samples: 2, seed: 1 }),
    () => core.gradientSweep({ dimensions: [2], keys: 2, trials: 2, seed: 1, scale: list }),
    () => attend({ shape: object }),
    () => attend({ attnMask: object }),
    () => attend({ attnMaskShape: list }),
  ];
  for (const run of refused) assert.throws(run, { code: "ERR_TYPE" });
  for (const name of ["variant", "wasmBinary", "wasmModule", "wasmUrl"])
    await assert.rejects(load({ [name]: object }), { code: "ERR_TYPE" });
  await assert.rejects(load(object), { code: "ERR_TYPE" });
});

test("lists are read by their indices, whatever their iterators yield", () => {
  const endless = <T>(list: T[]) =>
    Object.assign(list, {
      *[Symbol.iterator]() {
        for (;;) yield 1e9;
      },
    });
  const sweep = { samples: 10, seed: 1 };
  assert.deepEqual(
    core.varianceSweep({ ...sweep, dimensions: endless([2, 3]) }),
    core.varianceSweep({ ...sweep, dimensions: [2, 3] }),
  );
  const gradient = { dimensions: [2], keys: 2, trials: 2, seed: 1 };
  assert.equal(core.gradientSweep({ ...gradient, scale: endless(["none"]) }).length, 1);
  const { output } = attend({ attnMask: f(3), attnMaskShape: endless([3]) });
  assert.equal(output.length, 8);
});

test("messages stay short whatever comes", () => {
  const long = "x".repeat(1e6);
  const refused = [
    () => core.softmax(f(4), { [long]: 1 }),
    () => core.softmax(f(4), { columns: 10n ** 5000n }),
    () => core.softmax(f(4), { columns: long }),
    () => core.softmax(f(4), { columns: { constructor: { name: long } } }),
    () => attend({ layout: long }),
  ];
  for (const run of refused)
    assert.throws(run, (error: SqrtdkError) => error instanceof SqrtdkError && error.message.length < 300);
});

test("a range is shown as it came", () => {
  const message = "sampleDotProducts: range must be two finite numbers [low, high], low < high, got [1, 1]";
  assert.throws(() => core.sampleDotProducts({ ...sampling, range: [1, 1] }), { code: "ERR_RANGE", message });
  assert.throws(() => core.sampleDotProducts({ ...sampling, range: [0, 1e-310] }), { code: "ERR_RANGE" });
});

test("factors stay where float32 knows them", () => {
  for (const scale of [2e30, -2e30]) {
    for (const name of ["softmax", "logSoftmax", "logSumExp", "softmaxDiagnostics"])
      assert.throws(() => core[name](f(4), { scale }), {
        code: "ERR_RANGE",
        message: /from -1e\+30 to 1e\+30/,
      });
    assert.throws(() => core.softmaxBackward(f(4), f(4), { scale }), { code: "ERR_RANGE" });
    assert.throws(() => attend({ scale }), { code: "ERR_RANGE" });
  }
  assert.deepEqual(core.logSoftmax(Float32Array.of(0, 1), { scale: 1e30 }), Float32Array.of(-1e30, 0));
  for (const softcap of [1e300, 1e-50, -1, Number.NaN])
    assert.throws(() => attend({ softcap }), {
      code: "ERR_RANGE",
      message: /softcap must be 0 or a number from 1e-30 to 1e\+30/,
    });
  assert.throws(() => attend({ softcap: 1e-10, scale: 1e25 }), {
    code: "ERR_RANGE",
    message: /at least \|scale\|/,
  });
});

test("the ends of softcap's range do what they say", () => {
  const ramp = (length: number) => Float32Array.from({ length }, (_, i) => (i % 5) - 2);
  const [q, k, v] = [ramp(8), ramp(12), ramp(12)];
  const run = (softcap: number, returnWeights: string) =>
    core.scaledDotProductAttention(q, k, v, { shape, softcap, returnWeights }).weights as Float32Array;
  const near = (a: Float32Array, b: Float32Array) =>
    assert.ok(
      a.every((x, i) => Math.abs(x - (b[i] as number)) < 1e-5 * (1 + Math.abs(x))),
      `${a} ${b}`,
    );
  near(run(1e30, "probabilities"), run(0, "probabilities"));
  near(run(1e30, "raw"), run(0, "raw"));
  near(run(1e-30, "raw"), run(0, "raw"));
  near(run(1e-30, "probabilities"), f(6).fill(1 / 3));
});

test("errors of all entries are instances of the one class, and of subclasses only where they are", async () => {
  const refusal = await external.load({ variant: "none" } as never).catch((error) => error);
  assert.ok(refusal instanceof SqrtdkError);
  assert.ok(refusal instanceof external.SqrtdkError);
  assert.equal(refusal.name, "SqrtdkError");
  class Mine extends SqrtdkError {}
  assert.ok(!(refusal instanceof Mine));
  assert.ok(new Mine("ERR_TYPE", "x") instanceof Mine);
  assert.ok(new Mine("ERR_TYPE", "x") instanceof external.SqrtdkError);
  for (const other of [null, undefined, 1, new Error("x"), {}]) assert.ok(!(other instanceof SqrtdkError));
});
