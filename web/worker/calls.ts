/** The calls a pool has: all of the core's that the types promise, and how each becomes steps in a worker. */
import { SqrtdkError } from "../core/errors.ts";
import type { Core, CoreSteps, DensityOptions, PoolCalls, Steps, Theory } from "../core/types.ts";

/** `theory.expectedMaximum` and the like are named by their path. */
export type CallName = keyof PoolCalls | `theory.${keyof Theory}`;

/** One piece of work for one worker; `args` are those of the call. */
export interface Task {
  call: CallName;
  args: unknown[];
}

type Arity<Call> = Call extends (...args: infer A) => unknown ? Required<A>["length"] : never;
/** How many arguments a call has of its own; the pool's options come after them. */
interface Traits<Call, Way> {
  takes: Arity<Call>;
  way: Way;
}

const steps = <N extends number>(takes: N) => ({ takes, way: "steps" }) as const;
const whole = <N extends number>(takes: N) => ({ takes, way: "whole" }) as const;
const points = <N extends number>(takes: N) => ({ takes, way: "points" }) as const;

/**
 * Every call of `Core` and `Theory` has a line here, or the compiler names the one that is missing. A worker takes it in
 * the core's own `steps`, as a `whole`, during which it answers nothing, or `points` by points.
 */
const coreCalls: {
  [Name in keyof PoolCalls]: Traits<Core[Name], Name extends keyof CoreSteps ? "steps" : "whole">;
} = {
  softmax: whole(2),
  logSoftmax: whole(2),
  logSumExp: whole(2),
  softmaxBackward: whole(3),
  softmaxJacobian: whole(1),
  softmaxDiagnostics: whole(2),
  scaledDotProductAttention: whole(4),
  scaledDotProductAttentionBackward: whole(7),
  sampleDotProducts: steps(1),
  varianceSweep: steps(1),
  gradientSweep: steps(1),
  sampleAttentionRow: whole(1),
  randomNormal: whole(2),
  info: whole(0),
};

const theoryCalls: { [Name in keyof Theory]: Traits<Theory[Name], "whole" | "points"> } = {
  dotProductDensity: points(2),
  dotProductTail: points(2),
  dotProductQuantile: whole(2),
  normalDensity: points(2),
  normalTail: points(2),
  normalDistance: whole(1),
  dotProductMoments: whole(1),
  varianceStandardError: whole(1),
  scoreMatrixVarianceError: whole(1),
  expectedSoftmax: whole(1),
  expectedAttentionRow: whole(1),
  expectedMaximum: whole(1),
  freezingStd: whole(1),
  freezingDimension: whole(1),
  poissonDirichlet: whole(1),
  twoKeys: whole(1),
  entropyFloor: whole(1),
};

export const calls = Object.fromEntries([
  ...Object.entries(coreCalls),
  ...Object.entries(theoryCalls).map(([name, traits]) => [`theory.${name}`, traits]),
]) as Record<CallName, { takes: number; way: "steps" | "whole" | "points" }>;

/** As in the core's error messages: theory's calls go by their own names. */
export const spoken = (call: CallName): string => call.replace("theory.", "");

type Call = (...args: unknown[]) => unknown;

/** A task as steps of a core. */
export function stepsOf(core: Core, { call, args }: Task): Steps<unknown> {
  if (!Object.hasOwn(calls, call)) throw new SqrtdkError("ERR_OPTION", `the worker knows no call "${call}"`);
  const { way } = calls[call];
  if (way === "steps") return core.steps[call as keyof CoreSteps](args[0] as never);
  const home = (call.startsWith("theory.") ? core.theory : core) as unknown as Record<string, Call>;
  const compute = home[spoken(call)] as Call;
  const [x, options] = args;
  if (way === "points" && x instanceof Float64Array)
    return inPieces(compute as typeof core.theory.dotProductDensity, x, options as DensityOptions);
  return atOnce(() => compute(...args));
}

/** At most a second of work, also where machines are slow: a worker that answers nothing for long is given up. */
const pointsPerStep = 2 ** 15;

function* inPieces(law: Theory["dotProductDensity"], x: Float64Array, options: DensityOptions) {
  const values = new Float64Array(x.length);
  // Without points, too, the options are checked.
  for (let start = 0; start === 0 || start < x.length; start += pointsPerStep) {
    values.set(law(x.subarray(start, start + pointsPerStep), options), start);
    yield () => undefined; // nobody asks for part of it
  }
  return values;
}

// biome-ignore lint/correctness/useYield: a call of one step has nothing to show before its result
function* atOnce(work: () => unknown): Steps<unknown> {
  return work();
}
