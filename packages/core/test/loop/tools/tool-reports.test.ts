import { describe, expect, it } from "vitest";
import { type ModelClient, memoryStore, PawlError, type ToolContext, tool } from "../../../src/index.ts";
import { type CallReport, errorCodeOf } from "../../../src/tools/call-report.ts";
import { family } from "../../support/family.ts";
import { looking, named, sound } from "../../support/hooks.ts";
import { pricing } from "../../support/pricing.ts";
import { never, setup, stored, user } from "../../support/setup.ts";
import { dyingStore, has } from "../../support/stores.ts";
import { nothing } from "../../support/tools.ts";

/** A tool that does this, and may take as long as it likes. */
const searching = (
  execute: (context: ToolContext) => unknown,
  options: { idempotent?: boolean; timeoutMs?: number } = {},
) =>
  tool({
    name: "search",
    description: "",
    input: nothing,
    execute: (_, context: ToolContext) => execute(context),
    ...options,
  });

const script = [{ tools: [{ name: "search", id: "c1" }] }, { text: "Ok." }, { text: "Fine." }];
const priced = (model: ModelClient): ModelClient => ({ ...model, pricing });
const facts = { connector: "gmail", fragments: ["m1", "m2"], summary: "2 mails about Q4" };
const noTokens = { prompt: 0, completion: 0, cached: 0, cache_write: 0, cache_write_1h: 0, total: 0 };

/** The result of one call of a tool. */
async function resultOf(execute: (context: ToolContext) => unknown, options = {}) {
  const world = setup(script, { tools: [searching(execute)], ...options });
  const { sessionId } = await world.say("Go");
  await sound(world, sessionId);
  const [result] = await world.of(sessionId, "tool_result");
  return result?.data;
}

/** An error with a code. */
const coded = (code: unknown, options?: ErrorOptions) => Object.assign(new Error("no", options), { code });

describe("what a tool reports about its call", () => {
  it("F22 M4 is stored with the result, the last value of each field", async () => {
    const data = await resultOf(({ report }) => {
      report({ connector: "slack", costUsd: 0.5 });
      report({ ...facts, costUsd: 0.02 });
      report({});
      return "found";
    });
    expect(data).toMatchObject({
      success: true,
      result: "found",
      spent: { tokens: noTokens, cost_cents: 2 },
      report: facts,
    });
  });

  it("F22 M4 is what the tool reported, also if it changes its list afterwards", async () => {
    const data = await resultOf(({ report }) => {
      const fragments = ["m1"];
      report({ fragments });
      fragments.push(1n as never);
      return "found";
    });
    expect(data).toMatchObject({ success: true, report: { fragments: ["m1"] } });
  });

  it("F22 M4 is nothing if the tool reports nothing", async () => {
    const data = await resultOf(() => "found");
    expect(data).not.toHaveProperty("report");
    expect(data).not.toHaveProperty("spent");
  });

  it("F22 M4 is stored with a failure too, with the code of the error", async () => {
    const data = await resultOf(({ report }) => {
      report({ ...facts, costUsd: 0 });
      throw coded("rate_limited");
    });
    expect(data).toMatchObject({
      success: false,
      result: "no",
      spent: { tokens: noTokens, cost_cents: 0 },
      report: { ...facts, code: "rate_limited" },
    });
  });

  it("F22 M4 is stored if the tool takes too long", async () => {
    const slow = searching(
      async ({ report }) => {
        report({ costUsd: 0.25, connector: "drive" });
        return await never();
      },
      { timeoutMs: 5 },
    );
    const world = setup(script, { tools: [slow] });
    const { sessionId } = await world.say("Go");
    const [result] = await world.of(sessionId, "tool_result");
    expect(result?.data).toMatchObject({
      success: false,
      result: expect.stringContaining("unknown"),
      spent: { cost_cents: 25 },
      report: { connector: "drive" },
    });
    await sound(world, sessionId);
  });

  it.each([
    [true, facts],
    [false, { ...facts, code: "E1" }],
  ])("F22 stays if a hook makes the call a success (%s) or a failure", async (success, report) => {
    const turns = named("turns", { afterTool: () => ({ success, result: "changed" }) });
    const fails = success;
    const data = await resultOf(
      (context) => {
        context.report({ ...facts, costUsd: 1 });
        if (fails || !success) throw coded("E1");
      },
      { hooks: [turns] },
    );
    expect(data).toMatchObject({ success, result: "changed", spent: { cost_cents: 100 } });
    expect(data?.report).toEqual(report);
  });

  it("F22 is cut to 1,000 characters of summary", async () => {
    const data = await resultOf(({ report }) => report({ summary: `${"x".repeat(999)}😀 and more` }));
    expect(data?.report?.summary).toBe(`${"x".repeat(999)}\ufffd`);
  });

  it.each<[string, unknown]>([
    ["a cost below 0", { costUsd: -1 }],
    ["a cost that is no number", { costUsd: Number.NaN }],
    ["an infinite cost", { costUsd: Number.POSITIVE_INFINITY }],
    ["a cost as text", { costUsd: "1" }],
    ["an unknown field", { cost: 1 }],
    ["an empty connector", { connector: " " }],
    ["a long connector", { connector: "x".repeat(201) }],
    ["a count of fragments", { fragments: 3 }],
    ["a fragment that is no text", { fragments: [{ id: 1 }] }],
    ["too many fragments", { fragments: Array(1_001).fill("f") }],
    ["half a surrogate pair", { fragments: ["\ud83d"] }],
    ["a summary that is no text", { summary: {} }],
    ["nothing", undefined],
  ])("F22 refuses %s, and keeps what was reported before", async (_title, given) => {
    let refused: unknown;
    const data = await resultOf(({ report }) => {
      report({ connector: "gmail", costUsd: 0.01 });
      try {
        report(given as CallReport);
      } catch (error) {
        refused = error;
      }
    });
    expect(PawlError.is(refused, "invalid_input"), String(refused)).toBe(true);
    expect(data).toMatchObject({ success: true, spent: { cost_cents: 1 }, report: { connector: "gmail" } });
  });
});

it.each<[string, unknown, string]>([
  ["fragments", [{ id: 1 }], 'a list of strings of 1 to 200 characters, e.g. ["doc-1"]; got an object.'],
  ["fragments", ["a", "x".repeat(201)], "got one of 201 characters."],
  ["fragments", [""], "got one without visible characters."],
  ["connector", " ", 'a string of 1 to 200 characters, e.g. "gmail"; got one without visible characters.'],
])("F22 U6 says what a report should have as %s, and what it has", async (field, value, message) => {
  let refused: unknown;
  await resultOf(({ report }) => {
    try {
      report({ [field]: value } as CallReport);
    } catch (error) {
      refused = error;
    }
  });
  expect(String(refused)).toContain(`\`${field}\` must be `);
  expect(String(refused)).toContain(message);
});

describe("a cost that a tool reports", () => {
  it("F22 L13 counts towards the run's limit and the session's totals", async () => {
    const tools = [searching(({ report }) => report({ costUsd: 2 }))];
    const world = setup(script, { tools, limits: { costUsd: 1.5 } }, {}, priced);
    const { sessionId, stop, costUsd } = await world.say("Go");
    expect(stop.type).toBe("cost_limit");
    const [answer] = await world.of(sessionId, "llm_response");
    expect(costUsd).toBeCloseTo(2 + (answer?.data.cost_cents ?? 0) / 100, 9);
    expect((await world.of(sessionId, "run_ended"))[0]?.data.cost_cents).toBeCloseTo(costUsd * 100, 7);
    expect((await world.store.sessions.get(sessionId))?.costUsd).toBeCloseTo(costUsd, 9);
  });

  it("F22 L13 counts towards the caller's run if a sub-agent's tool reports it, once", async () => {
    const costly = searching(({ report }) => report({ costUsd: 0.75 }));
    const plan = [{ tools: [{ name: "search" }] }, { text: "Found." }];
    const world = family(
      [{ tools: [{ name: "researcher", input: { task: "x" }, id: "c1" }] }, { text: "Ok." }],
      plan,
      {
        callee: { tools: [costly] },
      },
    );
    const { costUsd } = await world.say();
    const models = [...(await world.log()), ...(await world.log("s1:c1"))]
      .flatMap((event) => (event.type === "llm_response" ? [event.data.cost_cents] : []))
      .reduce((sum, cents) => sum + cents, 0);
    expect(costUsd).toBeCloseTo(0.75 + models / 100, 9);
    expect((await world.base.sessions.get("s1"))?.costUsd).toBeCloseTo(costUsd, 9);
    await world.check();
  });

  it.each(["tool_started", "tool_result"])(
    "F22 P1 is charged once if the process dies at the append of its %s",
    async (at) => {
      let clock = 0;
      const base = memoryStore({ now: () => clock });
      const tools = [
        searching(({ report }) => report({ costUsd: 0.5, connector: "gmail" }), { idempotent: true }),
      ];
      const dying = dyingStore(base, (events) => has(events, at));
      const old = setup(script, { tools, hooks: [looking] }, { store: dying }, priced);
      const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
      await stored(old, sessionId, at);
      clock += 60_000;
      const next = setup(script.slice(1), { tools }, { store: base }, priced);
      await next.pawl.sweep();
      for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
      const results = await next.of(sessionId, "tool_result");
      expect(results.map(({ data }) => data.report)).toEqual([{ connector: "gmail" }]);
      const answers = await next.of(sessionId, "llm_response");
      const models = answers.reduce((sum, { data }) => sum + data.cost_cents, 0);
      const [end] = await next.of(sessionId, "run_ended");
      expect(end?.data.cost_cents).toBeCloseTo(50 + models, 7);
      expect((await base.sessions.get(sessionId))?.costUsd).toBeCloseTo(0.5 + models / 100, 9);
    },
  );
});

describe("the code of an error", () => {
  it.each<[string, unknown, string | undefined]>([
    ["its own", coded("ECONNREFUSED"), "ECONNREFUSED"],
    [
      "its cause's, as fetch has it",
      new TypeError("fetch failed", { cause: coded("ENOTFOUND") }),
      "ENOTFOUND",
    ],
    ["its own before its cause's", coded("a.b-c_1", { cause: coded("x") }), "a.b-c_1"],
    ["that of no error at all", { code: "odd" }, "odd"],
    ["none of a text", "ECONNREFUSED", undefined],
    ["none of a number", coded(404), undefined],
    ["none with other characters", coded("not found: /etc/passwd"), undefined],
    ["none of more than 64 characters", coded("x".repeat(65)), undefined],
    ["none that looks like a key", coded("sk-ant-api03-abcdef"), undefined],
    ["none of nothing", undefined, undefined],
  ])("F22 is %s", (_title, thrown, code) => {
    expect(errorCodeOf(thrown)).toBe(code);
  });

  it("F22 is no report if reading it throws, or causes go in a circle", () => {
    const circle = new Error("a");
    circle.cause = circle;
    const hostile = {
      get code(): string {
        throw new Error("no");
      },
    };
    expect([errorCodeOf(circle), errorCodeOf(hostile)]).toEqual([undefined, undefined]);
  });

  it("F22 of a sub-agent that did not finish is why it stopped", async () => {
    const tools = [{ name: "researcher", input: { task: "x" }, id: "c1" }];
    const world = family([{ tools }, { text: "Ok." }], [{ tools: [{ name: "look", input: { n: 1 } }] }], {
      slice: { turns: 1 },
    });
    await world.say();
    const results = (await world.log()).flatMap((event) =>
      event.type === "tool_result" ? [event.data] : [],
    );
    expect(results).toMatchObject([{ success: false, report: { code: "turn_limit" } }]);
    await world.check();
  });
});

it("F17 F22 neither reports nor own events store the caller's credentials", async () => {
  const token = "token-of-ada-0123456789";
  const leaks = searching(async ({ append, report }) => {
    await append({ type: "search.query", data: { header: `Bearer ${token}` } });
    report({ connector: token, fragments: [token], summary: `Asked with ${token}.` });
    throw coded(token);
  });
  const world = setup(script, { tools: [leaks] });
  const { sessionId } = await world.say("Go", { credentials: { token } });
  const log = JSON.stringify(await world.log(sessionId));
  expect(log).toContain('"report":{"connector":"…"');
  expect(log).toContain('{"header":"Bearer …"}');
  expect(log).not.toContain(token);
});
