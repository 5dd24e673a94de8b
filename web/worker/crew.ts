/** A number of workers and a queue of tasks for them. Workers are started when there is work, and replaced when they die. */
import { SqrtdkError } from "../core/errors.ts";
import { type FromWorker, isFromWorker, type Task } from "./protocol.ts";
import { type Peer, waysToSpawn } from "./spawn.ts";

/** A worker that has not answered by then never will. */
const startMilliseconds = 20_000;

/** A task and who waits for it. */
export interface Assignment {
  task: Task;
  progress(value: unknown): void;
  done(value: unknown): void;
  failed(error: SqrtdkError): void;
}

interface Member {
  peer: Peer;
  /** What it works at; undefined when idle. Nobody waits for a dropped one, but it is busy until it says so. */
  current: { id: number; assignment: Assignment; dropped: boolean } | undefined;
}

export class Crew {
  readonly #size: number;
  readonly #module: () => Promise<WebAssembly.Module>;
  readonly #members = new Set<Member>();
  #queue: Assignment[] = [];
  #starting = 0;
  #nextId = 0;
  #ways = waysToSpawn();
  #closed = false;

  constructor(size: number, module: () => Promise<WebAssembly.Module>) {
    this.#size = size;
    this.#module = module;
  }

  submit(assignment: Assignment): void {
    this.#queue.push(assignment);
    this.#dispatch();
  }

  /** Nobody waits for it any more. */
  drop(assignment: Assignment): void {
    this.#queue = this.#queue.filter((queued) => queued !== assignment);
    for (const { peer, current } of this.#members) {
      if (current?.assignment !== assignment) continue;
      current.dropped = true;
      peer.post({ type: "cancel", id: current.id });
    }
  }

  close(): void {
    this.#closed = true;
    const closed = () => new SqrtdkError("ERR_CLOSED", "the pool was closed");
    for (const assignment of this.#queue.splice(0)) assignment.failed(closed());
    for (const { peer, current } of this.#members) {
      if (current) {
        peer.post({ type: "cancel", id: current.id });
        if (!current.dropped) current.assignment.failed(closed());
      }
      peer.terminate();
    }
    this.#members.clear();
  }

  #dispatch(): void {
    for (const member of this.#members) {
      if (!member.current && this.#queue.length > 0) this.#assign(member, this.#queue.shift() as Assignment);
    }
    while (this.#queue.length > this.#starting && this.#members.size + this.#starting < this.#size)
      this.#start();
  }

  #assign(member: Member, assignment: Assignment): void {
    const id = this.#nextId++;
    member.current = { id, assignment, dropped: false };
    member.peer.hold(true);
    member.peer.post({ type: "run", id, task: assignment.task });
  }

  async #start(): Promise<void> {
    this.#starting++;
    try {
      const member = await this.#hire(await this.#module());
      if (this.#closed) member.peer.terminate();
      else this.#members.add(member);
    } catch (error) {
      // With others at work, the queue moves on without this one.
      if (this.#members.size === 0) this.#failQueue(error);
    } finally {
      this.#starting--;
    }
    this.#dispatch();
  }

  #failQueue(error: unknown): void {
    const failure =
      error instanceof SqrtdkError
        ? error
        : new SqrtdkError("ERR_WORKER", `no worker starts: ${error}`, { cause: error });
    for (const assignment of this.#queue.splice(0)) assignment.failed(failure);
  }

  /** A worker that is ready, started in the best way that works here. */
  async #hire(module: WebAssembly.Module): Promise<Member> {
    let failure: unknown;
    for (const way of this.#ways) {
      try {
        const member = await this.#tryWay(way, module);
        this.#ways = this.#ways.slice(this.#ways.indexOf(way)); // do not try again what was refused
        return member;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  #tryWay(way: ReturnType<typeof waysToSpawn>[number], module: WebAssembly.Module): Promise<Member> {
    return new Promise((resolve, reject) => {
      let member: Member | undefined;
      const fail = (why: string) => {
        clearTimeout(timer);
        peer?.terminate();
        if (member) this.#bury(member, why);
        else reject(new SqrtdkError("ERR_WORKER", `the worker did not start: ${why}`));
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
            clearTimeout(timer);
            member = { peer: peer as Peer, current: undefined };
            member.peer.hold(false);
            resolve(member);
          },
        });
        peer.hold(true);
        peer.post({ type: "start", module });
      } catch (error) {
        fail(error instanceof Error ? error.message : String(error));
      }
    });
  }

  #receive(member: Member, message: FromWorker): void {
    const { current } = member;
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
  }

  #bury(member: Member, why: string): void {
    // The second of "error" and "exit", or a worker of a closed pool.
    if (!this.#members.delete(member)) return;
    const { current } = member;
    if (current && !current.dropped) {
      const { call } = current.assignment.task;
      current.assignment.failed(new SqrtdkError("ERR_WORKER", `${call}: the worker died: ${why}`));
    }
    this.#dispatch();
  }
}
