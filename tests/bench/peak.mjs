/**
 * The fastest this machine multiplies and adds in WebAssembly registers: what the shares of peak are shares of.
 *
 * The module is assembled byte by byte below, because a loop this small is plainer so than a compiler in the way. Its
 * one function runs
 *
 *     for (; count > 0; count--) for each of 12 vectors: sum = sum * factor + addend
 *
 * and touches no memory. Twelve independent sums are enough to hide the latency of a multiply followed by an add (8
 * cycles) on machines with up to three vector units, and with the two constants still fit in 16 registers.
 * `relaxed` uses one fused instruction instead of two.
 */
const chains = 12;
const lanes = 4;

const v128 = 0x7b;
const i32 = 0x7f;
const f32 = 0x7d;

const localGet = (index) => [0x20, index];
const localSet = (index) => [0x21, index];
const simd = (opcode) => [0xfd, ...leb128(opcode)];
const f32x4Splat = simd(0x13);
const f32x4ExtractLane0 = [...simd(0x1f), 0];
const f32x4Add = simd(0xe4);
const f32x4Mul = simd(0xe6);
const f32x4RelaxedMultiplyAdd = simd(0x105);

function leb128(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >> 7)];
}
const sized = (bytes) => [...leb128(bytes.length), ...bytes];
const list = (items) => [...leb128(items.length), ...items.flat()];
const section = (id, items) => [id, ...sized(list(items))];

/** The bytes of a module that exports run(count: i32, factor: f32, addend: f32) -> f32. */
function assemble(relaxed) {
  // Locals: the three arguments, then both constants as vectors, then the sums.
  const [count, factorArgument, addendArgument, factor, addend, firstSum] = [0, 1, 2, 3, 4, 5];
  const sums = Array.from({ length: chains }, (_, i) => firstSum + i);
  const multiplyAdd = relaxed
    ? [...localGet(factor), ...localGet(addend), ...f32x4RelaxedMultiplyAdd]
    : [...localGet(factor), ...f32x4Mul, ...localGet(addend), ...f32x4Add];
  const body = [
    ...list([[2 + chains, v128]]),
    ...[...localGet(factorArgument), ...f32x4Splat, ...localSet(factor)],
    ...[...localGet(addendArgument), ...f32x4Splat, ...localSet(addend)],
    ...[0x03, 0x40], // loop
    ...sums.flatMap((sum) => [...localGet(sum), ...multiplyAdd, ...localSet(sum)]),
    ...[...localGet(count), 0x41, 1, 0x6b, 0x22, count], // count - 1, kept and left on the stack
    ...[0x0d, 0, 0x0b], // again if not zero; end of loop
    // The result depends on every sum, so that none can be dropped.
    ...sums.flatMap((sum, i) => [...localGet(sum), ...(i > 0 ? f32x4Add : [])]),
    ...f32x4ExtractLane0,
    0x0b,
  ];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [[0x60, ...list([[i32], [f32], [f32]]), ...list([[f32]])]]),
    ...section(3, [[0]]),
    ...section(7, [[...sized([...new TextEncoder().encode("run")]), 0, 0]]),
    ...section(10, [sized(body)]),
  ]);
}

/** Whether this engine runs relaxed SIMD as it was started. */
export const hasRelaxedSimd = () => WebAssembly.validate(assemble(true));

/** A contender (see contest.mjs) for one variant. */
export function peakContender(variant) {
  const { run } = new WebAssembly.Instance(new WebAssembly.Module(assemble(variant === "relaxed"))).exports;
  const count = 10_000;
  const [factor, addend] = [0.5, 1];
  return {
    name: `peak ${variant}`,
    floatingPointOperations: count * chains * lanes * 2,
    run: () => run(count, factor, addend),
    // Every sum tends to addend / (1 - factor).
    verify: () =>
      run(count, factor, addend) === (chains * addend) / (1 - factor) ? null : "the loop computes nonsense",
  };
}
