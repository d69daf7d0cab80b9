import {
  type CheckpointStrategy,
  dropOldResults,
  type ModelClient,
  PawlError,
  type Run,
  type Runtime,
  summarize,
  type WhenBusy,
  withRetry,
} from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { crashingStore } from "../support/crashing-store.ts";
import { ofType } from "../support/invariants.ts";
import { childScript, effects, type Policy, policy } from "../support/policies.ts";
import { soak } from "../support/soak.ts";
import { byTurn, failingAtFirst, type World, world } from "../support/world.ts";

const NUM_RUNS = soak(250, 10_000);
const user = { userId: "u1" };
const sessionId = "s1";

const value = fc.constantFrom("a", "b", "ü\u2028", "", "half \ud83d", "\\ud83d", "long 😀 ".repeat(20));
const toolCall = fc.oneof(
  fc.record({
    name: fc.constantFrom("save", "fetch", "stubborn", "fail", "odd", "ask", "approve"),
    input: fc.record({ value }),
  }),
  fc.constantFrom(
    { name: "helper", input: { task: "Look it up." } },
    { name: "no_such_tool", input: {} },
    { name: "save", input: { value: 1 } },
  ),
);
const reply: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      tools: fc.array(toolCall, { minLength: 1, maxLength: 4 }),
      text: fc.constantFrom("", "Hm.", " \n "),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      thinking: fc.constant("Let me think."),
      tools: fc.array(toolCall, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ text: fc.constantFrom("Fine.", "A longer answer, in several words.") }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      text: fc.constant("Cut"),
      tools: fc.array(toolCall, { maxLength: 2 }),
      clip: fc.nat(6),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reply>(
      { text: "No.", stop: "refusal" },
      { content: [] },
      {
        content: [
          { type: "text", text: "Before" },
          { type: "tool_use", name: "fetch", input: { value: "x" } },
          { type: "text", text: "behind a call" },
        ],
      },
      { text: "x", stop: "tool_use" },
      { thinking: "t", stop: "max_tokens" },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reply>(
      { fault: { status: 529 } },
      { text: "half an answer", fault: { cut: 4 } },
      { text: "half", tools: [{ name: "save", input: { value: "z" } }], fault: { midStream: "overloaded" } },
    ),
  },
);

type Step =
  | { do: "message"; abortAfter?: number | undefined; twice: boolean }
  | { do: "answer"; which: number; twice: boolean }
  | { do: "stop" }
  | { do: "crash"; after: number; when: "before" | "after" }
  | { do: "takeover" }
  | { do: "pause" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("message" as const),
      abortAfter: fc.option(fc.nat(25), { nil: undefined }),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("answer" as const), which: fc.nat(3), twice: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "stop" }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("crash" as const),
      after: fc.integer({ min: 1, max: 12 }),
      when: fc.constantFrom("before" as const, "after" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "takeover" }) },
  { weight: 3, arbitrary: fc.constant<Step>({ do: "pause" }) },
);

/** Strategies that ask for a checkpoint often, or fail to make one. */
const strategy = fc.constantFrom<CheckpointStrategy[]>(
  [],
  [dropOldResults({ whenTokens: 300, keepTurns: 1 })],
  [summarize({ model: scriptedModel(() => ({ text: "So far, so good." })), whenTokens: 250, keepTurns: 1 })],
  [summarize({ model: scriptedModel(() => ({ fault: { status: 529 } })), whenTokens: 150, keepTurns: 1 })],
);

/** What happens to the session once it has come to rest; numbers are places in the log. */
interface Revision {
  redact: number | undefined;
  fromSeq: number | undefined;
  fork: number | undefined;
}

const place = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
const revision: fc.Arbitrary<Revision> = fc.record({ redact: place, fromSeq: place, fork: place });

async function forked(pawl: Runtime, atSeq: number): Promise<string | undefined> {
  let id: string | undefined;
  await tolerant(
    pawl.fork(sessionId, { ...user, atSeq }).then((session) => {
      id = session.id;
    }),
  );
  return id;
}

/** What a request may be told; anything else is a bug. */
const EXPECTED = [
  "session_busy",
  "already_answered",
  "unknown_call",
  "store_unavailable",
  "invalid_answer",
  "invalid_input",
] as const;

async function tolerant(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!EXPECTED.some((code) => PawlError.is(error, code))) throw error;
  }
}

class Actor {
  pawl: Runtime;
  readonly runs: Promise<void>[] = [];
  private sent = 0;
  readonly setting: World;
  constructor(setting: World) {
    this.setting = setting;
    this.pawl = setting.boot();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "message":
        return await this.message(step.abortAfter, step.twice);
      case "answer":
        return await this.answer(step.which, step.twice);
      case "stop":
        return await tolerant(this.pawl.stop(sessionId, user));
      case "crash":
        this.pawl = this.setting.boot(crashingStore(this.setting.base, step.after, step.when));
        return;
      case "takeover":
        this.setting.wait();
        this.pawl = this.setting.boot();
        return await tolerant(this.pawl.sweep());
      case "pause":
        return await new Promise((resolve) => setTimeout(resolve, 3));
    }
  }

  private watch(run: Run): void {
    this.runs.push(tolerant(run.result));
  }

  private async message(abortAfter: number | undefined, twice: boolean): Promise<void> {
    this.sent += 1;
    const control = new AbortController();
    const clientMessageId = `m${this.sent}`;
    const message = { ...user, sessionId, input: `Go on, ${clientMessageId}`, clientMessageId };
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
    // Whoever is at work may be dead; then nothing more comes until somebody takes over.
    await Promise.race([read, new Promise((resolve) => setTimeout(resolve, 60))]);
    control.abort();
  }

  private async answer(which: number, twice: boolean): Promise<void> {
    const { pending } = await this.setting.boot().view(sessionId, user);
    const question = pending[which % Math.max(1, pending.length)];
    const callId = question?.callId ?? "toolu_forged";
    const value = answerTo(question?.kind, which % 2 === 0);
    const answer = { ...user, sessionId, answers: [{ callId, value }] };
    const first = this.pawl.run("tester", answer);
    this.watch(first);
    if (twice) {
      const second = this.setting.boot().run("tester", answer);
      this.watch(second);
      await tolerant(second.started);
    }
    await tolerant(first.started);
  }

  /** What can be done to a session at rest, and one run more. */
  async revise({ redact, fromSeq, fork }: Revision): Promise<string> {
    const pawl = this.setting.boot();
    if (redact !== undefined) await tolerant(pawl.redact(sessionId, redact, user));
    if (fromSeq !== undefined) await tolerant(pawl.startContextAt(sessionId, { ...user, fromSeq }));
    const id = fork === undefined ? sessionId : ((await forked(pawl, fork)) ?? sessionId);
    await tolerant(pawl.run("tester", { ...user, sessionId: id, input: "And then" }).result);
    return id;
  }

  /** A last process that finishes whatever is left, answering what is asked. */
  async finish(): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      this.setting.wait();
      const pawl = this.setting.boot();
      const afterSeq = (await this.setting.log(sessionId)).length;
      if ((await pawl.sweep()) > 0) {
        for await (const _ of pawl.follow(sessionId, { afterSeq, untilIdle: true }));
      }
      const session = await this.setting.base.sessions.get(sessionId);
      if (session?.openRun === null) return;
      const { pending } = await pawl.view(sessionId, user);
      for (const { callId, kind } of pending) {
        const answers = [{ callId, value: answerTo(kind, true) }];
        await tolerant(pawl.run("tester", { ...user, sessionId, answers }).result);
      }
    }
    throw new Error("the session does not come to rest");
  }
}

/** No tool but an idempotent one has run twice, in this session or in one of its tasks. */
async function ranOnce(setting: World, id: string): Promise<void> {
  for (const { data } of ofType(await setting.log(id), "tool_call")) {
    if (data.tool_name !== "fetch") expect(setting.ran.get(data.call_id) ?? 0).toBeLessThanOrEqual(1);
  }
}

function answerTo(kind: string | undefined, approved: boolean) {
  return kind === "approval" ? { approved } : { text: "yes" };
}

const again = (model: ModelClient) => withRetry(model, { retries: 1, baseMs: 0 });

/** Failures are final, or tried again in vain, or tried again with success; every second time they are tried again. */
type More = Policy & {
  checkpointWhen: readonly CheckpointStrategy[];
  whenBusy: WhenBusy;
  helper: readonly Reply[];
};
const modelsOver: readonly ((script: readonly Reply[], more: More) => World)[] = [
  (script, more) => world(byTurn(script), more),
  (script, more) => world(byTurn(script), more),
  (script, more) => world(byTurn(script), { ...more, around: again }),
  (script, more) => world(failingAtFirst(byTurn(script)), { ...more, around: again }),
];

it("L1 L2 L3 L4 L5 L6 L7 L8 L9 L12 L13 L17 H1 T6 T11 T12 P1 P2 P3 P4 P5 P6 C1 C5 C11 C12 C13 E2 keeps every log sound and every request valid, whatever happens", {
  timeout: soak(600_000, 3 * 3_600_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 8 }),
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(...modelsOver),
      strategy,
      fc.constantFrom<WhenBusy>("reject", "queue", "interrupt"),
      revision,
      policy,
      childScript,
      async (script, steps, modelOver, checkpointWhen, whenBusy, revised, bounds, helper) => {
        const setting = modelOver(script, { ...bounds, checkpointWhen, whenBusy, helper });
        await setting.base.sessions.create({ id: sessionId, userId: "u1", agent: "tester" });
        const actor = new Actor(setting);
        for (const one of steps) await actor.take(one);
        await actor.finish();
        // Whoever has asked hears how it came out, wherever it was worked on.
        await Promise.all(actor.runs);
        // One may have begun only then, when the lease of a dead process ran out, and have died too.
        await actor.finish();
        const other = await actor.revise(revised);
        await actor.finish();
        if (other !== sessionId) await setting.check(other);
        const log = await setting.check(sessionId);
        for (const { id } of await setting.base.sessions.list({ ...user, limit: 1_000 }))
          await ranOnce(setting, id);
        for (const { data } of ofType(log, "run_started")) {
          expect(effects.get(data.run_id) ?? 0).toBeLessThanOrEqual(1);
        }
        const session = await setting.base.sessions.get(sessionId);
        // A tool that came too late may have been reported while the log was looked at.
        const { length: lastSeq } = await setting.log(sessionId);
        expect(session).toMatchObject({ openRun: null, pending: 0, lastSeq });
      },
    ),
    {
      numRuns: NUM_RUNS,
      timeout: 60_000,
      ...(process.env.PAWL_SEED && { seed: Number(process.env.PAWL_SEED) }),
      ...(process.env.PAWL_PATH && { path: process.env.PAWL_PATH, endOnFailure: true }),
    },
  );
});
