/** What goes to another thread: arguments as copies of plain data, arrays of results without a copy. */
import {
  describe,
  isDetached,
  isList,
  isOptions,
  lengthOf,
  readItems,
  typedArrayName,
} from "../core/checks.ts";
import { SqrtdkError } from "../core/errors.ts";
import { allocated } from "../core/heap.ts";

/** Options of options: a shape, a range, a mask. Deeper there is nothing that any call knows. */
const maximumDepth = 3;

type Copy = (value: unknown, depth: number) => unknown;
type TypedArray = Float64Array;

/** Buffers of any core; no proxy is one, and one that was revoked cannot even be asked. */
function isBuffer(value: object): value is { view: TypedArray } {
  try {
    return Object.prototype.toString.call(value) === "[object CoreBuffer]";
  } catch {
    return false;
  }
}

/** Every property read once, getters of a class included, as the core itself reads options. */
function plainOptions(options: object, copy: (value: unknown, name: string) => unknown): object {
  const plain: Record<string, unknown> = Object.create(null); // in which "__proto__" is a name like any other
  for (let owner = options; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (owner !== options && Object.getPrototypeOf(owner) === null) break; // what all objects have is no option
    for (const name of Object.getOwnPropertyNames(owner)) {
      const { enumerable, get } = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
      if (Object.hasOwn(plain, name) || !(enumerable || (get && owner !== options))) continue;
      const value = (options as Record<string, unknown>)[name];
      plain[name] = copy(value, name);
    }
  }
  return plain;
}

/**
 * The arguments of a call for another thread. Memory in `transfer` is emptied, all other arrays are copied. What cannot
 * be sent is refused, or left as it is for a check by name that follows.
 */
export function sendable(
  call: string,
  args: readonly unknown[],
  transfer: readonly ArrayBuffer[] = [],
  unsendable: "refuse" | "leave" = "refuse",
): unknown[] {
  const refuse = (name: string, why: string): never => {
    throw new SqrtdkError("ERR_TYPE", `${call}: ${name} ${why}`);
  };
  const refuseOrLeave = (name: string, value: unknown): unknown =>
    unsendable === "leave" ? value : refuse(name, `cannot be sent to a worker: it is ${describe(value)}`);

  function copyArray(array: TypedArray, name: string): TypedArray {
    if (isDetached(array))
      refuse(name, `must not be an array whose memory was transferred or shrank, got ${describe(array)}`);
    if (transfer.includes(array.buffer as ArrayBuffer)) return array;
    // Of the copy's own kind, also where the array is of a subclass, of another frame or of shared memory.
    const View = globalThis[typedArrayName(array) as "Float64Array"];
    return allocated(call, array.BYTES_PER_ELEMENT * lengthOf(array), () => new View(array));
  }

  const copyOf =
    (name: string): Copy =>
    (value, depth) => {
      if (typeof value === "function" || typeof value === "symbol") return refuseOrLeave(name, value);
      if (typeof value !== "object" || value === null) return value;
      if (typedArrayName(value)) return copyArray(value as TypedArray, name);
      if (isBuffer(value)) return copyArray(value.view, name);
      if (depth > 0 && isList(value)) return readItems(value, (item) => copyOf(name)(item, depth - 1));
      if (depth === 0 || !isOptions(value)) return refuseOrLeave(name, value);
      return plainOptions(value, (item, option) => {
        if (option === "out" && depth === maximumDepth && unsendable === "refuse")
          throw new SqrtdkError(
            "ERR_OPTION",
            `${call}: options has no "out" in a pool: results are new arrays`,
          );
        return copyOf(option)(item, depth - 1);
      });
    };

  const copies = args.map((value, i) => copyOf(`argument ${i + 1}`)(value, maximumDepth));
  if (transfer.length === 0) return copies;
  try {
    return structuredClone(copies, { transfer: [...transfer] });
  } catch (error) {
    return refuse(
      "transfer",
      `must list ArrayBuffers that can be given away: ${(error as Error).message}`,
    ) as never;
  }
}

/** The memory of arrays somewhere in a value, of those that have one for themselves. */
export function memoryOf(value: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (typeof value !== "object" || value === null) return found;
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteLength } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && !found.includes(buffer))
      found.push(buffer);
    return found;
  }
  for (const item of Object.values(value)) memoryOf(item, found);
  return found;
}
