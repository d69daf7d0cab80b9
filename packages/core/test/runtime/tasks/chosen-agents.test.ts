import { type Reply, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { byTurn } from "../../../../../test/support/world.ts";
import {
  type Agent,
  agent,
  agentTool,
  type EventStore,
  type Hook,
  memoryStore,
  runtime,
} from "../../../src/index.ts";
import { ask, asking, ofType } from "../../support/family.ts";
import { pricing } from "../../support/pricing.ts";
import { until, user } from "../../support/setup.ts";
import { dyingStore, has } from "../../support/stores.ts";

const sessionId = "s1";
const child = `${sessionId}:toolu_a`;
const input = z.object({ agent: z.string(), task: z.string() });
const asks = (name: string, id = "toolu_a", task = "Do it.") => ({
  tools: [{ name: "delegate", input: { agent: name, task }, id }],
});
const done = { text: "Done." };

interface World {
  chosen: unknown[];
  models: Map<string, ReturnType<typeof strictModel>>;
  base: EventStore;
  boot(options?: {
    store?: EventStore;
    names?: readonly string[];
    tools?: boolean;
  }): ReturnType<typeof runtime>;
  say(
    pawl?: ReturnType<typeof runtime>,
    caller?: { role: string },
  ): ReturnType<ReturnType<typeof runtime>["run"]>;
  log(id?: string): ReturnType<typeof read>;
  results(): Promise<unknown[]>;
}

const read = async (store: EventStore, id: string) => await Array.fromAsync(store.read(id));

/** A caller whose tasks go to the agents that its users may use: `writer`, and for admins `auditor`. */
function world(
  caller: readonly Reply[],
  scripts: { readonly [name: string]: readonly Reply[] },
  more: {
    limits?: object;
    slice?: object;
    pick?: (name: string) => unknown;
    unpriced?: boolean;
    hooks?: readonly Hook[];
  } = {},
): World {
  let time = Date.UTC(2026, 0, 1);
  const base = memoryStore({ now: () => time });
  const chosen: unknown[] = [];
  const models = new Map(
    Object.entries(scripts).map(([name, script]) => [
      name,
      strictModel({ rules: byTurn(script), ...(!more.unpriced && { pricing }) }),
    ]),
  );
  const agents = new Map(
    [...models].map(([name, model]) => [name, agent({ name, model, instructions: "Work.", tools: [ask] })]),
  );
  const host = strictModel({ rules: byTurn(caller), pricing });
  const boot: World["boot"] = ({ store = base, names = [...agents.keys()], tools = true } = {}) => {
    time += 60_000;
    const delegate = agentTool({
      name: "delegate",
      description: "Gives a task to an agent.",
      input,
      message: ({ task }) => task,
      shows: "text",
      ...(more.slice && { limits: more.slice }),
      agents: ({ agent: name }, { caller: who, userId, deps }) => {
        chosen.push([name, who.role ?? null, userId, deps]);
        if (more.pick !== undefined) return more.pick(name) as Agent;
        return name === "auditor" && who.role !== "admin"
          ? undefined
          : agents.get(names.find((n) => n === name) ?? "");
      },
    });
    const made = agent({
      name: "host",
      instructions: "Hand on.",
      model: host,
      tools: tools ? [delegate] : [],
      limits: more.limits ?? {},
      hooks: more.hooks ?? [],
    });
    return runtime({
      agents: [made],
      store,
      times: { abortGraceMs: 20, storeRetryMs: [], pollMs: 20 },
      deps: () => "deps",
    });
  };
  const first = boot();
  const log = async (id = sessionId) => await read(base, id);
  return {
    chosen,
    models,
    base,
    boot,
    log,
    say: (pawl = first, caller = { role: "guest" }) =>
      pawl.run("host", { ...user, sessionId, input: "Go", caller }),
    results: async () =>
      (await log()).flatMap((event) => (event.type === "tool_result" ? [event.data.result] : [])),
  };
}

async function said(made: World, caller?: { role: string }) {
  await made.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
  return await made.say(undefined, caller).result;
}

describe("F19 an agent that is chosen by the call's input", () => {
  it("does the work, by the validated input, the caller and `deps`", async () => {
    const made = world([asks("writer"), asks("auditor", "toolu_b"), done], {
      writer: [{ text: "Written." }],
      auditor: [{ text: "Checked." }],
    });
    const { text, usage } = await said(made, { role: "admin" });
    expect(text).toBe("Done.");
    expect(await made.results()).toEqual(["Written.", "Checked."]);
    expect(made.chosen).toEqual([
      ["writer", "admin", "u1", "deps"],
      ["auditor", "admin", "u1", "deps"],
    ]);
    const started = ofType(await made.log(), "tool_started");
    expect(started.map(({ data }) => (data as { agent?: string }).agent)).toEqual(["writer", "auditor"]);
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it.each(["auditor", "nobody", "constructor", "__proto__"])(
    "is no agent for a name that this caller may not use, or that is made up: %s",
    async (name) => {
      const made = world([asks(name), done], { auditor: [{ text: "Secret." }] });
      expect((await said(made)).stop.type).toBe("end_turn");
      expect(await made.results()).toEqual(["There is no such agent."]);
      expect(await made.base.sessions.get(child)).toBeUndefined();
      expect(made.models.get("auditor")?.requests).toEqual([]);
    },
  );

  it("fails the call, and only the call, if the function throws or returns no agent", async () => {
    expectPrinted(`failed: \`agents\` of agentTool("delegate") must return an agent`, "failed: no directory");
    const broken = world([asks("writer"), done], {}, { pick: (name) => ({ name }) });
    expect((await said(broken)).stop.type).toBe("end_turn");
    expect(await broken.results()).toEqual([
      '`agents` of agentTool("delegate") must return an agent; got an object.',
    ]);
    const pick = () => {
      throw new Error("no directory");
    };
    const thrown = world([asks("writer"), done], {}, { pick });
    await said(thrown);
    expect(await thrown.results()).toEqual(["no directory"]);
  });

  it("is refused without prices if the caller's cost is limited", async () => {
    const made = world(
      [asks("writer"), done],
      { writer: [{ text: "Free?" }] },
      { limits: { costUsd: 1 }, unpriced: true },
    );
    await said(made);
    expect(await made.results()).toEqual([
      expect.stringMatching(/"writer" cannot be used: the cost is limited/),
    ]);
    expect(made.models.get("writer")?.requests).toEqual([]);
  });

  it("L13 gets an equal part of what is left, like a fixed one", async () => {
    const both = {
      tools: [...asks("writer").tools, ...asks("auditor", "toolu_b").tools, ...asks("x", "toolu_c").tools],
    };
    const made = world(
      [both, done],
      { writer: [{ text: "A." }], auditor: [{ text: "B." }] },
      { limits: { outputTokens: 20_000 }, slice: { turns: 2 } },
    );
    await said(made, { role: "admin" });
    const slices = ofType(await made.log(), "tool_started").map(
      ({ data }) => (data as { slice?: unknown }).slice,
    );
    const [first] = slices as { outputTokens: number; turns: number }[];
    expect(slices).toEqual([first, first]);
    expect(first?.turns).toBe(2);
    expect(first?.outputTokens).toBeGreaterThan(9_900);
    expect(first?.outputTokens).toBeLessThanOrEqual(10_000);
    expect((await made.results()).sort()).toEqual(["A.", "B.", "There is no such agent."]);
  });

  it("P6 asks the user through its caller, and continues with the answer", async () => {
    const made = world([asks("writer"), done], { writer: [asking("Sure?"), { text: "Written." }] });
    const { pending } = await said(made);
    expect(pending).toMatchObject([{ callId: "toolu_a", payload: { q: "Sure?" } }]);
    const answers = [{ callId: "toolu_a", value: { text: "yes" } }];
    const { text } = await made.boot().run("host", { ...user, sessionId, answers }).result;
    expect(text).toBe("Done.");
    expect(await made.results()).toEqual(["Written."]);
    expect(made.chosen).toHaveLength(2);
  });

  it("fails clearly if another is chosen when the task goes on, and its task is stopped", async () => {
    const made = world([asks("writer"), done], { writer: [asking("Sure?"), { text: "Written." }] });
    await said(made);
    const answers = [{ callId: "toolu_a", value: { text: "yes" } }];
    await made.boot({ names: [] }).run("host", { ...user, sessionId, answers }).result;
    expect(await made.results()).toEqual([
      'The agent "writer", which began this task, is not available to continue it. The user had answered: {"text":"yes"}',
    ]);
    expect(made.models.get("writer")?.requests).toHaveLength(1);
    expect(await made.base.sessions.get(child)).toMatchObject({ openRun: null, pending: 0 });
  });

  it("is the one that a hook has chosen instead, also when its waiting task is stopped", async () => {
    const instead: Hook = {
      name: "instead",
      beforeTool: () => ({ input: { agent: "writer", task: "Do it." } }),
    };
    const made = world([asks("nobody"), done], { writer: [asking("Sure?")] }, { hooks: [instead] });
    await said(made);
    await made.boot().run("host", { ...user, sessionId, input: "Never mind" }).result;
    expect(new Set(made.chosen.map((one) => (one as unknown[])[0]))).toEqual(new Set(["writer"]));
    expect(made.chosen.length).toBeGreaterThan(1);
    expect(await made.base.sessions.get(child)).toMatchObject({ openRun: null, pending: 0 });
  });

  it("has its waiting task stopped also if the function throws by then", async () => {
    let isDown = false;
    const writer = agent({
      name: "writer",
      model: strictModel({ script: [asking("Sure?")] }),
      instructions: "W.",
      tools: [ask],
    });
    const pick = () => {
      if (isDown) throw new Error("down");
      return writer;
    };
    const made = world([asks("writer"), done], { writer: [] }, { pick });
    await said(made);
    isDown = true;
    const { stop } = await made.boot().run("host", { ...user, sessionId, input: "Never mind" }).result;
    expect(stop.type).toBe("end_turn");
    expect(await made.base.sessions.get(child)).toMatchObject({ openRun: null, pending: 0 });
    expect(ofType(await made.log(), "error")).toEqual([]);
  });

  it("has its waiting task stopped also where its tool is gone", async () => {
    const made = world([asks("writer"), done], { writer: [asking("Sure?")] });
    await said(made);
    await made.boot({ tools: false }).run("host", { ...user, sessionId, input: "Never mind" }).result;
    expect(await made.base.sessions.get(child)).toMatchObject({ openRun: null, pending: 0 });
    const ended = ofType(await made.log(child), "run_ended");
    expect(ended).toMatchObject([{ data: { stop: { type: "aborted" } } }]);
  });

  it.each([
    [
      "before its first turn",
      (events: readonly { type: string }[], id: string) => id === child && has(events, "run_started"),
    ],
    [
      "when it has answered",
      (events: readonly { type: string }[], id: string) => id === child && has(events, "run_ended"),
    ],
    [
      "when it was to begin",
      (events: readonly { type: string }[], id: string) => id === sessionId && has(events, "tool_started"),
    ],
  ])("C11 goes on after a crash %s, and runs once", async (_, dies) => {
    const made = world([asks("writer"), done], { writer: [{ text: "Written." }] });
    await made.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
    const store = dyingStore(made.base, dies);
    await made.say(made.boot({ store })).started;
    await until(() => store.dead);
    await made.boot().sweep();
    await until(async () => ofType(await made.log(), "run_ended").length > 0);
    expect(await made.results()).toEqual(["Written."]);
    expect(made.models.get("writer")?.requests).toHaveLength(1);
  });

  it("C11 is not replaced by another one after a crash", async () => {
    const made = world([asks("writer"), done], { writer: [{ text: "Written." }] });
    await made.base.sessions.create({ id: sessionId, userId: "u1", agent: "host" });
    const store = dyingStore(made.base, (events) => has(events, "tool_started"));
    await made.say(made.boot({ store })).started;
    await until(() => store.dead);
    await made.boot({ names: [] }).sweep();
    await until(async () => ofType(await made.log(), "run_ended").length > 0);
    expect(await made.results()).toEqual([
      'The agent "writer", which began this task, is not available to continue it.',
    ]);
    expect(made.models.get("writer")?.requests).toEqual([]);
  });

  it("may be the caller's own kind, but not without end", async () => {
    const itself = new Map<string, Agent>();
    const model = strictModel({
      rules: () => ({ tools: [{ name: "again", input: { task: "More." } }] }),
    });
    const again = agentTool({
      name: "again",
      description: "Again.",
      agents: () => itself.get("self"),
      limits: { turns: 1 },
    });
    const self = agent({ name: "self", instructions: "Again.", model, tools: [again], limits: { turns: 1 } });
    itself.set("self", self);
    const store = memoryStore();
    const pawl = runtime({ agents: [self], store, times: { storeRetryMs: [] } });
    expect((await pawl.run("self", { ...user, input: "Go" }).result).stop.type).toBe("turn_limit");
    const sessions = await store.sessions.list({ ...user, limit: 100 });
    expect(sessions).toHaveLength(9);
    const deepest = sessions.map(({ id }) => id).sort((a, b) => b.length - a.length)[0] ?? "";
    const results = ofType(await read(store, deepest), "tool_result");
    expect(results).toMatchObject([{ data: { result: expect.stringMatching(/at most 8 levels deep/) } }]);
  });

  it.each([
    [
      "both",
      { agent: {} as Agent, agents: (): undefined => undefined, name: "x" },
      /either `agent` or `agents`/,
    ],
    ["no name", { agents: (): undefined => undefined }, /needs a `name`/],
    ["neither", {}, /needs `agent`, or `agents`/],
  ])("is refused with %s when it is defined", (_, options, message) => {
    expect(() => agentTool({ description: "Does.", ...options })).toThrow(message);
  });
});
