import { type EventStore, PawlError, type Run, type RunOptions, type Runtime } from "@pawl/core";
import fc from "fast-check";
import { crashingStore } from "./crashing-store.ts";
import { databaseUser } from "./database-user.ts";
import { EXPERTS } from "./delegates.ts";
import { type InterferingStore, interferingStore, type Moment } from "./interfering-store.ts";
import { pause } from "./pause.ts";
import type { World } from "./world.ts";

/** The user of the session. */
export const user = { userId: "u1" };
/** The one session of a random run. */
export const sessionId = "s1";

/** The credentials of the user. No log has their token. */
export const CREDENTIALS = { token: "tok_4f2c9a7e1b8d6053" };

/** An action of a user, a process or an operator. */
export type Step =
  | { do: "message"; abortAfter?: number | undefined; twice: boolean; asWho: Partial<RunOptions> }
  | { do: "answer"; which: number; twice: boolean; asWho: Partial<RunOptions> }
  | { do: "answers" }
  | { do: "stop" }
  | { do: "interfere"; at: Moment; with: Interference }
  | { do: "database"; with: "message" | "answer" | "forged id" }
  | { do: "crash"; after: number; when: "before" | "after" }
  | { do: "takeover" }
  | { do: "deploy"; timeoutMs: number }
  | { do: "staff"; who: readonly string[] }
  | { do: "pause" };

type Interference = "answer" | "stop" | "message" | "database message" | "database answer";

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("message" as const),
      abortAfter: fc.option(fc.nat(25), { nil: undefined }),
      twice: fc.boolean(),
      asWho: fc.constantFrom<Partial<RunOptions>>(
        {},
        {},
        { caller: { roles: ["reader"] } },
        { caller: { roles: ["admin"] }, credentials: CREDENTIALS },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      which: fc.nat(3),
      twice: fc.boolean(),
      asWho: fc.constantFrom<Partial<RunOptions>>({}, {}, { caller: { roles: ["reader"] } }),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "answers" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "stop" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("interfere" as const),
      at: fc.constantFrom<Moment>("row", "before suspension", "behind suspension"),
      with: fc.constantFrom<Interference>("answer", "stop", "message", "database message", "database answer"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("database" as const),
      with: fc.constantFrom("message" as const, "answer" as const, "forged id" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("crash" as const),
      after: fc.integer({ min: 1, max: 12 }),
      when: fc.constantFrom("before" as const, "after" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "takeover" }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("deploy" as const), timeoutMs: fc.nat(10) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("staff" as const),
      who: fc.subarray([...EXPERTS], { minLength: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ do: "pause" }) },
);

/** Actions on an idle session. Numbers are positions in the log. */
export interface Revision {
  redact: number | undefined;
  fromSeq: number | undefined;
  fork: number | undefined;
}

async function forked(pawl: Runtime, atSeq: number): Promise<string | undefined> {
  let id: string | undefined;
  await tolerant(
    pawl.fork(sessionId, { ...user, atSeq }).then((session) => {
      id = session.id;
    }),
  );
  return id;
}

/** The errors that a request may be refused with. Any other error is a bug. */
const EXPECTED = [
  "session_busy",
  "already_answered",
  "unknown_call",
  "store_unavailable",
  "invalid_answer",
  "invalid_input",
  "draining",
] as const;

async function tolerant(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!EXPECTED.some((code) => PawlError.is(error, code))) throw error;
  }
}

/** A world whose store can interfere at chosen moments. */
type Setting = World & {
  base: InterferingStore;
  /** The input of each message. Default: a text with its client id. */
  inputOf?: (clientMessageId: string) => NonNullable<RunOptions["input"]>;
};

export function interfered(make: (over: (log: EventStore) => EventStore) => World): Setting {
  let base: InterferingStore | undefined;
  const made = make((log) => {
    base = interferingStore(log);
    return base;
  });
  return { ...made, base: base as InterferingStore };
}

export class Actor {
  pawl: Runtime;
  readonly runs: Promise<void>[] = [];
  private sent = 0;
  readonly setting: Setting;
  constructor(setting: Setting) {
    this.setting = setting;
    this.pawl = setting.boot();
  }

  async take(one: Step): Promise<void> {
    switch (one.do) {
      case "message":
        return await this.message(one.abortAfter, one.twice, one.asWho);
      case "answer":
        return await this.answer(one.which, one.twice, one.asWho);
      case "answers":
        return await this.answerAll();
      case "interfere":
        return this.setting.base.arm(one.at, () => this.interfere(one.with));
      case "database":
        return await this.store(one.with);
      case "stop":
        return await tolerant(this.pawl.stop(sessionId, user));
      case "crash":
        this.pawl = this.setting.boot(crashingStore(this.setting.base, one.after, one.when));
        return;
      case "takeover":
        this.setting.wait();
        this.pawl = this.setting.boot();
        return await tolerant(this.pawl.sweep());
      case "deploy": {
        const old = this.pawl;
        this.pawl = this.setting.boot();
        await old.drain({ timeoutMs: one.timeoutMs });
        return await tolerant(this.pawl.sweep());
      }
      case "staff":
        return this.changeStaff(one.who);
      case "pause":
        return await pause(3, "what it has begun gets further by a random part");
    }
  }

  /** Takes agents out of the list of the tool `expert`, or adds them again. */
  private changeStaff(who: readonly string[]): void {
    const { staff } = this.setting;
    for (const one of who) if (!staff.delete(one)) staff.add(one);
  }

  private watch(run: Run): void {
    this.runs.push(tolerant(run.result));
  }

  private async message(
    abortAfter: number | undefined,
    twice: boolean,
    asWho: Partial<RunOptions> = {},
  ): Promise<void> {
    this.sent += 1;
    const control = new AbortController();
    const clientMessageId = `m${this.sent}`;
    const input = this.setting.inputOf?.(clientMessageId) ?? `Go on, ${clientMessageId}`;
    const message = { ...user, sessionId, input, clientMessageId, ...asWho };
    const run = this.pawl.run("tester", { ...message, signal: control.signal });
    this.watch(run);
    if (twice) this.watch(this.setting.boot().run("tester", message));
    if (abortAfter === undefined) return await tolerant(run.started);
    let seen = 0;
    const reading = async () => {
      for await (const _ of run) {
        seen += 1;
        if (seen >= abortAfter) break;
      }
    };
    const read = tolerant(reading());
    this.runs.push(read);
    // If the working process is dead, no event arrives until another process recovers the run.
    await Promise.race([read, pause(60, "a dead process sends nothing more")]);
    control.abort();
  }

  private async answer(which: number, twice: boolean, asWho: Partial<RunOptions> = {}): Promise<void> {
    const { pending } = await this.setting.boot().view(sessionId, user);
    const question = pending[which % Math.max(1, pending.length)];
    const callId = question?.callId ?? "toolu_forged";
    const value = answerTo(question?.kind, which % 2 === 0);
    const answer = { ...user, sessionId, answers: [{ callId, value }], ...asWho, ...askedBy(question?.kind) };
    const first = this.pawl.run("tester", answer);
    this.watch(first);
    if (twice) {
      const second = this.setting.boot().run("tester", answer);
      this.watch(second);
      await tolerant(second.started);
    }
    await tolerant(first.started);
  }

  /** Answers all questions at the same time, through two processes in turn. */
  private async answerAll(): Promise<void> {
    const processes = [this.pawl, this.setting.boot()];
    const { pending } = await this.setting.boot().view(sessionId, user);
    const answered = pending.map(async ({ callId, kind }, at) => {
      const answers = [{ callId, value: answerTo(kind, true) }];
      const asked = { ...user, sessionId, answers, ...askedBy(kind) };
      const run = (processes[at % 2] as Runtime).run("tester", asked);
      this.watch(run);
      await tolerant(run.started);
    });
    await Promise.all(answered);
  }

  private async interfere(how: Interference): Promise<void> {
    switch (how) {
      case "answer":
        return await this.answer(0, false);
      case "stop":
        return await tolerant(this.pawl.stop(sessionId, user));
      case "message":
        return await this.message(undefined, false);
      case "database message":
        return await this.store("message");
      case "database answer":
        return await this.store("answer");
    }
  }

  /** Stores events as the session's user without the runtime. */
  private async store(what: "message" | "answer" | "forged id"): Promise<void> {
    const { base } = this.setting;
    const by = databaseUser(base, sessionId);
    const own = `user:${crypto.randomUUID()}`;
    if (what === "answer") return await by.answer({ text: "yes" }, own);
    await by.message("From the database", what === "forged id" ? (base.nextAppendId() ?? own) : own);
  }

  /** Performs the actions on the idle session, then one more run. */
  async revise({ redact, fromSeq, fork }: Revision): Promise<string> {
    const pawl = this.setting.boot();
    if (redact !== undefined) await tolerant(pawl.redact(sessionId, redact, user));
    if (fromSeq !== undefined) await tolerant(pawl.startContextAt(sessionId, { ...user, fromSeq }));
    const id = fork === undefined ? sessionId : ((await forked(pawl, fork)) ?? sessionId);
    await tolerant(pawl.run("tester", { ...user, sessionId: id, input: "And then" }).result);
    return id;
  }

  /** Starts a last process, which completes all work in a session and answers all its questions. */
  async finish(id: string = sessionId): Promise<void> {
    // Sweeps as servers do. A process may acquire the lease of a slow process, and then die itself.
    const sweeps = setInterval(() => void tolerant(this.setting.boot().sweep()), 100);
    try {
      for (let round = 0; round < 40; round += 1) if (await this.isFinished(id)) return;
    } finally {
      clearInterval(sweeps);
    }
    throw new Error("the session does not settle");
  }

  private async isSuspended(id: string): Promise<boolean> {
    return (await this.setting.base.sessions.get(id))?.status === "suspended";
  }

  /** Returns `true` if no run is open. Otherwise resumes the open run and answers its questions. */
  private async isFinished(id: string): Promise<boolean> {
    this.setting.wait();
    const pawl = this.setting.boot();
    const isOver = async () => (await this.setting.base.sessions.get(id))?.openRun === null;
    if (await isOver()) return true;
    const afterSeq = (await this.setting.log(id)).length;
    // The sweep may have resumed another session.
    const isAtRest = async () => (await isOver()) || (await this.isSuspended(id));
    if ((await pawl.sweep()) > 0) await reader(pawl, id, afterSeq, isAtRest);
    if (await isOver()) return true;
    const { pending } = await pawl.view(id, user);
    for (const { callId, kind } of pending) {
      const answers = [{ callId, value: answerTo(kind, true) }];
      const asked = { ...user, sessionId: id, answers, credentials: CREDENTIALS };
      await tolerant(pawl.run("tester", asked).result);
    }
    return false;
  }
}

/** Reads a session until its run settles, or for 200 ms if it has settled before. */
async function reader(
  pawl: Runtime,
  id: string,
  afterSeq: number,
  isAtRest: () => Promise<boolean>,
): Promise<void> {
  const control = new AbortController();
  const { signal } = control;
  const timer = setInterval(() => void isAtRest().then((rests) => rests && control.abort()), 200);
  try {
    for await (const _ of pawl.follow(id, { afterSeq, untilIdle: true, signal }));
  } finally {
    clearInterval(timer);
  }
}

function askedBy(kind: string | undefined): Partial<RunOptions> {
  return kind === "credentials" ? { credentials: CREDENTIALS } : {};
}

function answerTo(kind: string | undefined, approved: boolean) {
  if (kind === "credentials") return true;
  return kind === "approval" ? { approved } : { text: "yes" };
}
