/** Workers that fall silent: ended by the browser without a word, or lost in work that never ends. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { compile } from "sqrtdk";
import type { Task } from "../../web/worker/calls.ts";
import { type Assignment, Crew, type Patience } from "../../web/worker/crew.ts";
import type { ToWorker } from "../../web/worker/protocol.ts";
import { type Peer, type Spawn, waysToSpawn } from "../../web/worker/spawn.ts";

const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
const patience = { turnMilliseconds: 40, turns: 5 };

// The watch keeps no process alive, nor do threads that are gone.
const alive = setInterval(() => {}, 1000);
after(() => clearInterval(alive));

/** Threads that run the first of the given scripts, then the next; that they end is not reported. */
const crewOf = (...scripts: string[]) => patientCrew(patience, undefined, ...scripts);

function patientCrew(patience: Patience, gone: Peer["gone"], ...scripts: string[]) {
  const threads: Worker[] = [];
  const said: ToWorker["type"][] = [];
  const spawn: Spawn = (listener) => {
    const script = scripts[Math.min(threads.length, scripts.length - 1)];
    const thread = new Worker(
      `const { parentPort: port } = require("node:worker_threads");
      const say = (message) => port.postMessage(message);
      port.on("message", ({ type, id }) => {
        if (type === "start") say({ type: "ready" });
        ${script}
      });`,
      { eval: true },
    );
    thread.on("message", listener.message);
    threads.push(thread);
    return {
      post(message) {
        said.push(message.type);
        thread.postMessage(message);
      },
      hold() {},
      terminate: () => void thread.terminate(),
      ...(gone && { gone }),
    };
  };
  const inPage: Spawn = () => assert.fail("the page stood in");
  const crew = new Crew(1, async () => module, { workers: [spawn], inPage }, patience);
  const submit = (call: Task["call"] = "sampleDotProducts") => {
    const task: Task = { call, args: [] };
    const assignment: Assignment = { task, progress() {}, done() {}, failed() {} };
    const result = new Promise((done, failed) => Object.assign(assignment, { done, failed }));
    crew.submit(assignment);
    return { assignment, result };
  };
  return { crew, threads, said, submit };
}

const works = 'if (type === "run") say({ type: "done", id, value: "result" });';
const deaths = {
  "ends itself": 'if (type === "run") process.exit();',
  "never comes back": 'if (type === "run") for (;;);',
  "hears and says nothing": "",
};

for (const [why, dies] of Object.entries(deaths)) {
  test(`a worker that ${why} is given up, and the next call gets a new one`, async () => {
    const { crew, threads, submit } = crewOf(dies, works);
    const message = "sampleDotProducts: the worker died: nothing was heard of it";
    await assert.rejects(submit().result, { code: "ERR_WORKER", message });
    assert.equal(await submit().result, "result");
    assert.equal(threads.length, 2);
    crew.close();
  });
}

const endless = { ...patience, turns: 1e9 };

test("one that does not even set to work is given up soon, whatever it was to do", async () => {
  const { crew, submit } = patientCrew(endless, undefined, deaths["hears and says nothing"], works);
  await assert.rejects(submit("scaledDotProductAttention").result, { code: "ERR_WORKER" });
  assert.equal(await submit().result, "result");
  crew.close();
});

test("one that set to work and no longer holds its lock is given up soon", async () => {
  const looks: string[] = [];
  const gone = async (lock: string) => looks.push(lock) > 3;
  const dies = 'if (type === "run") { say({ type: "pong" }); for (;;); }';
  const { crew, submit } = patientCrew(endless, gone, dies, works);
  const message = "scaledDotProductAttention: the worker died: it is gone";
  await assert.rejects(submit("scaledDotProductAttention").result, { code: "ERR_WORKER", message });
  assert.equal(new Set(looks).size, 1, "one worker, one lock");
  assert.equal(await submit().result, "result");
  crew.close();
});

test("one that is busy with what nobody waits for any more is given up as well", async () => {
  const { crew, said, submit } = crewOf(deaths["never comes back"], works);
  const { assignment } = submit();
  while (!said.includes("run")) await new Promise((resolve) => setTimeout(resolve, 1));
  crew.drop([assignment]);
  assert.equal(await submit().result, "result");
  crew.close();
});

test("a worker that answers is left to work for as long as it takes", async () => {
  const { crew, threads, said, submit } = crewOf(
    `if (type === "ping") say({ type: "pong" });
    if (type === "run") setTimeout(() => say({ type: "done", id, value: "late" }), 1000);`,
  );
  assert.equal(await submit().result, "late");
  assert.equal(threads.length, 1);
  assert.ok(said.includes("ping"));
  crew.close();
});

test("a call without steps may answer nothing for much longer", async () => {
  const { crew, threads, submit } = crewOf(
    'if (type === "run") { say({ type: "pong" }); const end = Date.now() + 600; while (Date.now() < end); say({ type: "done", id, value: "late" }); }',
  );
  assert.equal(await submit("scaledDotProductAttention").result, "late");
  assert.equal(threads.length, 1);
  crew.close();
});

test("idle workers are asked nothing", async () => {
  const { crew, said, submit } = crewOf(works);
  await submit().result;
  await new Promise((resolve) => setTimeout(resolve, 3 * patience.turnMilliseconds));
  assert.deepEqual(said, ["start", "run"]);
  crew.close();
});

test("the package's own workers answer while they compute", async () => {
  const crew = new Crew(1, async () => (await compile()).module, waysToSpawn(), {
    turnMilliseconds: 15,
    turns: 20,
  });
  // Progress is reported every 50 ms: turns of silence in between are asked after.
  const options = { dimension: 64, samples: 3_000_000, seed: 1 };
  const task: Task = { call: "sampleDotProducts", args: [options] };
  await new Promise((done, failed) => crew.submit({ task, progress() {}, done, failed }));
  crew.close();
});
