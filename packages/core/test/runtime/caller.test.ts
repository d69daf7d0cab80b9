import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import {
  agentTool,
  approval,
  type Hook,
  jsonSchema,
  memoryBlobs,
  memoryStore,
  tool,
} from "../../src/index.ts";
import { withEventLines } from "../../src/inspect.ts";
import { named } from "../support/hooks.ts";
import { never, type Setup, setup, stored, user } from "../support/setup.ts";
import { beforeAppend, has } from "../support/stores.ts";

const TOKEN = "tok_4f2c9a7e1b8d6053";
const caller = { workspace: "w1", roles: ["admin"] };
const credentials = { token: TOKEN };

type Seen = { caller: unknown; credentials: unknown };

/** A tool that notes who calls it. */
function spy(seen: Seen[], act: () => unknown = () => "found") {
  return tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    idempotent: true,
    execute: (_input, context) => {
      seen.push({ caller: context.caller, credentials: context.credentials });
      return act();
    },
  });
}

const script = [{ tools: [{ name: "look", input: {} }] }, { text: "Done." }];

describe("F17 the caller", () => {
  it("reaches `deps`, hooks and tools, with the credentials", async () => {
    const [inTool, inHook, inDeps]: [Seen[], Seen[], unknown[]] = [[], [], []];
    const hook = named("spy", {
      beforeTurn: (_plan, context) =>
        void inHook.push({ caller: context.caller, credentials: context.credentials }),
    });
    const deps = (_session: unknown, run: unknown) => void inDeps.push(run);
    const world = setup(script, { tools: [spy(inTool)], hooks: [hook] }, { deps });
    await world.say("Go", { caller, credentials });
    const both = { caller, credentials };
    expect({ inTool, inHook, inDeps }).toEqual({ inTool: [both], inHook: [both, both], inDeps: [both] });
  });

  it("is stored with the run, and the credentials are not", async () => {
    const world = setup(script, { tools: [spy([])] });
    const { sessionId } = await world.say("Go", { caller, credentials });
    const [started] = await world.of(sessionId, "run_started");
    expect(started?.data).toMatchObject({ caller, credentials: true });
    expect(JSON.stringify(await world.log(sessionId))).not.toContain(TOKEN);
  });

  it("is that of the answer, once a question was answered", async () => {
    const seen: Seen[] = [];
    const world = setup(script, { tools: [spy(seen)], hooks: [approval({ when: ["look"] })] });
    const { sessionId, pending } = await world.say("Go", { caller });
    const answers = [{ callId: pending[0]?.callId ?? "", value: { approved: true } }];
    await world.pawl.run("tester", { ...user, sessionId, answers, caller: { roles: [] } }).result;
    expect(seen).toEqual([{ caller: { roles: [] }, credentials: undefined }]);
  });

  it("stays the run's where an answer names none", async () => {
    const seen: Seen[] = [];
    const world = setup(script, { tools: [spy(seen)], hooks: [approval({ when: ["look"] })] });
    const { sessionId, pending } = await world.say("Go", { caller });
    await world.answer(sessionId, pending[0]?.callId ?? "", { approved: true });
    expect(seen[0]?.caller).toEqual(caller);
  });

  it("reaches sub-agents", async () => {
    const seen: Seen[] = [];
    const inner = setup(script, { name: "inner", tools: [spy(seen)] });
    const world = setup([{ tools: [{ name: "inner", input: { task: "x" } }] }, { text: "Ok." }], {
      tools: [agentTool({ agent: inner.agent, description: "Does." })],
    });
    await world.say("Go", { caller, credentials });
    expect(seen).toEqual([{ caller, credentials }]);
  });

  it("is that of the queued message for the run that the message starts", async () => {
    const seen: Seen[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = spy(seen, async () => await gate.promise);
    const call = { tools: [{ name: "look", input: {} }] };
    const world = setup([call, call], { tools: [slow], whenBusy: "queue", limits: { turns: 1 } });
    const first = world.pawl.run("tester", { ...user, input: "Go", caller: { n: 1 } });
    const { sessionId } = await first.started;
    await stored(world, sessionId, "tool_started");
    const second = world.pawl.run("tester", { ...user, sessionId, input: "And?", caller: { n: 2 } });
    await second.started;
    gate.resolve();
    await second.result;
    expect(seen.map(({ caller }) => caller)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it.each([
    ["a list", []],
    ["a text", "admin"],
    ["what JSON cannot represent", { at: 1n }],
    ["a date", new Date(0)],
  ])("refuses %s", async (_, wrong) => {
    const world = setup([]);
    await expect(world.say("Go", { caller: wrong as never })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("refuses what would differ in the process that resumes the run, and names it", async () => {
    const world = setup([]);
    const roles = new Set(["admin"]);
    for (const what of ["caller", "params", "metadata"])
      await expect(world.say("Go", { [what]: { roles } })).rejects.toMatchObject({
        code: "invalid_input",
        message: `\`${what}\` must be an object that JSON can represent; ${what}.roles is an instance of Set.`,
      });
    expect(await world.store.sessions.list(user)).toEqual([]);
  });

  it("is JSON in the first process too, and with an answer, as it is after a resume", async () => {
    let asks = false;
    const since = { at: new Date(0), team: undefined };
    const json = { at: "1970-01-01T00:00:00.000Z" };
    const seen: Seen[] = [];
    const look = { tools: [{ name: "look", input: {} }] };
    const world = setup([look, { text: "Ok." }, look, { text: "Done." }], {
      tools: [spy(seen)],
      hooks: [approval({ when: () => asks })],
    });
    await world.say("Go", { caller: since as never });
    asks = true;
    const { sessionId, pending } = await world.say("Go");
    const answers = [{ callId: pending[0]?.callId ?? "", value: { approved: true } }];
    const options = { ...user, sessionId, answers, caller: since as never };
    await world.pawl.run("tester", options).result;
    expect(seen.map(({ caller }) => caller)).toStrictEqual([json, json]);
  });
});

describe("F17 credentials", () => {
  it("are nowhere: log, blobs, errors, console lines, although a tool's error repeats them", async () => {
    const reported: unknown[] = [];
    const lines: string[] = [];
    const blobs = memoryBlobs();
    const stored: string[] = [];
    const noting = {
      ...blobs,
      put: async (...given: Parameters<typeof blobs.put>) => {
        stored.push(JSON.stringify(given));
        return await blobs.put(...given);
      },
    };
    const store = withEventLines(memoryStore(), (line) => lines.push(line));
    const wrong = spy([], () => {
      throw new Error(`401 for Authorization: Bearer ${TOKEN} ${"x".repeat(300_000)}`);
    });
    const leak: Hook = named("leak", {
      afterTurn: async (_turn, { append, credentials: given }) => {
        await append({ type: "note", data: { text: `The token is ${(given as { token: string }).token}.` } });
        throw new Error(TOKEN);
      },
      beforeModel: (_call, { run }) => {
        if (run.turns === 1) throw new Error(`No ${encodeURIComponent(TOKEN)}`);
      },
    });
    const world = setup(
      script,
      { tools: [wrong], hooks: [leak] },
      {
        store,
        blobs: noting,
        onError: (error) => reported.push(String(error), (error as Error).stack),
      },
    );
    const { sessionId, stop, actions } = await world.say("Go", { credentials });
    expect(stop.type).toBe("error");
    expect(
      JSON.stringify([await world.log(sessionId), stop, actions, reported, lines, stored]),
    ).not.toContain(TOKEN);
    expect(reported.length).toBeGreaterThan(0);
    expect(stored.length).toBeGreaterThan(0);
  });

  it("are hidden before a long result is cut, which would leave a part of one", async () => {
    for (let before = 0; before < 20; before += 4) {
      const long = spy([], () => `${"x".repeat(before)}${TOKEN.repeat(40)}`);
      const world = setup(script, { tools: [long], resultLimit: 100 });
      const { sessionId } = await world.say("Go", { credentials });
      expect(JSON.stringify(await world.log(sessionId))).not.toContain(TOKEN.slice(0, 4));
    }
  });

  it("are hidden after a scheme, and never in the names of hooks and tools", async () => {
    const asking = named("billing_approval_gate", {
      beforeRun: ({ answer }) =>
        answer === undefined
          ? { ask: { kind: "sure", payload: {}, answer: jsonSchema({ type: "boolean" }) } }
          : undefined,
    });
    const wrong = spy([], () => {
      throw new Error(`401 for Bearer ${TOKEN}`);
    });
    const world = setup(script, { tools: [wrong], hooks: [asking] });
    const held = { credentials: { authorization: `Bearer ${TOKEN}`, scopes: ["billing_approval_gate"] } };
    const { sessionId, pending } = await world.say("Go", held);
    const answers = [{ callId: pending[0]?.callId ?? "", value: true }];
    const { text } = await world.pawl.run("tester", { ...user, sessionId, answers, ...held }).result;
    expect(text).toBe("Done.");
    expect(JSON.stringify(await world.log(sessionId))).not.toContain(TOKEN);
  });

  it("are hidden in every field and key of an event of one's own, which may also have no data", async () => {
    const own = tool({
      name: "look",
      description: "Looks.",
      input: jsonSchema({ type: "object" }),
      execute: async (_input, { append }) => {
        await append({ type: "api.called", data: { by: TOKEN, agent: TOKEN }, key: `called:${TOKEN}` });
        await append({ type: "api.done", data: null });
      },
    });
    const world = setup(script, { tools: [own] });
    const { sessionId, actions } = await world.say("Go", { credentials });
    expect(actions[0]?.success).toBe(true);
    expect(JSON.stringify(await world.log(sessionId))).not.toContain(TOKEN);
  });

  it("short and ordinary words of them change nothing in the log", async () => {
    const world = setup([{ text: "Hello reader." }], { hooks: [] });
    const { sessionId } = await world.say("I am a reader of long sentences", {
      credentials: { scope: "reader of long sentences", role: "reader" },
    });
    const [message] = await world.of(sessionId, "user_message");
    expect(message?.data.message).toBe("I am a reader of long sentences");
  });
});

/** Starts a run whose process dies in its first tool, and returns a world in which another process sweeps. */
async function dead(options: Parameters<typeof setup>[2] = {}, seen: Seen[] = []) {
  let clock = 0;
  const store = memoryStore({ now: () => clock });
  const dying = beforeAppend(store, async (events) => {
    if (has(events, "tool_result")) return await never();
  });
  const old = setup(script, { tools: [spy([])] }, { store: dying });
  const { sessionId } = await old.pawl.run("tester", { ...user, input: "Go", caller, credentials }).started;
  await stored(old, sessionId, "tool_started");
  clock += 60_000;
  const next = setup([{ text: "Done." }, { text: "Ok." }], { tools: [spy(seen)] }, { store, ...options });
  return { next, sessionId, seen };
}

const pendingOf = async ({ pawl }: Setup, sessionId: string) => (await pawl.view(sessionId, user)).pending;

describe("F17 another process, which lacks the credentials", () => {
  it("asks for them before it does anything else", async () => {
    const { next, sessionId, seen } = await dead();
    await next.pawl.sweep();
    await expect
      .poll(() => pendingOf(next, sessionId))
      .toMatchObject([{ kind: "credentials", toolName: "credentials" }]);
    await settled();
    expect({ seen, requests: next.model.requests }).toEqual({ seen: [], requests: [] });
  });

  it("continues with those of the next request", async () => {
    const { next, sessionId, seen } = await dead();
    await next.pawl.sweep();
    await expect.poll(() => pendingOf(next, sessionId)).toHaveLength(1);
    const [question] = await pendingOf(next, sessionId);
    const answers = [{ callId: question?.callId ?? "", value: true }];
    const { text } = await next.pawl.run("tester", { ...user, sessionId, answers, credentials }).result;
    expect({ text, seen }).toEqual({ text: "Done.", seen: [{ caller, credentials }] });
  });

  it("takes no answer without credentials", async () => {
    const { next, sessionId } = await dead();
    await next.pawl.sweep();
    await expect.poll(() => pendingOf(next, sessionId)).toHaveLength(1);
    const [question] = await pendingOf(next, sessionId);
    await expect(next.answer(sessionId, question?.callId ?? "", true)).rejects.toMatchObject({
      code: "invalid_answer",
      message: expect.stringContaining("run({ credentials })"),
    });
  });

  it("goes on by itself when a reader with credentials comes", async () => {
    const { next, sessionId } = await dead();
    await next.pawl.sweep();
    await expect.poll(() => pendingOf(next, sessionId)).toHaveLength(1);
    const types: string[] = [];
    for await (const { type } of next.pawl.follow(sessionId, {
      resume: true,
      untilIdle: false,
      credentials,
    })) {
      types.push(type);
      if (type === "run_ended") break;
    }
    expect(types.at(-1)).toBe("run_ended");
  });

  it("does not ask at all if the reader that makes it resume the run has credentials", async () => {
    const { next, sessionId, seen } = await dead();
    for await (const { type } of next.pawl.follow(sessionId, { resume: true, credentials }))
      if (type === "run_ended") break;
    expect(seen).toEqual([{ caller, credentials }]);
    expect(await next.of(sessionId, "tool_suspended")).toEqual([]);
  });

  it("ends the run if the application says so", async () => {
    const { next, sessionId, seen } = await dead({ withoutCredentials: "stop" });
    await next.pawl.sweep();
    await stored(next, sessionId, "run_ended");
    const [ended] = await next.of(sessionId, "run_ended");
    expect(ended?.data).toMatchObject({ stop: { type: "credentials_missing" }, session_status: "error" });
    expect(seen).toEqual([]);
  });

  it("does not end as `error` because `deps` needs the credentials", async () => {
    const deps = (_session: unknown, run: { credentials: unknown }) => {
      if (run.credentials === undefined) throw new Error("no token");
      return {};
    };
    const { next, sessionId } = await dead({ deps });
    await next.pawl.sweep();
    await expect.poll(() => pendingOf(next, sessionId)).toHaveLength(1);
  });

  it("continues a run without credentials as before", async () => {
    const world = setup([{ tools: [{ name: "look", input: {} }] }, { text: "Done." }], { tools: [spy([])] });
    const { sessionId } = await world.say("Go", { caller });
    expect(await world.of(sessionId, "tool_suspended")).toEqual([]);
  });
});

it("F17 a hook's own question of the kind `credentials` waits for its user", async () => {
  const own = named("own", {
    beforeRun: ({ answer }) =>
      answer === undefined
        ? { ask: { kind: "credentials", payload: "Share them?", answer: jsonSchema({ type: "boolean" }) } }
        : undefined,
  });
  const world = setup([{ text: "Done." }], { hooks: [own] });
  const { sessionId } = await world.say("Go");
  const signal = AbortSignal.timeout(60);
  for await (const _ of world.pawl.follow(sessionId, { resume: true, credentials, signal }));
  expect(await pendingOf(world, sessionId)).toHaveLength(1);
});
