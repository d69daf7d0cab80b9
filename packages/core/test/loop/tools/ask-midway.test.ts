import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { assertSoundLog } from "../../../../../test/support/invariants.ts";
import {
  type EventStore,
  jsonSchema,
  memoryStore,
  PawlError,
  type ToolContext,
  tool,
} from "../../../src/index.ts";
import { type Options, type Setup, setup, stored, types, until } from "../../support/setup.ts";
import { dyingStore, has } from "../../support/stores.ts";
import { nothing } from "../../support/tools.ts";

const yes = jsonSchema<{ ok: boolean }>({
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
});
const question = { kind: "confirm", payload: { about: "rm" }, answer: yes };
const script: Reply[] = [{ tools: [{ name: "clean", id: "c1" }] }, { text: "Ok." }, { text: "Fine." }];

/** A tool that does this. It is not idempotent. */
const clean = (execute: (context: ToolContext) => unknown, more: object = {}) =>
  tool({
    name: "clean",
    description: "",
    input: nothing,
    execute: (_, context: ToolContext) => execute(context),
    ...more,
  });

/** A process of its own over this store. */
const boot = (
  store: EventStore,
  tools: Options["tools"] & {},
  left = script,
  more: { deps?: () => unknown } = {},
) => setup(left, { tools }, { store, times: { pollMs: 10 }, ...more });

const pendingOf = async (world: Setup, sessionId: string) =>
  (await world.pawl.view(sessionId, { userId: "u1" })).pending;

async function resultOf(world: Setup, sessionId: string) {
  const log = await world.log(sessionId);
  assertSoundLog(log);
  expect(world.model.rejected).toEqual([]);
  return (await world.of(sessionId, "tool_result"))[0]?.data;
}

describe("a tool that asks while it runs", () => {
  it("T4 P1 runs again with the answer and its state, in another process, though it is not idempotent", async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const asks = clean(({ answered, ask, report }) => {
      seen.push(answered);
      report({ costUsd: 0.01 });
      if (answered === undefined) return ask({ ...question, state: { page: 2 } });
      return answered.value;
    });
    const first = boot(store, [asks]);
    const { sessionId, stop, pending } = await first.say("Go");
    expect(stop.type).toBe("suspended");
    expect(pending).toMatchObject([{ callId: "c1", kind: "confirm", payload: { about: "rm" } }]);
    expect(JSON.stringify(pending)).not.toContain("page");
    const second = boot(store, [asks], script.slice(1));
    const { stop: end, costUsd } = await second.answer(sessionId, "c1", { ok: true });
    expect(end.type).toBe("end_turn");
    expect(seen).toEqual([undefined, { value: { ok: true }, state: { page: 2 }, questions: 1 }]);
    expect(await resultOf(second, sessionId)).toMatchObject({ success: true, result: { ok: true } });
    expect(costUsd).toBeCloseTo(0.02);
    expect(types(await second.log(sessionId)).filter((type) => type.startsWith("tool_"))).toEqual([
      ...["tool_call", "tool_started", "tool_suspended", "tool_answered", "tool_started", "tool_result"],
    ]);
  });

  it("T4 P1 may ask again and again, and a question wins over a result of a tool that catches it", async () => {
    const asks = clean(({ answered, ask }) => {
      const times = answered?.questions ?? 0;
      if (times === 3) return "done";
      try {
        return ask({ ...question, payload: times });
      } catch {
        return "caught";
      }
    });
    const world = setup(script, { tools: [asks] });
    const { sessionId } = await world.say("Go");
    for (const times of [0, 1, 2]) {
      expect(await pendingOf(world, sessionId)).toMatchObject([{ payload: times }]);
      await world.answer(sessionId, "c1", { ok: true });
    }
    expect(await resultOf(world, sessionId)).toMatchObject({ success: true, result: "done" });
  });

  it("P2 takes only answers that match the schema that was shown", async () => {
    const world = setup(script, { tools: [clean(({ answered, ask }) => answered?.value ?? ask(question))] });
    const { sessionId } = await world.say("Go");
    await expect(world.answer(sessionId, "c1", { ok: "yes" })).rejects.toMatchObject({
      code: "invalid_answer",
    });
    await world.answer(sessionId, "c1", { ok: false });
    await expect(world.answer(sessionId, "c1", { ok: true })).rejects.toMatchObject({
      code: "already_answered",
    });
    expect(await resultOf(world, sessionId)).toMatchObject({ result: { ok: false } });
  });

  it.each([
    { idempotent: false, apart: false, dies: "tool_suspended", ran: 2, success: true },
    // One append stores the answer and the start of the call, so it may have run.
    { idempotent: false, apart: false, dies: "tool_answered", ran: 1, success: false },
    { idempotent: true, apart: false, dies: "tool_answered", ran: 2, success: true },
    // The answer is stored alone if `deps` return a promise.
    { idempotent: false, apart: true, dies: "tool_answered", ran: 2, success: true },
    { idempotent: false, apart: true, dies: "tool_started", ran: 1, success: false },
    { idempotent: true, apart: true, dies: "tool_started", ran: 2, success: true },
  ])(
    "P1 R2 survives a crash at $dies, idempotent: $idempotent, apart: $apart",
    async ({ idempotent, apart, dies, ran, success }) => {
      const deps = apart ? async () => ({}) : () => ({});
      let clock = 1_000_000;
      const base = memoryStore({ now: () => clock });
      let runs = 0;
      const asks = clean(
        ({ answered, ask }) => {
          runs += 1;
          return answered?.value ?? ask(question);
        },
        { idempotent },
      );
      let events = 0;
      const dying = dyingStore(base, (batch) => {
        if (has(batch, "tool_suspended")) events += 1;
        return has(batch, dies) && (dies !== "tool_started" || events === 1);
      });
      const first = boot(dying, [asks], script, { deps });
      const { sessionId } = await first.pawl.run("tester", { userId: "u1", input: "Go" }).started;
      await stored(first, sessionId, "tool_suspended");
      if (dies !== "tool_suspended") {
        await stored(first, sessionId, "run_suspended");
        void first.answer(sessionId, "c1", { ok: true });
        await stored(first, sessionId, "tool_answered");
      }
      await until(() => dying.dead);
      clock += 60_000;
      const next = boot(base, [asks], script.slice(1));
      const afterSeq = (await next.log(sessionId)).length;
      await next.pawl.sweep();
      for await (const _ of next.pawl.follow(sessionId, { afterSeq, untilIdle: true }));
      if (dies === "tool_suspended") await next.answer(sessionId, "c1", { ok: true });
      expect(runs).toBe(ran);
      const result = await resultOf(next, sessionId);
      expect(result?.success).toBe(success);
      if (!success) expect(result?.result).toMatch(/outcome of this call is unknown/);
    },
  );

  it("F25 is not run if it is gone when the answer comes, and the model reads the answer", async () => {
    const store = memoryStore();
    const first = boot(store, [clean(({ ask }) => ask(question))]);
    const { sessionId } = await first.say("Go");
    const other = tool({ name: "other", description: "", input: nothing, execute: () => "" });
    const second = boot(store, [other], script.slice(1));
    await second.answer(sessionId, "c1", { ok: true });
    const { success, result } = (await resultOf(second, sessionId)) ?? {};
    expect(success).toBe(false);
    expect(result).toMatch(/was removed.*not finished.*The user had answered: {"ok":true}/);
  });

  it("P4 is closed by a message instead of an answer", async () => {
    const world = setup(script, { tools: [clean(({ ask }) => ask(question))] });
    const { sessionId } = await world.say("Go");
    await world.say("Never mind", { sessionId });
    expect(await resultOf(world, sessionId)).toMatchObject({ skipped: "closed" });
  });

  it("F22 refuses a question that is invalid, and one of a tool with `suspends`", async () => {
    const wrong: unknown[] = [];
    const attempt = (context: ToolContext, given: unknown) => {
      try {
        context.ask(given as never);
      } catch (error) {
        wrong.push(error);
      }
    };
    const invalid = clean((context) => {
      attempt(context, { kind: "confirm" });
      attempt(context, { ...question, state: 1n });
      attempt(context, { ...question, more: 1 });
      attempt(context, { ...question, answer: jsonSchema({ type: "nothing" }) });
      return "went on";
    });
    const world = setup(script, { tools: [invalid] });
    const { sessionId } = await world.say("Go");
    expect(wrong.map((error) => PawlError.is(error, "invalid_input"))).toEqual([true, true, true, true]);
    expect(await resultOf(world, sessionId)).toMatchObject({ result: "went on" });
    const both = clean((context) => attempt(context, question), { suspends: { answer: yes } });
    const asking = setup(script, { tools: [both] });
    await asking.answer((await asking.say("Go")).sessionId, "c1", { ok: true });
    expect(String(wrong.at(-1))).toMatch(/`suspends`/);
  });
});
