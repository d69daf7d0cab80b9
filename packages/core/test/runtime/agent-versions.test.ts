import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { type EventStore, memoryStore, type Tool, type ToolContext, tool } from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { looking } from "../support/hooks.ts";
import { type Options, type Setup, setup, stored, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";
import { nothing } from "../support/tools.ts";

const done = { text: "Done." };

/** A version of the agent, in a process of its own. The lease of the process before it has expired. */
function versions() {
  let now = 0;
  const store = memoryStore({ now: () => now });
  const boot = (
    version: string,
    tools: readonly Tool<unknown>[],
    script: readonly Reply[] = [done],
    over: EventStore = store,
    options: Options = {},
  ): Setup => {
    now += 60_000;
    return setup(script, { version, tools, ...options }, { store: over, times: { pollMs: 10 } });
  };
  return { store, boot };
}

/** A process that dies once a call has started, or is stored and about to be run. */
async function diesIn(
  { store, boot }: ReturnType<typeof versions>,
  tools: readonly Tool<unknown>[],
  call: NonNullable<Reply["tools"]>[number],
  at: "tool_started" | "assistant_message",
): Promise<string> {
  const dying = dyingStore(store, (events) => has(events, at));
  const hooks = at === "assistant_message" ? [looking] : [];
  const world = boot("1", tools, [{ tools: [call] }], dying, { hooks });
  const { sessionId } = await world.pawl.run("tester", { ...user, input: "Go" }).started;
  await stored(world, sessionId, at);
  return sessionId;
}

/** Resumes the run in this process. Returns the result of its call as the model reads it. */
async function resume(world: Setup, sessionId: string): Promise<string> {
  expect(await world.pawl.sweep()).toBe(1);
  await stored(world, sessionId, "run_ended");
  return await checked(world, sessionId);
}

async function checked(world: Setup, sessionId: string): Promise<string> {
  assertSoundLog(await world.log(sessionId));
  expect(world.model.rejected).toEqual([]);
  expect((await world.of(sessionId, "run_ended"))[0]?.data.stop.type).toBe("end_turn");
  return String((await world.of(sessionId, "tool_result"))[0]?.data.result);
}

/** A tool that records what it ran with. */
function work<S extends z.ZodObject>(input: S, options: { idempotent?: boolean } = {}) {
  const ran: unknown[] = [];
  const made = tool({
    name: "work",
    description: "",
    input: input as z.ZodObject,
    ...options,
    execute: (given) => {
      ran.push(given);
      return "worked";
    },
  });
  return { ran, tool: made as Tool<unknown> };
}

const call = { name: "work", id: "toolu_w", input: { city: "Bern" } };
const v1 = () => work(z.object({ city: z.string() }));
const asks = (answer: z.ZodType, execute = true, options: { idempotent?: boolean } = {}) => {
  const ran: unknown[] = [];
  const made = tool({
    name: "ask",
    description: "",
    input: nothing,
    suspends: { answer: answer as z.ZodString },
    ...options,
    ...(execute && { execute: (_: unknown, { answer: said }: { answer: unknown }) => void ran.push(said) }),
  });
  return { ran, tool: made as Tool<unknown> };
};
const asked = { tools: [{ name: "ask", id: "toolu_q" }] };

describe("a run under another version of its agent", () => {
  it("F25 says once in the log what has changed, and keeps the prefix until the next run", async () => {
    const world = versions();
    const sessionId = await diesIn(world, [v1().tool, asks(z.string()).tool], call, "assistant_message");
    const changed = work(z.object({ city: z.string(), days: z.number().default(1) }));
    const dying = dyingStore(world.store, (events) => has(events, "llm_request"));
    const second = world.boot("2", [changed.tool], [done], dying);
    await second.pawl.sweep();
    await expect.poll(async () => (await second.of(sessionId, "llm_request")).length).toBe(2);
    const third = world.boot("2", [changed.tool]);
    expect(await resume(third, sessionId)).toBe("worked");
    expect(changed.ran).toEqual([{ city: "Bern", days: 1 }]);
    expect(await third.of(sessionId, "agent_changed")).toMatchObject([
      { data: { from: "1", to: "2", tools: { removed: ["ask"], changed: ["work"] } } },
    ]);
    expect(third.model.requests[0]?.tools).toHaveLength(2);
    const fourth = world.boot("2", [changed.tool]);
    await fourth.say("Again", { sessionId });
    expect(fourth.model.requests[0]?.tools).toHaveLength(1);
    expect(fourth.model.rejected).toEqual([]);
    expect(await fourth.of(sessionId, "agent_changed")).toHaveLength(1);
  });

  it("F25 logs that tools have changed under the same version, and that a version is rolled back", async () => {
    const world = versions();
    const sessionId = await diesIn(world, [v1().tool], call, "assistant_message");
    const dies = () => dyingStore(world.store, (events) => has(events, "agent_changed"));
    for (const version of ["1", "2"]) {
      const other = world.boot(version, [work(z.object({})).tool], [done], dies());
      const before = (await other.of(sessionId, "agent_changed")).length;
      void other.pawl.sweep();
      await expect.poll(async () => (await other.of(sessionId, "agent_changed")).length).toBe(before + 1);
    }
    const last = world.boot("1", [v1().tool]);
    expect(await resume(last, sessionId)).toBe("worked");
    const changes = (await last.of(sessionId, "agent_changed")).map(({ data }) => data);
    expect(changes.map(({ from, to, tools }) => `${from} ${to} ${tools.changed}`)).toEqual([
      "1 1 work",
      "1 2 work",
      "2 1 ",
    ]);
  });

  it("F25 R2 is in the log before what an answer leads to, also if that could be stored with the answer", async () => {
    const { boot } = versions();
    const { sessionId } = await boot("1", [asks(z.string()).tool], [asked]).say("Go");
    const second = boot("2", [asks(z.string()).tool]);
    await second.answer(sessionId, "toolu_q", "yes");
    const types = (await second.log(sessionId)).map(({ type }) => type);
    expect(types.slice(types.indexOf("tool_answered")).slice(0, 3)).toEqual([
      "tool_answered",
      "agent_changed",
      "tool_started",
    ]);
  });

  it("F25 is not logged for a run that continues under the same version", async () => {
    const world = versions();
    const sessionId = await diesIn(world, [v1().tool], call, "assistant_message");
    const next = world.boot("1", [v1().tool]);
    await resume(next, sessionId);
    expect(await next.of(sessionId, "agent_changed")).toEqual([]);
  });

  it("F25 lets a plan name a tool that only the new version has", async () => {
    const world = versions();
    const sessionId = await diesIn(world, [v1().tool], call, "assistant_message");
    const fresh = tool({ name: "fresh", description: "", input: nothing, execute: () => "" });
    const forces = {
      name: "forces",
      beforeModel: () => ({ toolChoice: { type: "tool" as const, name: "fresh" } }),
    };
    const next = world.boot("2", [v1().tool, fresh], [done], world.store, { hooks: [forces] });
    expect(await resume(next, sessionId)).toBe("worked");
  });
});

describe("a call of another version", () => {
  it.each([
    ["2", 'The tool "work" was removed in version 2 of this agent.'],
    ["1", 'The tool "work" was removed from this agent.'],
  ])("F25 of a tool that is gone says so, and the model goes on: version %s", async (version, text) => {
    const world = versions();
    const sessionId = await diesIn(world, [v1().tool], call, "assistant_message");
    expect(await resume(world.boot(version, []), sessionId)).toBe(text);
  });

  it("F25 that was running when its process died is not called off: its outcome is unknown", async () => {
    const world = versions();
    const sessionId = await diesIn(world, [v1().tool], call, "tool_started");
    expect(await resume(world.boot("2", []), sessionId)).toBe(
      'The outcome of this call is unknown: the process was cut off while it ran, and the tool "work" was removed in version 2 of this agent. It may or may not have taken effect; check before doing it again.',
    );
  });

  it("F25 with an input that does not fit any more says that the tool has changed, and to what", async () => {
    const world = versions();
    const sessionId = await diesIn(world, [v1().tool], call, "assistant_message");
    const stricter = work(z.object({ town: z.string() }));
    const text = await resume(world.boot("2", [stricter.tool]), sessionId);
    expect(text).toMatch(/^The input does not match the tool's schema: town: .*This tool has changed/);
    expect(text).toContain('"required":["town"]');
    expect(stricter.ran).toEqual([]);
  });

  it("F25 T5 that could run again, but does not fit any more, has an unknown outcome", async () => {
    const world = versions();
    const once = work(z.object({ city: z.string() }), { idempotent: true });
    const sessionId = await diesIn(world, [once.tool], call, "tool_started");
    const stricter = work(z.object({ town: z.string() }), { idempotent: true });
    expect(await resume(world.boot("2", [stricter.tool]), sessionId)).toContain(
      "outcome of this call is unknown",
    );
    expect(stricter.ran).toEqual([]);
  });

  it.each([
    [false, true],
    [true, false],
  ])("F25 T5 L12 runs once if it was idempotent: %s, and now: %s", async (before, now) => {
    const world = versions();
    const first = work(z.object({ city: z.string() }), { idempotent: before });
    const sessionId = await diesIn(world, [first.tool], call, "tool_started");
    const second = work(z.object({ city: z.string() }), { idempotent: now });
    expect(await resume(world.boot("2", [second.tool]), sessionId)).toContain(
      "outcome of this call is unknown",
    );
    expect(second.ran).toEqual([]);
  });
});

describe("a question of another version", () => {
  async function waiting(answer: z.ZodType, options: { idempotent?: boolean } = {}) {
    const world = versions();
    const first = world.boot("1", [asks(answer, true, options).tool], [asked]);
    const { sessionId, pending } = await first.say("Go");
    expect(pending).toHaveLength(1);
    return { world, sessionId };
  }

  it("F25 P5 is answered by the schema that was shown; if the tool needs another answer, the call says so", async () => {
    const { world, sessionId } = await waiting(z.string());
    const now = asks(z.object({ yes: z.boolean() }));
    const next = world.boot("2", [now.tool]);
    await expect(next.answer(sessionId, "toolu_q", { yes: true })).rejects.toSatisfy(code("invalid_answer"));
    expect((await next.answer(sessionId, "toolu_q", "Bern")).stop.type).toBe("end_turn");
    const text = await checked(next, sessionId);
    expect(text).toMatch(/^Not run: this tool's question has changed since the user was asked/);
    expect(text).toMatch(/Call the tool again to ask again\. The user had answered: "Bern"$/);
    expect(now.ran).toEqual([]);
  });

  it("F25 P5 of a tool that asked while it ran, and now asks before it runs, does not run it", async () => {
    const world = versions();
    const midway = tool({
      name: "ask",
      description: "",
      input: nothing,
      execute: (_, context: ToolContext) =>
        context.ask({ kind: "sure", payload: null, answer: z.string(), state: 1 }),
    });
    const { sessionId } = await world.boot("1", [midway], [asked]).say("Go");
    const now = asks(z.string());
    const next = world.boot("2", [now.tool]);
    await next.answer(sessionId, "toolu_q", "Bern");
    expect(await checked(next, sessionId)).toBe(
      'This tool has changed since its question was asked. The call was not finished. What it had done before its question may have taken effect. The user had answered: "Bern"',
    );
    expect(now.ran).toEqual([]);
  });

  it("F25 T5 of an idempotent call that was running is not asked or run again if the tool now asks, or no longer", async () => {
    const world = versions();
    const once = tool({ name: "ask", description: "", input: nothing, idempotent: true, execute: () => 1 });
    const sessionId = await diesIn(world, [once], asked.tools[0] ?? call, "tool_started");
    const unknown = /the process was cut off while it ran, and the tool has changed since\./;
    const now = asks(z.string(), true, { idempotent: true });
    expect(await resume(world.boot("2", [now.tool]), sessionId)).toMatch(unknown);

    const before = await waiting(z.string(), { idempotent: true });
    const dying = dyingStore(before.world.store, (events) => has(events, "tool_started"));
    const first = before.world.boot("1", [asks(z.string(), true, { idempotent: true }).tool], [], dying);
    const answers = [{ callId: "toolu_q", value: "Bern" }];
    void first.pawl.run("tester", { ...user, sessionId: before.sessionId, answers });
    await stored(first, before.sessionId, "tool_started");
    const ran: unknown[] = [];
    const silent = { ...once, execute: () => void ran.push(1) };
    expect(await resume(before.world.boot("2", [silent as Tool<unknown>]), before.sessionId)).toMatch(
      unknown,
    );
    expect([now.ran, ran]).toEqual([[], []]);
  });

  it("F25 P5 may be asked again by the model, in its new form", async () => {
    const { world, sessionId } = await waiting(z.string());
    const now = asks(z.object({ yes: z.boolean() }));
    const script = [{ tools: [{ name: "ask", id: "toolu_r" }] }, done];
    const next = world.boot("2", [now.tool], script);
    const { pending } = await next.answer(sessionId, "toolu_q", "Bern");
    expect(pending).toMatchObject([{ callId: "toolu_r", answerSchema: { required: ["yes"] } }]);
    await next.answer(sessionId, "toolu_r", { yes: true });
    expect(now.ran).toEqual([{ yes: true }]);
    expect(next.model.rejected).toEqual([]);
  });

  it("F25 P5 keeps its answer if the tool's new schema accepts it too, and transforms it", async () => {
    const { world, sessionId } = await waiting(z.string());
    const now = asks(
      z
        .string()
        .max(10)
        .transform((said) => said.length),
    );
    const next = world.boot("2", [now.tool]);
    await next.answer(sessionId, "toolu_q", "Bern");
    expect(now.ran).toEqual([4]);
  });

  it("P5 checks by the tool's own schema as long as the same was shown, also what JSON Schema cannot say", async () => {
    const even = z.coerce.number().refine((n) => n % 2 === 0, "must be even");
    const { world, sessionId } = await waiting(even);
    const now = asks(even);
    const next = world.boot("2", [now.tool]);
    await expect(next.answer(sessionId, "toolu_q", "3")).rejects.toThrow(/must be even/);
    await next.answer(sessionId, "toolu_q", "4");
    expect(now.ran).toEqual([4]);
  });

  it("F25 of a tool that is gone is answered, and the model reads the answer", async () => {
    const { world, sessionId } = await waiting(z.string());
    const next = world.boot("2", []);
    await next.answer(sessionId, "toolu_q", "Bern");
    expect(await checked(next, sessionId)).toBe(
      'The tool "ask" was removed in version 2 of this agent. The user had answered: "Bern"',
    );
  });

  it("F25 of a tool that no longer asks does not run it: the user may have said no", async () => {
    const { world, sessionId } = await waiting(z.boolean());
    const ran: unknown[] = [];
    const now = tool({ name: "ask", description: "", input: nothing, execute: () => void ran.push(1) });
    const next = world.boot("2", [now]);
    await next.answer(sessionId, "toolu_q", false);
    expect(await checked(next, sessionId)).toMatch(
      /no longer asks the user\..* The user had answered: false$/,
    );
    expect(ran).toEqual([]);
  });

  it("F25 T5 of a call that was running when its process died is not asked again: its outcome is unknown", async () => {
    const { world, sessionId } = await waiting(z.string(), { idempotent: true });
    const dying = dyingStore(world.store, (events) => has(events, "tool_started"));
    const first = world.boot("1", [asks(z.string(), true, { idempotent: true }).tool], [], dying);
    void first.pawl.run("tester", { ...user, sessionId, answers: [{ callId: "toolu_q", value: "Bern" }] });
    await stored(first, sessionId, "tool_started");
    const now = asks(z.object({ yes: z.boolean() }), true, { idempotent: true });
    expect(await resume(world.boot("2", [now.tool]), sessionId)).toContain("outcome of this call is unknown");
    expect(now.ran).toEqual([]);
  });
});
