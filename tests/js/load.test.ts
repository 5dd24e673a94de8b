/** load(): memoised, retried after a failure, from any source of bytes, in any runtime. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compile, load, SqrtdkError } from "sqrtdk";
import * as external from "sqrtdk/external";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
/** What a module prints that runs in a process of its own. */
const child = async (code: string, ...flags: string[]) =>
  (
    await run(process.execPath, [...flags, "--input-type=module", "--eval", code], { cwd: root })
  ).stdout.trim();

const wasmUrl = import.meta.resolve("sqrtdk/sqrtdk.wasm");
const wasmBinary = await readFile(new URL(wasmUrl));

test("the same request gives the same core, another one another", async () => {
  const core = await load();
  assert.equal(await load({}), core);
  assert.equal(await load({ variant: "simd" }), core);
  assert.equal(await load({ wasmBinary }), await load({ wasmBinary }));
  assert.notEqual(await load({ wasmBinary }), core);
});

test("bytes, a compiled module and a URL all work, and compute the same", async () => {
  const { module, variant } = await compile();
  assert.equal(variant, "simd");
  const x = Float32Array.of(1, 2, 3);
  const expected = (await load()).softmax(x);
  for (const options of [{ wasmBinary }, { wasmModule: module }, { wasmUrl }, { wasmUrl: new URL(wasmUrl) }])
    assert.deepEqual((await load(options)).softmax(x), expected);
  assert.deepEqual((await external.load()).softmax(x), expected);
});

test("info() says which version and variant runs", async () => {
  const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  const info = (await load()).info();
  assert.equal(info.version, version);
  assert.equal(info.variant, "simd");
  assert.ok(info.memoryBytes > 0 && info.memoryBytes < 4 * 2 ** 20);
});

test("a failed load says why, and can be tried again", async () => {
  const missing = new URL("missing.wasm", wasmUrl);
  for (let i = 0; i < 2; i++)
    await assert.rejects(load({ wasmUrl: missing }), {
      code: "ERR_WASM_UNAVAILABLE",
      message: /missing\.wasm/,
    });
  await assert.rejects(load({ wasmBinary: new Uint8Array(8) }), { code: "ERR_WASM_UNAVAILABLE" });
  const url = "http://127.0.0.1:1/x.wasm";
  const { fetch } = globalThis;
  try {
    globalThis.fetch = async () => new Response("", { status: 404 });
    await assert.rejects(load({ wasmUrl: url }), { code: "ERR_WASM_UNAVAILABLE", message: /404/ });
    globalThis.fetch = async () => new Response(wasmBinary);
    assert.equal((await load({ wasmUrl: url })).info().variant, "simd");
  } finally {
    globalThis.fetch = fetch;
  }
});

test("a .wasm file that is a page of HTML, text or nothing is called so", async () => {
  const answer = (body: string) => new Response(body, { headers: { "content-type": "application/wasm" } });
  const { fetch } = globalThis;
  const wasmUrl = "http://127.0.0.1:1/assets/sqrtdk.wasm";
  try {
    for (const body of ["<!doctype html><title>Not found</title>", "\n  <html>"]) {
      globalThis.fetch = async () => answer(body);
      await assert.rejects(load({ wasmUrl }), {
        code: "ERR_WASM_UNAVAILABLE",
        message:
          `load: ${wasmUrl} is a page of HTML, not WebAssembly: servers and bundlers answer so for a file that they do not ` +
          "have; serve the package's sqrtdk.wasm, and give its wasmUrl",
      });
    }
    globalThis.fetch = async () => answer("version https://git-lfs");
    await assert.rejects(load({ wasmUrl }), { message: /is not WebAssembly: it begins with 76 65 72 73;/ });
    globalThis.fetch = async () => answer("");
    await assert.rejects(load({ wasmUrl }), { message: /sqrtdk\.wasm is empty/ });
    globalThis.fetch = () => Promise.reject(new TypeError("fetch failed"));
    await assert.rejects(load({ wasmUrl }), {
      code: "ERR_WASM_UNAVAILABLE",
      message: `load: ${wasmUrl} could not be read: fetch failed`,
    });
  } finally {
    globalThis.fetch = fetch;
  }
  const wasmBinary = new TextEncoder().encode("<html>");
  await assert.rejects(load({ wasmBinary }), { message: /^load: wasmBinary is a page of HTML/ });
  structuredClone(wasmBinary, { transfer: [wasmBinary.buffer] });
  await assert.rejects(load({ wasmBinary }), { message: /^load: wasmBinary is empty: .* transferred/ });
});

test("Vite's development server: the file is asked for where packages are", async () => {
  const asked: string[] = [];
  const { fetch } = globalThis;
  try {
    globalThis.fetch = async (url) => {
      asked.push(String(url));
      return new Response(wasmBinary);
    };
    const { packagedBytes } = await import("../../web/core/loader.ts");
    await packagedBytes(new URL("http://127.0.0.1:1/node_modules/.vite/deps/sqrtdk.wasm"));
    await packagedBytes(new URL("http://127.0.0.1:1/assets/sqrtdk.wasm"));
  } finally {
    globalThis.fetch = fetch;
  }
  assert.deepEqual(asked, [
    "http://127.0.0.1:1/node_modules/sqrtdk/dist/sqrtdk.wasm",
    "http://127.0.0.1:1/assets/sqrtdk.wasm",
  ]);
});

test("a module that is not this engine is refused", async () => {
  const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  await assert.rejects(load({ wasmModule: empty }), (error) => error instanceof SqrtdkError);
});

test("an engine that computes wrong values is refused", async () => {
  // A constant of the generator, as the code holds it: with another one everything is random still, but wrong.
  const wrong = Uint8Array.from(wasmBinary);
  const constant = [0xb9, 0xcb, 0x93, 0xe7, 0xd1, 0xed, 0x91, 0xac, 0xbf, 0x7f]; // 0xbf58476d1ce4e5b9, signed LEB128
  let changed = 0;
  for (let i = 0; i + constant.length <= wrong.length; i++) {
    if (!constant.every((byte, j) => wrong[i + j] === byte)) continue;
    wrong[i] = 0xbb;
    changed++;
  }
  assert.ok(changed > 0);
  await assert.rejects(load({ wasmBinary: wrong }), { code: "ERR_SELF_TEST" });
});

test("wrong options are refused by name", async () => {
  // biome-ignore lint/suspicious/noExplicitAny: the point is to pass what the types forbid
  const loose = load as any;
  await assert.rejects(loose({ varient: "simd" }), { code: "ERR_OPTION", message: /did you mean "variant"/ });
  await assert.rejects(loose({ variant: "fast" }), {
    code: "ERR_RANGE",
    message: /"auto", "simd", "relaxed"/,
  });
  await assert.rejects(loose({ wasmModule: {} }), { code: "ERR_TYPE", message: /wasmModule/ });
  await assert.rejects(loose({ wasmBinary: "AGFz" }), { code: "ERR_TYPE", message: /wasmBinary/ });
  await assert.rejects(loose({ wasmUrl: "no url" }), { code: "ERR_TYPE", message: /wasmUrl/ });
  await assert.rejects(loose({ wasmUrl, wasmBinary }), { code: "ERR_OPTION", message: /not several/ });
  for (const brought of [{ wasmUrl }, { wasmBinary }, { wasmModule: (await compile()).module }]) {
    const [name] = Object.keys(brought);
    const message = `load: variant "relaxed" is one of the package's own builds; give that or ${name}, not both`;
    await assert.rejects(loose({ ...brought, variant: "relaxed" }), { code: "ERR_OPTION", message });
    assert.ok(await loose({ ...brought, variant: "auto" }));
  }
});

test("a core goes with the bytes it came from", async () => {
  const code = `import { load } from "sqrtdk"; import { readFile } from "node:fs/promises";
    const bytes = await readFile(new URL(import.meta.resolve("sqrtdk/sqrtdk.wasm")));
    const cores = [];
    for (let i = 0; i < 4; i++) cores.push(new WeakRef(await load({ wasmBinary: Uint8Array.from(bytes) })));
    for (let i = 0; i < 20; i++) { await new Promise((resolve) => setTimeout(resolve, 10)); gc(); }
    console.log(cores.some((core) => core.deref() === undefined));`;
  assert.equal(await child(code, "--expose-gc"), "true");
});

test("a Node.js that cannot hand out its file system says so", async () => {
  const code = `process.getBuiltinModule = undefined;
    import("sqrtdk/external").then((m) => m.load()).catch((e) => console.log(e.code, e.message));`;
  assert.match(await child(code), /^ERR_WASM_UNAVAILABLE .*\.wasm could not be read: .*Node\.js 20\.16/);
});

test("without WebAssembly, or without SIMD, the error says so", async () => {
  const report = 'import("sqrtdk").then(m => m.load()).catch(e => console.log(e.code, e.message))';
  assert.match(
    await child(`delete globalThis.WebAssembly; ${report}`),
    /^ERR_WASM_UNAVAILABLE .*no WebAssembly/,
  );
  assert.match(
    await child(`WebAssembly.validate = () => false; ${report}`),
    /^ERR_WASM_UNAVAILABLE .*no SIMD/,
  );
});

test("no code is made from strings", async () => {
  const code = `import { load } from "sqrtdk"; const core = await load();
    console.log(core.softmax(Float32Array.of(0, 0))[0], core.theory.twoKeys({ differenceStd: 0 }).product)`;
  assert.equal(await child(code, "--disallow-code-generation-from-strings"), "0.5 0.25");
});

test("importing does nothing", async () => {
  const code = `const before = Object.keys(globalThis).length; WebAssembly.compile = WebAssembly.instantiate = () => { throw 1 };
    await import("sqrtdk"); await import("sqrtdk/worker"); await import("sqrtdk/external");
    console.log(Object.keys(globalThis).length - before)`;
  assert.equal(await child(code), "0");
});
