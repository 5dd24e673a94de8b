/** How a pool finds workers: bad luck, refusal, and the page itself as the last resort. Workers are played. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SqrtdkError } from "../../web/core/errors.ts";
import type { Task } from "../../web/worker/calls.ts";
import { type Assignment, Crew } from "../../web/worker/crew.ts";
import type { ToWorker } from "../../web/worker/protocol.ts";
import type { Listener, Peer, Spawn } from "../../web/worker/spawn.ts";

const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A way to start workers, each of which does what `start` says, and then keeps every task until `finish`. */
class PlayedWay {
  readonly peers: PlayedPeer[] = [];
  start: (peer: PlayedPeer) => void = (peer) => peer.say({ type: "ready" });

  readonly spawn: Spawn = (listener) => {
    const peer = new PlayedPeer(listener, () => this.start(peer));
    this.peers.push(peer);
    return peer;
  };
  get living() {
    return this.peers.filter(({ alive }) => alive);
  }
}

class PlayedPeer implements Peer {
  alive = true;
  readonly running: number[] = [];
  readonly #listener: Listener;
  readonly #onStart: () => void;

  constructor(listener: Listener, onStart: () => void) {
    this.#listener = listener;
    this.#onStart = onStart;
  }
  post(message: ToWorker) {
    if (message.type === "start") setImmediate(this.#onStart);
    if (message.type === "run") this.running.push(message.id);
  }
  hold() {}
  terminate() {
    this.alive = false;
  }
  say(message: unknown) {
    this.#listener.message(message);
  }
  die() {
    this.alive = false;
    this.#listener.dead("played");
  }
  finish() {
    this.say({ type: "done", id: this.running.shift(), value: "result" });
  }
}

const refuse = (peer: PlayedPeer) => peer.die();

function crewOf(size: number, compile = async () => module) {
  const [first, second, inPage] = [new PlayedWay(), new PlayedWay(), new PlayedWay()];
  const ways = { workers: [first.spawn, second.spawn], inPage: inPage.spawn };
  const crew = new Crew(size, compile, ways);
  const submit = (): Promise<unknown> =>
    new Promise((done, failed) => {
      const task: Task = { call: "info", args: [] };
      crew.submit({ task, progress() {}, done, failed } satisfies Assignment);
    });
  return { crew, first, second, inPage, submit };
}

async function settle() {
  for (let i = 0; i < 20; i++) await turn();
}

test("one failed start does not give a way up", async () => {
  const { first, second, inPage, submit } = crewOf(1);
  first.start = (peer) => {
    first.start = (next) => next.say({ type: "ready" });
    peer.die();
  };
  second.start = refuse;
  const result = submit();
  await settle();
  assert.deepEqual([first.peers.length, second.peers.length, inPage.peers.length], [2, 1, 0]);
  first.living[0]?.finish();
  assert.equal(await result, "result");
});

test("starts that fail side by side count as one failure", async () => {
  const { first, second, inPage, submit } = crewOf(4);
  second.start = refuse;
  first.start = (peer) => {
    if (first.peers.length === 4) first.start = (next) => next.say({ type: "ready" });
    peer.die();
  };
  const results = [submit(), submit(), submit(), submit()];
  await settle();
  assert.equal(inPage.peers.length, 0);
  for (let i = 0; i < 4; i++) {
    for (const peer of first.living) if (peer.running.length > 0) peer.finish();
    await settle();
  }
  assert.deepEqual(await Promise.all(results), Array(4).fill("result"));
});

test("where workers are refused the page stands in, after few attempts", async () => {
  const { first, second, inPage, submit } = crewOf(2);
  first.start = second.start = refuse;
  const results = [submit(), submit(), submit()];
  await settle();
  assert.equal(inPage.living.length, 2);
  const attempts = first.peers.length + second.peers.length;
  assert.ok(attempts <= 6, String(attempts));
  inPage.peers[0]?.finish();
  inPage.peers[1]?.finish();
  inPage.peers[0]?.finish();
  assert.deepEqual(await Promise.all(results), ["result", "result", "result"]);
  submit();
  await settle();
  assert.equal(first.peers.length + second.peers.length, attempts);
});

test("the page never joins workers, and refused starts are not repeated for ever", async () => {
  const { first, second, inPage, submit } = crewOf(3);
  second.start = refuse;
  const busy = submit();
  await settle();
  first.start = refuse;
  const waiting = [submit(), submit()];
  await settle();
  assert.equal(inPage.peers.length, 0);
  assert.ok(first.peers.length + second.peers.length <= 7);
  const [worker] = first.living;
  worker?.finish();
  worker?.finish();
  worker?.finish();
  assert.deepEqual(await Promise.all([busy, ...waiting]), ["result", "result", "result"]);
});

test("while one start is under way, the failure of another leaves the queue to it", async () => {
  const { first, second, inPage, submit } = crewOf(2);
  second.start = refuse;
  let slow: PlayedPeer | undefined;
  first.start = (peer) => {
    if (slow) peer.die();
    else slow = peer;
  };
  const results = [submit(), submit()];
  await settle();
  assert.equal(inPage.peers.length, 0);
  slow?.say({ type: "ready" });
  await settle();
  slow?.finish();
  slow?.finish();
  assert.deepEqual(await Promise.all(results), ["result", "result"]);
  assert.equal(inPage.peers.length, 0);
});

test("the last worker's death gives its way another chance before the page stands in", async () => {
  const { first, second, inPage, submit } = crewOf(2);
  second.start = refuse;
  const busy = submit();
  await settle();
  first.start = refuse;
  const waiting = submit();
  await settle();
  first.start = (peer) => peer.say({ type: "ready" });
  first.living[0]?.die();
  await assert.rejects(busy, { code: "ERR_WORKER", message: "info: the worker died: played" });
  await settle();
  assert.equal(inPage.peers.length, 0);
  first.living[0]?.finish();
  assert.equal(await waiting, "result");
});

test("no module, or a page that cannot run it: every call fails, the next one tries again", async () => {
  let compiled = 0;
  const { first, submit } = crewOf(3, async () => {
    if (compiled++ === 0) throw new SqrtdkError("ERR_WASM_UNAVAILABLE", "load: played");
    return module;
  });
  const results = await Promise.allSettled([submit(), submit(), submit()]);
  for (const { reason } of results as PromiseRejectedResult[]) {
    assert.equal(reason.code, "ERR_WASM_UNAVAILABLE");
    assert.equal(reason.message, "info: no worker starts: load: played");
  }
  const again = submit();
  await settle();
  first.living[0]?.finish();
  assert.equal(await again, "result");

  const broken = crewOf(3);
  broken.first.start = broken.second.start = refuse;
  broken.inPage.start = (peer) => peer.say({ type: "broken", message: "played" });
  const failed = await Promise.allSettled([broken.submit(), broken.submit()]);
  for (const { reason } of failed as PromiseRejectedResult[])
    assert.equal(reason.message, "info: no worker starts: played");
  assert.equal(broken.inPage.peers.length, 1);
});

test("closing during a start ends it, and names the call", async () => {
  const { crew, first, second, inPage, submit } = crewOf(1);
  const result = submit();
  await turn();
  crew.close();
  await assert.rejects(result, { code: "ERR_CLOSED", message: "info: the pool was closed" });
  await settle();
  assert.equal(first.living.length + second.living.length + inPage.living.length, 0);
});
