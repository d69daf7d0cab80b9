import { describe, expect, it } from "vitest";
import { type Agent, agent, agentTool, jsonSchema, PawlError, tool } from "../../src/index.ts";
import { admin, calling, doing, done, guest, prefixes, results, sentTools } from "../support/for-caller.ts";
import { pricing } from "../support/pricing.ts";
import { never, setup, stored, user } from "../support/setup.ts";

/** An agent whose admins may delete. */
function byRole(script: Parameters<typeof setup>[0], more: Parameters<typeof setup>[1] = {}, rest = {}) {
  const ran: string[] = [];
  const [look, remove] = [doing("look", ran), doing("remove", ran)];
  const world = setup(
    script,
    { tools: ({ caller }) => (caller.role === "admin" ? [look, remove] : [look]), ...more },
    rest,
  );
  return { ...world, ran };
}

describe("F19 tools of a session and a caller", () => {
  it("are in the prompt and can be called, and other callers have others", async () => {
    const world = byRole([calling("remove"), done, calling("remove"), done]);
    const { sessionId } = await world.say("Go", admin);
    await world.say("Go", { sessionId, ...guest });
    expect(sentTools(world)).toEqual(["look remove", "look remove", "look", "look"]);
    expect(world.ran).toEqual(["remove for admin"]);
    expect(await results(world, sessionId)).toEqual(["remove is done", 'There is no tool named "remove".']);
    expect(await prefixes(world, sessionId)).toEqual(["look remove", "look"]);
    expect(world.model.rejected).toEqual([]);
  });

  it("keep the prefix of a session whose tools stay the same", async () => {
    const world = byRole([done, done]);
    const { sessionId } = await world.say("Go", admin);
    await world.say("Go", { sessionId, ...admin });
    expect(await prefixes(world, sessionId)).toEqual(["look remove"]);
  });

  it("come from the session, the caller, its credentials and `deps`", async () => {
    const seen: unknown[] = [];
    const world = setup(
      [done],
      {
        tools: ({ session, caller, credentials, deps, signal }) => {
          seen.push([session.userId, session.metadata, caller, credentials, deps, signal.aborted]);
          return [];
        },
      },
      { deps: () => "deps" },
    );
    await world.say("Go", { ...admin, credentials: "tok", metadata: { plan: "free" } });
    expect(seen).toEqual([["u1", { plan: "free" }, { role: "admin" }, "tok", "deps", false]]);
  });

  it("are read once for all turns of a run in one process", async () => {
    let times = 0;
    const look = doing("look");
    const world = setup([calling("look"), calling("look"), done], {
      tools: () => {
        times += 1;
        return [look];
      },
    });
    await world.say("Go");
    expect(times).toBe(1);
  });

  it("are those of the new message's caller, where the message takes the place of an answer", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: jsonSchema({ type: "object" }),
      suspends: { answer: jsonSchema<string>({ type: "string" }) },
    });
    const [deps, ran]: [unknown[], string[]] = [[], []];
    const remove = doing("remove", ran);
    const world = setup(
      [calling("ask"), calling("remove"), done],
      {
        tools: ({ caller }) => (caller.role === "admin" ? [ask, remove] : [ask]),
        userData: { read: () => "data" },
      },
      { deps: (_, { caller }) => void deps.push(caller.role) },
    );
    const { sessionId } = await world.say("Go", admin);
    await world.say("And?", { sessionId, ...guest });
    expect(ran).toEqual([]);
    expect(deps).toEqual(["admin", "guest"]);
    expect(await prefixes(world, sessionId)).toEqual(["ask remove", "ask"]);
  });

  it("are those of the queued message's caller in the run that the message starts", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = tool({
      name: "slow",
      description: "",
      input: jsonSchema({ type: "object" }),
      execute: () => gate.promise,
    });
    const ran: string[] = [];
    const remove = doing("remove", ran);
    const world = setup([calling("slow"), calling("remove"), done], {
      tools: ({ caller }) => (caller.role === "admin" ? [slow, remove] : [slow]),
      whenBusy: "queue",
      limits: { turns: 1 },
    });
    const { sessionId } = await world.pawl.run("tester", { ...user, input: "Go", ...admin }).started;
    await stored(world, sessionId, "tool_started");
    const second = world.pawl.run("tester", { ...user, sessionId, input: "And?", ...guest });
    await second.started;
    gate.resolve();
    await second.result;
    expect(sentTools(world)).toEqual(["slow remove", "slow"]);
    expect(ran).toEqual([]);
    expect(await prefixes(world, sessionId)).toEqual(["slow remove", "slow"]);
    expect(world.model.rejected).toEqual([]);
  });

  it("can be five hundred", async () => {
    const many = Array.from({ length: 500 }, (_, at) => doing(`tool_${at}`));
    const script = [...Array.from({ length: 5 }, (_, at) => calling(`tool_${at * 100}`)), done];
    const world = setup(script, { tools: () => many });
    const { sessionId, stop } = await world.say("Go");
    expect(stop.type).toBe("end_turn");
    expect(await results(world, sessionId)).toHaveLength(5);
    expect(world.model.requests.every(({ tools }) => tools?.length === 500)).toBe(true);
    expect(await prefixes(world, sessionId)).toHaveLength(1);
  });

  it("can be so many that a limit of tokens refuses the request before it is sent", async () => {
    const many = Array.from({ length: 500 }, (_, at) => doing(`tool_${at}`));
    const world = setup([done], { tools: () => many, limits: { inputTokens: 1_000 } });
    const { stop } = await world.say("Go");
    expect({ type: stop.type, requests: world.model.requests.length }).toEqual({
      type: "token_limit",
      requests: 0,
    });
  });
});

describe("F19 a function `tools` that fails", () => {
  const twice = doing("look");
  it.each<[string, Agent["toolsFor"] & {}, RegExp, object?]>([
    [
      "throws",
      () => {
        throw new Error("no server");
      },
      /`tools` of agent\("tester"\) failed: no server/,
    ],
    ["takes too long", () => never(), /Timed out after 20 ms/],
    ["returns no list", () => "look" as never, /must return a list of tools; got a string/],
    ["returns what is no tool", () => [{ name: "look" }] as never, /`tools\[0\]`.*must be made by tool\(\)/],
    ["returns one twice", () => [twice, twice], /two tools named "look"/],
    [
      "returns a circle",
      () => [circular("a", "b"), circular("b", "a")],
      /depend on each other in a circle: a, b/,
    ],
    [
      "returns a tool whose schema contains itself",
      () => [withSchema(cyclic())],
      /the `spec` of its tool "look" must be JSON without cycles/,
    ],
    [
      "returns a tool whose schema is no JSON",
      () => [withSchema({ maximum: 10n })],
      /the `spec` of its tool "look" must be JSON without cycles/,
    ],
    ["returns none for an agent of tools only", () => [], /`toolOnly` and has no tools/, { toolOnly: true }],
    [
      "returns a delegate without prices",
      () => [agentTool({ agent: helper, description: "Helps." })],
      /costUsd is limited, but strict-model has no prices|has no prices/,
      { limits: { costUsd: 1 } },
    ],
  ])("refuses the run before anything is stored: it %s", async (_, tools, message, more = {}) => {
    const world = setup({ script: [done], pricing }, { tools, toolsTimeoutMs: 20, ...more });
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    await expect(run.started).rejects.toMatchObject({ code: "tools_failed" });
    await expect(run.result).rejects.toThrow(message);
    const sessions = await world.store.sessions.list(user);
    expect(sessions.map(({ lastSeq, openRun }) => ({ lastSeq, openRun }))).toEqual([
      { lastSeq: 0, openRun: null },
    ]);
  });

  it("says that a tool cannot be renamed by copying it", async () => {
    const renamed = { ...doing("look"), name: "mail_look" };
    const { say } = setup([], { tools: () => [renamed] });
    await expect(say("Go")).rejects.toMatchObject({
      code: "tools_failed",
      message: expect.stringContaining('its tool "mail_look" has the name "look" in its `spec`'),
    });
  });

  it("leaves the session free for the next message", async () => {
    let isDown = true;
    const world = setup([done], {
      tools: () => {
        if (isDown) throw new Error("down");
        return [];
      },
    });
    const session = await world.pawl.getOrCreateSession("tester", "u1");
    const said = { sessionId: session.id, clientMessageId: "m1" };
    await expect(world.say("Go", said)).rejects.toMatchObject({ code: "tools_failed" });
    isDown = false;
    expect((await world.say("Go", said)).text).toBe("Done.");
  });

  it("repeats no credentials", async () => {
    const token = "tok_4f2c9a7e1b8d6053";
    const world = setup([done], {
      tools: ({ credentials }) => {
        throw new Error(`401 for ${credentials}`);
      },
    });
    const error: unknown = await world.say("Go", { credentials: token }).catch((cause: unknown) => cause);
    expect(PawlError.is(error, "tools_failed")).toBe(true);
    expect(`${(error as Error).stack} ${(error as Error).cause}`).not.toContain(token);
  });

  it("refuses a retry and a new message in the place of an answer, and stores nothing", async () => {
    let isDown = false;
    const world = byRole([calling("look"), done], {
      limits: { turns: 1 },
      tools: () => {
        if (isDown) throw new Error("down");
        return [doing("look")];
      },
    });
    const { sessionId } = await world.say("Go");
    const [started] = await world.of(sessionId, "run_started");
    const before = await world.log(sessionId);
    isDown = true;
    const retry = world.pawl.run("tester", { ...user, sessionId, retry: started?.data.run_id ?? "" });
    await expect(retry.result).rejects.toMatchObject({ code: "tools_failed" });
    expect(await world.log(sessionId)).toEqual(before);
  });
});

/** A copy of a tool with another schema. */
function withSchema(input_schema: object) {
  const look = doing("look");
  return { ...look, spec: { ...look.spec, input_schema: input_schema as never } };
}

function cyclic(): object {
  const schema: { [part: string]: unknown } = { type: "object" };
  schema.properties = { parent: schema };
  return schema;
}

const helper = agent({ name: "helper", model: setup([]).model, instructions: "Help." });

function circular(name: string, on: string) {
  return tool({
    name,
    description: "",
    input: jsonSchema({ type: "object" }),
    dependsOn: [on],
    execute: () => 1,
  });
}
