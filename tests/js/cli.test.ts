/** The command `sqrtdk` as it is installed: a process of its own, judged by what it prints and how it ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "sqrtdk";
import { version } from "../../web/core/version.ts";

const bin = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqrtdk-cli-"));
});
after(() => rm(folder, { recursive: true, force: true }));
const file = (name: string) => join(folder, name);

interface Ended {
  status: number | null;
  out: string;
  err: string;
}

function start(...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const ended: Ended = { status: null, out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    ended.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    ended.err += text;
  });
  const end = new Promise<Ended>((resolve) => {
    child.on("close", (status) => resolve({ ...ended, status }));
  });
  return { child, end };
}
const run = (...args: string[]) => start(...args).end;

async function printed(...args: string[]): Promise<string> {
  const { status, out, err } = await run(...args);
  assert.equal(err, "");
  assert.equal(status, 0);
  return out;
}

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

test("a sweep holds the numbers of the package's own call, to the last bit", async () => {
  const core = await load();
  const variance = "sweep variance --dimensions 1,3..5,2^5..2^6 --samples 3e3 --seed 7 --correlation -0.01";
  const rows = core.varianceSweep({
    dimensions: [1, 3, 4, 5, 32, 64],
    samples: 3000,
    seed: 7,
    correlation: -0.01,
  });
  const document = JSON.parse(await printed(...variance.split(" "), "--format", "json"));
  assert.equal(document.sqrtdk, version);
  assert.deepEqual(document.rows, plain(rows));
  const [header, ...lines] = (await printed(...variance.split(" "))).trimEnd().split("\n");
  assert.equal(header, "dimension,variance,standardError,exact,samples");
  assert.deepEqual(
    lines.map((line) => line.split(",").map(Number)),
    rows.map((row) => [row.dimension, row.variance, row.standardError, row.exact, row.samples]),
  );
});

test("rules and quantiles of a gradient sweep have their names in the table", async () => {
  const core = await load();
  const scale = [
    0.25,
    { rule: "temperature", temperature: 2 },
    { rule: "softcap", softcap: 9, scale: "none" },
  ];
  const typed = "0.25,temperature:2,softcap:9:none";
  const rows = core.gradientSweep({
    dimensions: [16],
    keys: 5,
    trials: 40,
    seed: 1,
    scale: scale as never,
    quantiles: [0.25],
  });
  const out = await printed(
    ...`sweep gradient --dimensions 16 --keys 5 --trials 40 --quantiles .25 --scale ${typed}`.split(" "),
  );
  const [header = [], ...lines] = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
  const column = (name: string) => {
    assert.ok(header.includes(name), name);
    return lines.map((cells) => cells[header.indexOf(name)]);
  };
  assert.deepEqual(column("scale"), typed.split(","));
  const values = (pick: (row: (typeof rows)[number]) => number | undefined) => rows.map(pick).map(String);
  assert.deepEqual(
    column("entropy.q0.25.value"),
    values((row) => row.entropy.quantiles[0]?.value),
  );
  assert.deepEqual(
    column("gradKeyNorm.standardError"),
    values((row) => row.gradKeyNorm.standardError),
  );
  // Of a softcap no theory is known: its cells are empty, and there is no column for what is missing.
  assert.equal(column("theory.entropy")[2], "");
  assert.equal(column("theory.entropy")[0], String(rows[0]?.theory?.entropy));
  assert.ok(!header.includes("theory"));
  assert.ok(lines.every((cells) => cells.length === header.length));
});

test("shards put together are byte for byte the whole, however many there are", async () => {
  const sweep = "sweep gradient --dimensions 1..5 --keys 3 --trials 1 --seed 9".split(" ");
  const whole = { csv: await printed(...sweep), json: await printed(...sweep, "--format", "json") };
  // A single trial has no errors: what is no number has to survive the files too. The last of seven shards is empty.
  for (const count of [1, 2, 7]) {
    const names = Array.from({ length: count }, (_, i) => file(`${count}-${i + 1}.json`));
    for (const [i, name] of names.entries())
      assert.equal(await printed(...sweep, "--shard", `${i + 1}/${count}`, "--out", name), "");
    names.reverse();
    assert.equal(await printed("merge", ...names), whole.csv);
    assert.equal(await printed("merge", "--format", "json", ...names), whole.json);
  }
});

test("a merge of what does not belong together is refused, and says why", async () => {
  const part = async (name: string, ...more: string[]) => {
    await printed(
      "sweep",
      "variance",
      "--dimensions",
      "1..3",
      "--samples",
      "9",
      ...more,
      "--out",
      file(name),
    );
    return file(name);
  };
  const one = await part("one", "--shard", "1/2");
  const twin = await part("twin", "--shard", "1/2");
  const two = await part("two", "--shard", "2/2");
  const seeded = await part("seeded", "--shard", "2/2", "--seed", "2");
  const third = await part("third", "--shard", "2/3");
  const whole = await part("whole", "--format", "json");
  const cut = file("cut");
  await writeFile(cut, (await readFile(one, "utf8")).slice(0, -20));
  const short = file("short");
  await writeFile(
    short,
    (await readFile(one, "utf8")).replace(/\{"dimension":3.*\n/, "").replace("},\n]", "}\n]"),
  );
  const old = file("old");
  await writeFile(old, (await readFile(one, "utf8")).replace(`"sqrtdk":"${version}"`, '"sqrtdk":"0.0.1"'));
  const reasons: [string[], RegExp][] = [
    [[one], /missing: shard 2\/2/],
    [[one, twin, two], /twin is shard 1\/2, and so is .*one/],
    [[one, seeded], /seeded has other options than/],
    [[one, third], /third is one of 3 shards, .*one one of 2/],
    [[whole], /whole was not written by sqrtdk sweep with --shard/],
    [[cut, two], /cut is not JSON, or was cut off/],
    [[short, two], /short does not hold the rows that its options promise/],
    [[old, two], /old was written by sqrtdk 0\.0\.1/],
    [[file("nowhere")], /ENOENT/],
  ];
  for (const [files, reason] of reasons) {
    const { status, out, err } = await run("merge", ...files);
    assert.match(err, reason);
    assert.equal(err.trimEnd().split("\n").length, 1);
    assert.equal(out, "");
    assert.equal(status, 1);
  }
});

test("what cannot be understood ends with status 2 and one line that says what to do", async () => {
  const cases: [string, RegExp][] = [
    ["", /which command\?/],
    ["swep", /there is no command "swep"; did you mean sweep\?/],
    ["sweep", /sweep must be one of variance, gradient/],
    ["sweep gradiant", /did you mean gradient\?/],
    ["sweep variance --sampels 9", /no option --sampels; did you mean --samples\?/],
    ["sweep variance --samples", /--samples/],
    ["sweep variance --samples ten", /--samples must be a number, got "ten"/],
    ["sweep variance --samples 0", /samples must be an integer from 1/],
    ["sweep variance --dimensions 5..1", /ranges like/],
    ["sweep variance --dimensions 1,,2", /--dimensions must be a number, got ""/],
    ["sweep variance --dimensions 1..1e9", /ranges like/],
    ["sweep variance --components gauss", /components must be one of/],
    ["sweep gradient --scale softcap", /softcap:C/],
    ["sweep gradient --scale temperature:-1", /temperature/],
    ["sweep variance --shard 3/2", /--shard must be I\/N/],
    ["sweep variance --shard 1/2 --format csv", /a shard is JSON/],
    ["sweep variance --workers 0", /--workers must be a whole number from 1 to 64/],
    ["sweep variance stray", /"stray" belongs to no option/],
    ["merge", /needs the files/],
    ["figure varience", /did you mean variance\?/],
    ["figure softmax --scores 1", /--scores = .* is not 2 to 16 numbers/],
    ["figure softmax --width 9", /--width must be a whole number from 640/],
    ["figure softmax --theme sepia", /--theme must be one of light, dark/],
  ];
  for (const [line, reason] of cases) {
    const { status, out, err } = await run(...line.split(" ").filter(Boolean));
    assert.match(err, reason, line);
    assert.match(err, /^sqrtdk: [^\n]+\n$/, line);
    assert.equal(out, "");
    assert.equal(status, 2, line);
  }
});

test("every command has its help", async () => {
  assert.equal(await printed("--version"), `${version}\n`);
  assert.match(await printed("info"), new RegExp(`^sqrtdk +${version}\nengine +simd\n`));
  for (const [line, wanted] of [
    ["--help", /sqrtdk COMMAND/],
    ["sweep --help", /gradient/],
    ["sweep variance --help", /--degrees-of-freedom NU/],
    ["sweep gradient --help", /qk-norm\[:GAIN\]/],
    ["merge --help", /FILE\.\.\./],
    ["figure --help", /random-walk/],
    ["figure softmax --help", /--scores X,X/],
    ["info --help", /sqrtdk info/],
  ] as const) {
    const out = await printed(...line.split(" "));
    assert.match(out, wanted);
    assert.ok(
      out.split("\n").every((text) => text.length <= 100),
      line,
    );
  }
});

test("progress is told where it was asked for, and nowhere else", async () => {
  const sweep = "sweep variance --dimensions 64,512 --samples 100000".split(" ");
  const { status, out, err } = await run(...sweep, "--progress");
  assert.equal(status, 0);
  assert.match(err, /^(sweep variance: \d+ %\n)+$/);
  assert.equal(out, await printed(...sweep));
});

test("a reader that has seen enough ends the command quietly", async () => {
  // 4000 rows are more than a pipe holds.
  const { child, end } = start(..."sweep variance --dimensions 1..4000 --samples 1".split(" "));
  child.stdout.once("data", () => child.stdout.destroy());
  const { status, err } = await end;
  assert.equal(err, "");
  assert.equal(status, 0);
});

test("what cannot be written is a failure, and told in one line", async () => {
  const { status, err } = await run(
    "sweep",
    "variance",
    "--samples",
    "9",
    "--out",
    join(folder, "no", "where"),
  );
  assert.match(err, /^sqrtdk: ENOENT[^\n]+\n$/);
  assert.equal(status, 1);
  if (!existsSync("/dev/full")) return;
  const child = spawn(process.execPath, [bin, "--help"], {
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
  });
  let said = "";
  child.stderr?.on("data", (text) => {
    said += text;
  });
  assert.equal(await new Promise((resolve) => child.on("close", resolve)), 1);
  assert.match(said, /^sqrtdk: ENOSPC[^\n]+\n$/);
});

test("an interruption ends a sweep at once, with status 130 and no output", async () => {
  const { child, end } = start(..."sweep variance --dimensions 4096 --samples 4e9 --progress".split(" "));
  // It computes once the first progress is told; "0 %" comes with it.
  child.stderr.once("data", () => child.kill("SIGINT"));
  const { status, out, err } = await end;
  assert.equal(status, 130);
  assert.equal(out, "");
  assert.doesNotMatch(err, /abort/i);
});
