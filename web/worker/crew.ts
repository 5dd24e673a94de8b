/** A number of workers and a queue of tasks for them. Workers are started when there is work, and replaced when they die. */
import { SqrtdkError } from "../core/errors.ts";
import { calls, spoken, type Task } from "./calls.ts";
import { type FromWorker, isFromWorker } from "./protocol.ts";
import { memoryOf } from "./send.ts";
import { type Peer, type Spawn, type Ways, waysToSpawn } from "./spawn.ts";

/** A worker that has not answered by then never will. */
const startMilliseconds = 20_000;
/** A way to start workers that failed once may have had bad luck; one that failed so often in a row is refused here. */
const maximumFailures = 2;

/**
 * When to give a busy worker up of which nothing is heard: some browsers end workers and tell nobody. It is asked once
 * after a turn of silence; after two it is looked whether it still holds its lock, where there are locks. The turns are
 * counted and not the time, which also passes while the page itself stands still; together they are much longer than
 * any one step, in which a worker answers nothing.
 */
export interface Patience {
  turnMilliseconds: number;
  turns: number;
}
const usualPatience: Patience = { turnMilliseconds: 2000, turns: 30 };
/** Before a worker sets to work it says so, and until then it has nothing to do that could keep it. */
const turnsToBegin = 3;

/** Calls without steps may take long, and a worker answers nothing meanwhile: twenty minutes with the usual patience. */
const timesAsLongAtOnce = 20;

/** A task and who waits for it. */
export interface Assignment {
  task: Task;
  progress(value: unknown): void;
  done(value: unknown): void;
  failed(error: SqrtdkError): void;
}

interface Member {
  peer: Peer;
  way: Spawn;
  /** What it holds while it works. */
  lock: string;
  /** What it works at; undefined when idle. Nobody waits for a dropped one, but it is busy until it says so. */
  current: { id: number; assignment: Assignment; begun: boolean; dropped: boolean } | undefined;
  /** Turns since it was last heard of, or was given its task. */
  silentTurns: number;
  fail(why: string): void;
}

/** Its members are workers or, where none starts, stand-ins on this thread: never both, for these block the page. */
export class Crew {
  readonly #size: number;
  readonly #compile: () => Promise<WebAssembly.Module>;
  readonly #ways: Ways;
  readonly #members = new Set<Member>();
  /** How often in a row a way has failed. Starts that run side by side count as one. */
  readonly #failures = new Map<Spawn, number>();
  #module: Promise<WebAssembly.Module> | undefined;
  #queue: Assignment[] = [];
  #starting = 0;
  #nextId = 0;
  #closed = false;
  readonly #patience: Patience;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(
    size: number,
    compile: () => Promise<WebAssembly.Module>,
    ways: Ways = waysToSpawn(),
    patience = usualPatience,
  ) {
    this.#size = size;
    this.#compile = compile;
    this.#ways = ways;
    this.#patience = patience;
  }

  submit(assignment: Assignment): void {
    this.#queue.push(assignment);
    this.#dispatch();
  }

  /** Nobody waits for them any more. */
  drop(assignments: readonly Assignment[]): void {
    const dropped = new Set(assignments);
    this.#queue = this.#queue.filter((queued) => !dropped.has(queued));
    for (const { peer, current } of this.#members) {
      if (!current || current.dropped || !dropped.has(current.assignment)) continue;
      current.dropped = true;
      peer.post({ type: "cancel", id: current.id });
    }
  }

  close(): void {
    this.#closed = true;
    const close = ({ task, failed }: Assignment) =>
      failed(new SqrtdkError("ERR_CLOSED", `${spoken(task.call)}: the pool was closed`));
    this.#queue.splice(0).forEach(close);
    for (const { peer, current } of this.#members) {
      if (current) {
        peer.post({ type: "cancel", id: current.id });
        if (!current.dropped) close(current.assignment);
      }
      peer.terminate();
    }
    this.#members.clear();
    this.#watchOrNot();
  }

  /** Keeps watch as long as a member is busy; the watch itself keeps no process alive. */
  #watchOrNot(): void {
    if (![...this.#members].some(({ current }) => current)) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    } else if (this.#watch === undefined) {
      this.#watch = setInterval(() => this.#nextTurn(), this.#patience.turnMilliseconds);
      (this.#watch as { unref?(): void }).unref?.(); // Node
    }
  }

  #nextTurn(): void {
    for (const member of [...this.#members]) {
      if (!member.current) continue;
      member.silentTurns++;
      if (member.silentTurns >= this.#turnsFor(member.current)) member.fail("nothing was heard of it");
      else if (member.silentTurns === 1) member.peer.post({ type: "ping" });
      else if (member.current.begun) void this.#lookFor(member, member.current);
    }
  }

  async #lookFor(member: Member, current: Member["current"]): Promise<void> {
    const gone = await member.peer.gone?.(member.lock);
    // Meanwhile it may have ended its task, or have been heard of.
    if (gone && member.current === current && member.silentTurns > 1) member.fail("it is gone");
  }

  #turnsFor({ assignment, begun, dropped }: NonNullable<Member["current"]>): number {
    if (!begun) return turnsToBegin;
    const computesAtOnce = !dropped && calls[assignment.task.call].way === "whole";
    return this.#patience.turns * (computesAtOnce ? timesAsLongAtOnce : 1);
  }

  #dispatch(): void {
    for (const member of this.#members) {
      if (!member.current && this.#queue.length > 0) this.#assign(member, this.#queue.shift() as Assignment);
    }
    while (this.#queue.length > this.#starting && this.#members.size + this.#starting < this.#size) {
      const ways = this.#waysToTry();
      if (ways.length === 0) break;
      this.#start(ways);
    }
  }

  #failuresOf(way: Spawn): number {
    return this.#failures.get(way) ?? 0;
  }

  /** How to start one more member now; empty if none should be. */
  #waysToTry(): readonly Spawn[] {
    const { workers, inPage } = this.#ways;
    const open = workers.filter((way) => this.#failuresOf(way) < maximumFailures);
    // After a failure, one start at a time finds out whether it was bad luck.
    if (open.length > 0)
      return this.#starting === 0 || open.every((way) => this.#failuresOf(way) === 0) ? open : [];
    if (this.#starting > 0) return [];
    const members = [...this.#members];
    const onlyInPage = members.every(({ way }) => way === inPage);
    return members.length === 0 || (onlyInPage && this.#failuresOf(inPage) === 0) ? [inPage] : [];
  }

  #assign(member: Member, assignment: Assignment): void {
    const id = this.#nextId++;
    member.current = { id, assignment, begun: false, dropped: false };
    member.silentTurns = 0;
    member.peer.hold(true);
    const { task } = assignment;
    member.peer.post({ type: "run", id, task }, memoryOf(task.args));
    this.#watchOrNot();
  }

  /** Adds a member. Where workers fail but something is left to try, the next dispatch does. */
  async #start(ways: readonly Spawn[]): Promise<void> {
    this.#starting++;
    this.#module ??= this.#compile();
    const compiling = this.#module;
    try {
      const module = await compiling;
      const member = await this.#hire(ways, module);
      if (member && this.#closed) member.peer.terminate();
      else if (member) this.#members.add(member);
    } catch (error) {
      // There is no module, which all starts share, or not even this thread can run it: no start under way will help.
      if (this.#members.size === 0 && this.#module === compiling) {
        this.#module = undefined;
        this.#failQueue(error);
      }
    }
    this.#starting--;
    this.#dispatch();
  }

  #failQueue(cause: unknown): void {
    const code = cause instanceof SqrtdkError ? cause.code : "ERR_WORKER";
    const why = cause instanceof Error ? cause.message : String(cause);
    for (const { task, failed } of this.#queue.splice(0))
      failed(new SqrtdkError(code, `${spoken(task.call)}: no worker starts: ${why}`, { cause }));
  }

  /** A member that is ready, started in the first way that works; undefined if none does. On this thread, one must. */
  async #hire(ways: readonly Spawn[], module: WebAssembly.Module): Promise<Member | undefined> {
    for (const way of ways) {
      if (this.#closed) return undefined;
      const before = this.#failuresOf(way);
      try {
        const member = await this.#tryWay(way, module);
        this.#failures.delete(way);
        return member;
      } catch (error) {
        this.#failures.set(way, Math.max(this.#failuresOf(way), before + 1));
        if (way === this.#ways.inPage) throw error;
      }
    }
    return undefined;
  }

  #tryWay(way: Spawn, module: WebAssembly.Module): Promise<Member> {
    return new Promise((resolve, reject) => {
      const lock = `sqrtdk-${Math.random()}`;
      let member: Member | undefined;
      const fail = (why: string) => {
        clearTimeout(timer);
        peer?.terminate();
        if (member) this.#bury(member, why);
        else reject(new SqrtdkError("ERR_WORKER", why));
      };
      const timer = setTimeout(() => fail("it did not answer"), startMilliseconds);
      let peer: Peer | undefined;
      try {
        peer = way({
          dead: fail,
          message: (data) => {
            if (!isFromWorker(data)) return fail("it said something else than its protocol");
            if (data.type === "broken") return fail(data.message);
            if (member) return this.#receive(member, data);
            if (data.type !== "ready") return fail("it said something before it was ready");
            clearTimeout(timer);
            member = { peer: peer as Peer, way, lock, current: undefined, silentTurns: 0, fail };
            member.peer.hold(false);
            resolve(member);
          },
        });
        peer.hold(true);
        peer.post({ type: "start", module, lock });
      } catch (error) {
        fail(error instanceof Error ? error.message : String(error));
      }
    });
  }

  #receive(member: Member, message: FromWorker): void {
    member.silentTurns = 0;
    const { current } = member;
    if (current) current.begun = true;
    if (!current || !("id" in message) || message.id !== current.id) return;
    const { assignment, dropped } = current;
    if (message.type === "progress") {
      if (!dropped) assignment.progress(message.value);
      return;
    }
    member.current = undefined;
    member.peer.hold(false);
    if (!dropped) {
      if (message.type === "done") assignment.done(message.value);
      else if (message.type === "failed") assignment.failed(new SqrtdkError(message.code, message.message));
    }
    this.#dispatch();
    this.#watchOrNot();
  }

  #bury(member: Member, why: string): void {
    // The second of "error" and "exit", or a worker of a closed pool.
    if (!this.#members.delete(member)) return;
    this.#failures.delete(member.way); // it worked before: when more of them were refused, there were too many
    const { current } = member;
    if (current && !current.dropped) {
      const call = spoken(current.assignment.task.call);
      current.assignment.failed(new SqrtdkError("ERR_WORKER", `${call}: the worker died: ${why}`));
    }
    this.#dispatch();
    this.#watchOrNot();
  }
}
