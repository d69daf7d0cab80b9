import { expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { type EventStore, memoryStore, type Schema, tool } from "../../src/index.ts";
import { named } from "../support/hooks.ts";
import { setup, stored, user } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";
import { ask, echoTool, question } from "../support/tools.ts";

// What the leg holds is stored before these, which the tests of `stored-together` do not reach.

/** A store, and the types of the events of its appends, once these are stored. */
function noted(): { store: EventStore; appends: string[][] } {
  const inner = memoryStore();
  const appends: string[][] = [];
  const store = {
    ...inner,
    append: async (...given: Parameters<typeof inner.append>) => {
      const rows = await inner.append(...given);
      appends.push(rows.map(({ type }) => type));
      return rows;
    },
  };
  return { store, appends };
}

const done = { text: "Done." };
const echo = { name: "echo", input: { text: "a" } };

it("R2 E2 the last answer is stored in an append before that of the first effect, which may charge it", async () => {
  const { store, appends } = noted();
  const hooks = [named("bill", { afterRun: () => undefined })];
  await setup([done], { hooks }, { store }).say("Go");
  expect(appends.slice(1, 3)).toEqual([["assistant_message", "llm_response"], ["effect_started"]]);
});

it("R2 L3 an answered call has its result in the log before onSuspend is called for the next question", async () => {
  const { store, appends } = noted();
  const seen: (string | undefined)[] = [];
  const hooks = [named("tells", { onSuspend: () => void seen.push(appends.at(-1)?.at(-1)) })];
  const script = [
    {
      tools: [
        { name: "ask", id: "toolu_1" },
        { name: "ask", id: "toolu_2" },
      ],
    },
  ];
  const { say, answer } = setup(script, { tools: [ask], hooks }, { store });
  const { sessionId } = await say("Go");
  await answer(sessionId, "toolu_1", "yes");
  expect(seen).toEqual(["tool_suspended", "tool_result"]);
});

it("R2 L3 F17 a result is stored before the `deps` of a new caller are made", async () => {
  const { store, appends } = noted();
  const gate = Promise.withResolvers<void>();
  const seen: (string | undefined)[] = [];
  const slow = { ...echoTool, execute: async () => await gate.promise.then(() => "ok") };
  const deps = (_session: unknown, { caller }: { caller: { name?: unknown } }) => {
    if (caller.name === "ben") seen.push(appends.at(-1)?.at(-1));
    return {};
  };
  const script = [{ tools: [echo, { name: "ask", id: "toolu_1" }] }, done];
  const world = setup(script, { tools: [ask, slow] }, { store, deps: deps as never });
  const run = world.pawl.run("tester", { ...user, input: "Go", caller: { name: "ada" } });
  const { sessionId } = await run.started;
  await stored(world, sessionId, "tool_started");
  const answers = [{ callId: "toolu_1", value: "yes" }];
  await world.pawl.run("tester", { ...user, sessionId, answers, caller: { name: "ben" } }).started;
  gate.resolve();
  await run.result;
  expect(seen).toEqual(["tool_result"]);
});

it("R2 L3 an error is stored before onError is called for it", async () => {
  const { store, appends } = noted();
  const seen: (string | undefined)[] = [];
  const fails = () => {
    throw new Error("no plan");
  };
  const hooks = [
    named("fails", { beforeTurn: fails }),
    named("tells", { onError: () => void seen.push(appends.at(-1)?.at(-1)) }),
  ];
  const { say } = setup([done], { hooks }, { store, onError: () => undefined });
  expect((await say("Go")).stop.type).toBe("error");
  expect(seen[0]).toBe("error");
});

it("R2 L3 a schema that waits need not wait until the leg looks for news, which stores what is held, too", async () => {
  const { store, appends } = noted();
  const seen: (string | undefined)[] = [];
  const waits = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: async (value: unknown) => {
        await settled();
        seen.push(appends.at(-1)?.at(-1));
        return { value };
      },
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
    },
  } as unknown as Schema<unknown>;
  const tools = [tool({ name: "echo", description: "", input: waits, execute: () => "ok" })];
  await setup([{ tools: [echo] }, done], { tools }, { store }).say("Go");
  expect(seen).toEqual(["llm_response"]);
});

it("R2 C12 a message that is stored before a result is no failure of the strategy that was to be asked", async () => {
  const inner = memoryStore();
  let comes = true;
  const store = beforeAppend(inner, async (events, sessionId) => {
    if (!comes || !has(events, "tool_result")) return;
    comes = false;
    const data = { message: "And hurry.", queued: true };
    await inner.append(sessionId, [{ type: "user_message", data }], { appendId: "other" });
  });
  const options = { tools: [echoTool], checkpointWhen: [() => undefined] };
  const { say, of } = setup([{ tools: [echo] }, done], options, { store });
  const { sessionId, stop } = await say("Go");
  expect(stop.type).toBe("end_turn");
  expect(await of(sessionId, "error")).toEqual([]);
});

it("R2 P4 a run does not wait for an answer that came while it looked whether its session is over", async () => {
  const inner = memoryStore();
  let asks = false;
  const get: typeof inner.sessions.get = async (id) => {
    if (asks) {
      asks = false;
      const answers = [{ callId: "toolu_q", value: "yes" }];
      await world.pawl.run("tester", { ...user, sessionId: id, answers }).started;
    }
    return await inner.sessions.get(id);
  };
  const store = {
    ...inner,
    sessions: { ...inner.sessions, get },
    append: async (...given: Parameters<typeof inner.append>) => {
      const rows = await inner.append(...given);
      asks ||= has(rows, "tool_suspended");
      return rows;
    },
  };
  const world = setup([{ tools: [question] }, done], { tools: [ask] }, { store });
  const { sessionId, stop } = await world.say("Go");
  expect(stop.type).toBe("end_turn");
  expect(await world.of(sessionId, "run_suspended")).toEqual([]);
});

it("R2 E2 a note of Pawl's own about a refused call comes after its result, also if a message was stored first", async () => {
  const inner = memoryStore();
  let comes = true;
  const store = beforeAppend(inner, async (events, sessionId) => {
    if (!comes || !has(events, "tool_call")) return;
    comes = false;
    const data = { message: "And hurry.", queued: true };
    await inner.append(sessionId, [{ type: "user_message", data }], { appendId: "other" });
  });
  const script = [{ tools: [{ name: "echo", input: { text: 1 } }] }, done];
  const { say, log } = setup(script, { tools: [echoTool], limits: { toolFailures: 1 } }, { store });
  const types = (await log((await say("Go")).sessionId)).map(({ type }) => type);
  const last = types.slice(types.indexOf("tool_call"), types.lastIndexOf("llm_request"));
  expect(last).toEqual(["tool_call", "llm_response", "tool_result", "note"]);
});
