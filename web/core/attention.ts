/** Scaled dot-product attention and its gradients. */
import { ByteInput, FloatInput, FloatOutput } from "./arrays.ts";
import {
  engineFields,
  type ReadAttention,
  readAttention,
  type Sizes,
  setMaskStrides,
} from "./attention-options.ts";
import { typedArrayName } from "./checks.ts";
import { SqrtdkError } from "./errors.ts";
import { type Heap, Scratch, type Slot } from "./heap.ts";
import type { AttentionGradients, AttentionOptions, AttentionResult, FloatData } from "./types.ts";

/** What the arrays hold, as products of sizes; the order of the factors depends on the layout, their number does not. */
const extents = {
  query: ["batch", "heads", "queryLength", "headDim"],
  key: ["batch", "kvHeads", "keyLength", "headDim"],
  value: ["batch", "kvHeads", "keyLength", "valueDim"],
  output: ["batch", "heads", "queryLength", "valueDim"],
  gradOutput: ["batch", "heads", "queryLength", "valueDim"],
  logSumExp: ["batch", "heads", "queryLength"],
  weights: ["batch", "heads", "queryLength", "keyLength"],
} as const satisfies Record<string, readonly (keyof Sizes)[]>;
type ArrayName = keyof typeof extents;

const extent = (sizes: Sizes, name: ArrayName) =>
  (extents[name] as readonly (keyof Sizes)[]).reduce((product, size) => product * sizes[size], 1);

/** The arguments of one call: each the length its shape says. */
class Arguments {
  readonly slots: Slot[] = [];
  readonly read: ReadAttention;
  readonly #heap: Heap;
  readonly #call: string;

  constructor(heap: Heap, call: string, read: ReadAttention) {
    this.#heap = heap;
    this.#call = call;
    this.read = read;
  }

  add<S extends Slot>(slot: S): S {
    this.slots.push(slot);
    return slot;
  }

  input(name: ArrayName, value: FloatData): FloatInput {
    const input = new FloatInput(this.#heap, this.#call, name, value);
    const expected = extent(this.read.sizes, name);
    if (input.length !== expected) {
      const factors = extents[name];
      const numbers = factors.map((factor) => this.read.sizes[factor]);
      throw new SqrtdkError(
        "ERR_SHAPE",
        `${this.#call}: ${name} must hold ${factors.join(" * ")} = ${numbers.join(" * ")} = ${expected} values, ` +
          `got ${input.length}`,
      );
    }
    return this.add(input);
  }

  output(name: ArrayName, out?: unknown): FloatOutput {
    return this.add(new FloatOutput(this.#heap, this.#call, extent(this.read.sizes, name), out));
  }

  /** A Uint8Array says which keys are attended to; float32 values are added to the scores. */
  mask(): Slot | undefined {
    const { attnMask } = this.read;
    if (attnMask === undefined) return undefined;
    const mask =
      typedArrayName(attnMask) === "Uint8Array"
        ? new ByteInput(this.#heap, this.#call, "attnMask", attnMask as Uint8Array)
        : new FloatInput(
            this.#heap,
            this.#call,
            "attnMask",
            attnMask,
            "a Uint8Array, a Float32Array or a buffer",
          );
    setMaskStrides(this.#call, this.read, mask.length);
    return this.add(mask);
  }

  /** Where the engine's struct is while nothing else has a place yet: enough to say how much scratch is needed. */
  sizesOnly(): number {
    return this.#heap.parameters(this.#call, engineFields(this.read.engineCall));
  }

  /** Where the engine's struct is, once every slot has its address. */
  place(query: Slot, key: Slot, value: Slot, mask: Slot | undefined) {
    const { engineCall } = this.read;
    engineCall.query = query.address;
    engineCall.key = key.address;
    engineCall.value = value.address;
    if (mask) engineCall[mask instanceof ByteInput ? "mask" : "bias"] = mask.address;
    return this.#heap.parameters(this.#call, engineFields(engineCall));
  }
}

export function attention(
  heap: Heap,
  query: FloatData,
  key: FloatData,
  value: FloatData,
  options: AttentionOptions,
): AttentionResult {
  const call = "scaledDotProductAttention";
  const { engine } = heap;
  const read = readAttention(call, options, "forward");
  const a = new Arguments(heap, call, read);
  const [q, k, v] = [a.input("query", query), a.input("key", key), a.input("value", value)];
  const mask = a.mask();
  const output = a.output("output", read.out);
  if (read.out !== undefined && [query, key, value, read.attnMask].includes(read.out))
    throw new SqrtdkError("ERR_OPTION", `${call}: out must not be one of the inputs`);
  const logSumExp = a.output("logSumExp");
  const weights = read.weights === 0 ? undefined : a.output("weights");
  const scratch = a.add(new Scratch(4 * engine.attentionForwardScratchFloats(a.sizesOnly())));
  heap.run(call, a.slots, () => {
    const weightsAddress = weights?.address ?? 0;
    const problem = a.place(q, k, v, mask);
    engine.attentionForward(
      problem,
      output.address,
      logSumExp.address,
      read.weights,
      weightsAddress,
      scratch.address,
    );
  });
  const result: AttentionResult = { output: output.values, logSumExp: logSumExp.values };
  if (weights) result.weights = weights.values;
  return result;
}

export function attentionBackward(
  heap: Heap,
  gradOutput: FloatData,
  query: FloatData,
  key: FloatData,
  value: FloatData,
  output: FloatData,
  logSumExp: FloatData,
  options: AttentionOptions,
): AttentionGradients {
  const call = "scaledDotProductAttentionBackward";
  const { engine } = heap;
  const read = readAttention(call, options, "backward");
  const a = new Arguments(heap, call, read);
  const upstream = a.input("gradOutput", gradOutput);
  const [q, k, v] = [a.input("query", query), a.input("key", key), a.input("value", value)];
  const [o, l] = [a.input("output", output), a.input("logSumExp", logSumExp)];
  const mask = a.mask();
  const [gradQuery, gradKey, gradValue] = [a.output("query"), a.output("key"), a.output("value")];
  const scratch = a.add(new Scratch(4 * engine.attentionBackwardScratchFloats(a.sizesOnly())));
  heap.run(call, a.slots, () =>
    engine.attentionBackward(
      a.place(q, k, v, mask),
      upstream.address,
      o.address,
      l.address,
      gradQuery.address,
      gradKey.address,
      gradValue.address,
      scratch.address,
    ),
  );
  return { gradQuery: gradQuery.values, gradKey: gradKey.values, gradValue: gradValue.values };
}
