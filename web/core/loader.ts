/** load() and compile(), wherever the bytes come from. */
import { cut, oneOf, readOptions, reject } from "./checks.ts";
import { createCore } from "./core.ts";
import { compile, instantiate, refuseOtherThanWasm, supports, unavailable, type Variant } from "./engine.ts";
import { SqrtdkError } from "./errors.ts";
import type { CompiledCore, Core, LoadOptions } from "./types.ts";

/** Where an entry of the package finds its WebAssembly. */
export interface Source {
  /** What "auto" tries, best first. */
  readonly automatic: readonly Variant[];
  bytes(variant: Variant): Promise<BufferSource>;
}

export interface Loader {
  load(options?: LoadOptions): Promise<Core>;
  compile(options?: LoadOptions): Promise<CompiledCore>;
}

const loadOptions = ["variant", "wasmBinary", "wasmModule", "wasmUrl"] as const;

/** The bytes at a URL: by fetch, or from the file system where fetch reads no files (Node). */
async function read(url: URL): Promise<BufferSource> {
  try {
    if (url.protocol === "file:" && typeof process === "object" && process.versions?.node) {
      if (!process.getBuiltinModule) throw new Error("reading files needs Node.js 20.16, 22.3 or newer");
      return new Uint8Array(await process.getBuiltinModule("node:fs/promises").readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    return await response.arrayBuffer();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(`${cut(url.href, 300)} could not be read: ${cut(why, 300)}`, cause);
  }
}

async function bytesAt(url: URL): Promise<BufferSource> {
  const bytes = await read(url);
  refuseOtherThanWasm(bytes, cut(url.href, 300));
  return bytes;
}

const viteCache = /\/node_modules\/\.vite\/deps\w*\/(?=[^/]+$)/;

/**
 * The bytes of one of the package's own files. Vite's development server moves this module into its cache and the file
 * not with it: that is still where packages are. Other addresses stay as they are: those that Next makes have no host.
 */
export const packagedBytes = (url: URL): Promise<BufferSource> =>
  bytesAt(
    viteCache.test(url.href) ? new URL(url.href.replace(viteCache, "/node_modules/sqrtdk/dist/")) : url,
  );

function toUrl(value: unknown): URL {
  try {
    return new URL(String(value), globalThis.location?.href);
  } catch {
    return reject("ERR_TYPE", "load", "wasmUrl", "a URL, absolute where there is no page", value);
  }
}

/** False also where looking throws, as it does with proxies that were revoked. */
function holds(looks: () => boolean): boolean {
  try {
    return looks();
  } catch {
    return false;
  }
}
const isModule = (value: unknown): value is WebAssembly.Module =>
  holds(() => value instanceof WebAssembly.Module);
const isBytes = (value: unknown): value is BufferSource =>
  ArrayBuffer.isView(value) || holds(() => Object.prototype.toString.call(value) === "[object ArrayBuffer]");

/** What to run: one of our variants, or what the caller brings. Its identity is what is remembered. */
type Wanted = Variant | WebAssembly.Module | BufferSource | URL;

function readLoadOptions(source: Source, options: unknown): Wanted[] {
  const o = readOptions("load", options, loadOptions);
  const variant = oneOf("load", "variant", o.variant ?? "auto", ["auto", "simd", "relaxed"]);
  const brought = loadOptions.slice(1).filter((name) => o[name] !== undefined);
  if (brought.length > 1)
    throw new SqrtdkError("ERR_OPTION", `load: give one of ${brought.join(", ")}, not several`);
  if (brought.length > 0 && variant !== "auto")
    throw new SqrtdkError(
      "ERR_OPTION",
      `load: variant "${variant}" is one of the package's own builds; give that or ${brought[0]}, not both`,
    );
  if (typeof WebAssembly !== "object") throw unavailable("this runtime has no WebAssembly");
  if (!supports("simd")) throw unavailable("this runtime's WebAssembly has no SIMD");
  if (o.wasmModule !== undefined) {
    if (!isModule(o.wasmModule))
      reject("ERR_TYPE", "load", "wasmModule", "a WebAssembly.Module", o.wasmModule);
    return [o.wasmModule];
  }
  if (o.wasmBinary !== undefined) {
    if (!isBytes(o.wasmBinary))
      reject("ERR_TYPE", "load", "wasmBinary", "an ArrayBuffer or a view", o.wasmBinary);
    return [o.wasmBinary];
  }
  if (o.wasmUrl !== undefined) return [toUrl(o.wasmUrl)];
  if (variant === "auto") return source.automatic.filter(supports);
  if (!supports(variant))
    throw unavailable(`this runtime does not know the instructions of variant "${variant}"`);
  return [variant];
}

async function compileWanted(source: Source, wanted: Wanted): Promise<WebAssembly.Module> {
  if (isModule(wanted)) return wanted;
  if (typeof wanted === "string") return compile(await source.bytes(wanted));
  if (!isBytes(wanted)) return compile(await bytesAt(wanted));
  refuseOtherThanWasm(wanted, "wasmBinary");
  return compile(wanted);
}

interface Loaded {
  module: WebAssembly.Module;
  core: Core;
}

/** What a Map and a WeakMap have in common. */
interface Memory<Key> {
  get(key: Key): Promise<Loaded> | undefined;
  set(key: Key, loaded: Promise<Loaded>): unknown;
  delete(key: Key): boolean;
}

export function createLoader(source: Source): Loader {
  const byName = new Map<string, Promise<Loaded>>();
  // Who drops the bytes or the module drops the core, and up to 4 GB of memory with it.
  const byIdentity = new WeakMap<object, Promise<Loaded>>();

  async function start(wanted: Wanted): Promise<Loaded> {
    const module = await compileWanted(source, wanted);
    return { module, core: createCore(await instantiate(module)) };
  }

  function rememberIn<Key>(memory: Memory<Key>, key: Key, wanted: Wanted): Promise<Loaded> {
    let loaded = memory.get(key);
    if (!loaded) {
      loaded = start(wanted);
      memory.set(key, loaded);
      loaded.catch(() => memory.delete(key));
    }
    return loaded;
  }

  /** The same promise for the same request, unless it failed. */
  function remember(wanted: Wanted): Promise<Loaded> {
    if (wanted instanceof URL) return rememberIn(byName, wanted.href, wanted);
    return typeof wanted === "string"
      ? rememberIn(byName, wanted, wanted)
      : rememberIn(byIdentity, wanted, wanted);
  }

  /** The first candidate that starts and computes known values right. */
  async function first(options: unknown): Promise<Loaded> {
    const candidates = readLoadOptions(source, options);
    for (const wanted of candidates.slice(0, -1)) {
      try {
        return await remember(wanted);
      } catch (error) {
        if (!(error instanceof SqrtdkError)) throw error;
      }
    }
    return remember(candidates.at(-1) as Wanted);
  }

  return {
    load: async (options) => (await first(options)).core,
    async compile(options) {
      const { module, core } = await first(options);
      return { module, variant: core.info().variant };
    },
  };
}
