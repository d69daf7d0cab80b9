import { agent, approval, type EventStore, memoryStore, PawlError, runtime, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import * as z from "zod";
import { databaseUser } from "./support/database-user.ts";
import { allPages, assertPages, wholeView } from "./support/pages.ts";
import { allowPrinted } from "./support/printed.ts";
import { soak } from "./support/soak.ts";

const user = { userId: "u1" };
const input = z.object({});

const tools = [
  tool({ name: "look", description: "Looks.", input, execute: () => "seen" }),
  tool({ name: "gated", description: "Acts.", input, execute: () => "done" }),
  tool({ name: "ask", description: "Asks.", input, suspends: { answer: z.object({ yes: z.boolean() }) } }),
];

const calls = (name: string): Reply => ({ text: "Let me see.", tools: [{ name, input: {} }] });
const reply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Reply>({ text: "Yes." }, { thinking: "Hm.", text: "No." }) },
  { weight: 3, arbitrary: fc.constantFrom("look", "gated", "ask").map(calls) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Reply>({ text: "I", fault: { midStream: "overloaded", afterEvents: 4 } }),
  },
  // A message with many parts.
  {
    weight: 1,
    arbitrary: fc.constant<Reply>({
      content: Array.from({ length: 200 }, () => ({ type: "text", text: "a" })),
    }),
  },
);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ do: "say" as const }) },
  { weight: 3, arbitrary: fc.constant({ do: "answer" as const }) },
  { weight: 3, arbitrary: fc.constant({ do: "retry" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("queue" as const), times: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "database" as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("redact" as const), which: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fork" as const), which: fc.nat(400) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Refusals are as good as any other end of a step. */
async function tolerant<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (PawlError.is(error, "invalid_input") || PawlError.is(error, "session_busy")) return undefined;
    throw error;
  }
}

/** Takes the steps in one session, and returns its log, or that of its last fork. */
async function logOf(replies: readonly Reply[], steps: readonly Step[]) {
  let turn = 0;
  const model = scriptedModel(() => replies[turn++ % replies.length] ?? {});
  const tester = agent({
    name: "tester",
    model,
    instructions: "x",
    tools,
    hooks: [approval({ when: ["gated"] })],
  });
  const store: EventStore = memoryStore();
  const pawl = runtime({ agents: [tester], store, times: { pollMs: 5, storeRetryMs: [] } });
  let id = (await pawl.run(tester, { ...user, input: "Hi" }).result).sessionId;
  const say = (more: object = {}) => pawl.run(tester, { ...user, sessionId: id, input: "Go on", ...more });
  const take = async (one: Step) => {
    const { lastSeq } = (await store.sessions.get(id)) ?? { lastSeq: 1 };
    const { pending, run } = await pawl.view(id, user);
    switch (one.do) {
      case "say":
        return await say().result;
      case "answer": {
        const answers = pending.map(({ callId, kind }) => ({
          callId,
          value: kind === "approval" ? { approved: true } : { yes: true },
        }));
        if (answers.length === 0) return undefined;
        return await pawl.run(tester, { ...user, sessionId: id, answers }).result;
      }
      case "retry":
        return run && (await pawl.run(tester, { ...user, sessionId: id, retry: run.id }).result);
      case "queue": {
        const runs = [say(), ...Array.from({ length: one.times }, () => say({ whenBusy: "queue" }))];
        return await Promise.all(runs.map(async ({ result }) => await tolerant(result)));
      }
      case "database":
        return await databaseUser(store, id).message("From the database", crypto.randomUUID());
      case "redact":
        return await pawl.redact(id, 1 + (one.which % lastSeq), user);
      case "fork":
        id = (await pawl.fork(id, { ...user, atSeq: 1 + (one.which % lastSeq) })).id;
    }
  };
  for (const one of steps) await tolerant<unknown>(take(one));
  return await Array.fromAsync(store.read(id));
}

it("R5 the pages of a session, in every size, are its view, and so is the newest one continued", async () => {
  allowPrinted("pawl: Overloaded");
  let most = 0;
  const property = fc.asyncProperty(
    fc.array(reply, { minLength: 1, maxLength: 12 }),
    fc.array(step, { minLength: 1, maxLength: 25 }),
    async (replies, steps) => {
      const log = await logOf(replies, steps);
      await assertPages(log);
      most = Math.max(most, (await allPages(log, 1)).length);
    },
  );
  await fc.assert(property, { numRuns: soak(40, 2_000) });
  expect(most).toBeGreaterThan(5);
  expect(await wholeView([])).toMatchObject({ messages: [], cursor: 0 });
}, 600_000);
