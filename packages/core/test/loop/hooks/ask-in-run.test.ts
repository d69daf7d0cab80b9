import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Hook,
  type ModelClient,
  memoryStore,
  type RunContext,
  tool,
  withFallback,
} from "../../../src/index.ts";
import { budget, IN_USD } from "../../support/budget.ts";
import { pricing } from "../../support/pricing.ts";
import { never, type Options, setup, until, user } from "../../support/setup.ts";
import { dyingStore, failingStore, has } from "../../support/stores.ts";

const verdict = z.object({ safe: z.boolean() });
const usage = { input_tokens: 1_000, output_tokens: 100 };
const safe: Reply = { tools: [{ name: "answer", input: { safe: true } }], usage };
const small = (script: readonly Reply[]) => scriptedModel(script, { id: "small", pricing });

/** A hook that asks before the run and keeps what it got. */
function asking(act: (context: RunContext) => Promise<unknown>, got: unknown[] = []): Hook {
  return {
    name: "asks",
    beforeRun: async (context) => {
      got.push(await act(context).catch((error: unknown) => error));
      return undefined;
    },
  };
}

describe("a model that a hook asks", () => {
  it("F21 O1 is charged to the run and the session, and without a key its answer is not kept", async () => {
    const got: unknown[] = [];
    const hook = asking(({ askModel }) => askModel(small([safe]), { prompt: "Safe?", schema: verdict }), got);
    const world = setup([{ text: "Ok." }], { hooks: [hook] });
    const { sessionId, costUsd } = await world.say("Hi");
    expect(got).toMatchObject([{ output: { safe: true }, costUsd: 0.003, replayed: false }]);
    const [event] = await world.of(sessionId, "spending");
    expect(event?.data).toMatchObject({ by: "asks", model: "small", cost_cents: 0.3 });
    expect(event?.data).not.toHaveProperty("answer");
    expect(costUsd).toBeCloseTo(0.003, 9);
    expect((await world.store.sessions.get(sessionId))?.costUsd).toBeCloseTo(0.003, 9);
  });

  it("F21 O1 is charged for what a failed call has used", async () => {
    const got: unknown[] = [];
    const refusing = small([{ text: "No.", stop: "refusal", usage }]);
    const hook = asking(({ askModel }) => askModel(refusing, { prompt: "Safe?", key: "safe" }), got);
    const world = setup([{ text: "Ok." }], { hooks: [hook] });
    const { sessionId } = await world.say("Hi");
    expect(got).toMatchObject([{ code: "unusable_answer", details: { reason: "refusal", costUsd: 0.003 } }]);
    expect(await world.of(sessionId, "spending")).toMatchObject([{ data: { cost_cents: 0.3 } }]);
    expect((await world.of(sessionId, "spending"))[0]?.key).toBeUndefined();
  });

  it("L9 F21 ends with the run, and what it had written is charged", async () => {
    const control = new AbortController();
    const slow: ModelClient = {
      id: "slow",
      stream: async function* () {
        yield { type: "message_start", message: { id: "m", model: "slow", usage: { input_tokens: 9 } } };
        control.abort();
        yield await never();
      },
    };
    const hook = asking(({ askModel }) => askModel(slow, { prompt: "Safe?" }));
    const world = setup([], { hooks: [hook] });
    const { sessionId, stop } = await world.say("Hi", { signal: control.signal });
    expect(stop.type).toBe("aborted");
    expect(await world.of(sessionId, "spending")).toMatchObject([{ data: { tokens: { prompt: 9 } } }]);
  });

  it("F21 can be asked at the end of a run that was stopped, within the time of afterRun", async () => {
    const texts: string[] = [];
    const control = new AbortController();
    const hook: Hook = {
      name: "summary",
      beforeTurn: () => void control.abort(),
      afterRun: async (_, { askModel }) => {
        texts.push((await askModel(small([{ text: "Short." }]), { prompt: "Sum up." })).text);
      },
    };
    const world = setup([{ text: "Ok." }], { hooks: [hook] });
    expect((await world.say("Hi", { signal: control.signal })).stop.type).toBe("aborted");
    expect(texts).toEqual(["Short."]);
  });
});

describe("the limits of a run and a model that is asked", () => {
  const limited = (
    limits: NonNullable<Options["limits"]>,
    onLimit: "stop" | "land" = "stop",
    more: Options = {},
  ) => {
    const got: unknown[] = [];
    const model = small([safe, safe]);
    const hook = asking(
      async ({ askModel }) =>
        await Promise.all(
          [1, 2].map(() => askModel(model, { prompt: "Safe?", maxTokens: 500 }).catch((e) => e)),
        ),
      got,
    );
    return {
      got,
      model,
      world: setup([{ text: "Ok." }], { hooks: [hook], limits, onLimit, ...more }, {}, (one) => ({
        ...one,
        pricing,
      })),
    };
  };

  it("F21 L13 a call without room for its whole answer is refused, and sends and costs nothing", async () => {
    const { got, model, world } = limited({ costUsd: 0.004 });
    const { sessionId } = await world.say("Hi");
    const refused = { code: "limit_reached", details: { limit: "cost_limit", costUsd: 0 } };
    expect(got).toMatchObject([[refused, refused]]);
    expect(model.requests).toEqual([]);
    expect(await world.of(sessionId, "spending")).toEqual([]);
  });

  it("F21 L13 calls in flight count with the most that they may use", async () => {
    const both = limited({ outputTokens: 1_500 });
    const one = limited({ outputTokens: 900 });
    await one.world.say("Hi");
    expect(one.got).toMatchObject([[{ stopReason: "tool_use" }, { code: "limit_reached" }]]);
    await both.world.say("Hi");
    expect(both.got).toMatchObject([[{ stopReason: "tool_use" }, { stopReason: "tool_use" }]]);
  });

  it("F21 L13 a call leaves room for the last turn of an agent that lands", async () => {
    const ends = limited({ outputTokens: 700 });
    await ends.world.say("Hi");
    expect(ends.model.requests).toHaveLength(1);
    const lands = limited({ outputTokens: 700 }, "land");
    await lands.world.say("Hi");
    expect(lands.model.requests).toHaveLength(0);
  });

  it("F21 L13 a call that is over counts with what it has used, and so does an answer that was refused", async () => {
    const wrong: Reply = { tools: [{ name: "answer", input: {} }], usage };
    const asks = async (outputTokens: number) => {
      const got: unknown[] = [];
      const reminded = small([wrong, safe]);
      const options = { prompt: "Safe?", schema: verdict, maxTokens: 500 };
      const hook = asking(async ({ askModel }) => {
        await askModel(small([safe]), options);
        return await askModel(reminded, options);
      }, got);
      await setup([{ text: "Ok." }], { hooks: [hook], limits: { outputTokens } }).say("Hi");
      return { got, requests: reminded.requests.length };
    };
    // 100 tokens of the first call, 100 of the refused answer, and room for 500.
    expect(await asks(700)).toMatchObject({ got: [{ output: { safe: true } }], requests: 2 });
    expect(await asks(699)).toMatchObject({ got: [{ code: "limit_reached" }], requests: 1 });
  });

  it("F21 L13 a call at the end of a run leaves no room for a last turn", async () => {
    const texts: string[] = [];
    const sums: Hook = {
      name: "sums",
      afterRun: async (_, { askModel }) => {
        texts.push((await askModel(small([{ text: "Short." }]), { prompt: "Sum up.", maxTokens: 500 })).text);
      },
    };
    const script = [{ text: "Ok.", usage: { output_tokens: 900 } }];
    const limits = { outputTokens: 1_600 };
    await setup(script, { hooks: [sums], limits, onLimit: "land", maxTokens: 1_000 }).say("Hi");
    expect(texts).toEqual(["Short."]);
  });

  it("F21 L13 a model without prices is refused under a limit on cost", async () => {
    const got: unknown[] = [];
    const hook = asking(({ askModel }) => askModel(scriptedModel([safe]), { prompt: "Safe?" }), got);
    const priced = (model: ModelClient) => ({ ...model, pricing });
    await setup([{ text: "Ok." }], { hooks: [hook], limits: { costUsd: 1 } }, {}, priced).say("Hi");
    expect(got).toMatchObject([{ code: "limit_reached", details: { limit: "cost_limit", costUsd: 0 } }]);
    expect(String(got[0])).toContain("costUsd is limited, but claude-scripted has no prices. Give it some");
  });

  it("F21 E10 L13 so is a fallback without prices, and each under a budget in US dollars", async () => {
    const got: unknown[] = [];
    const priced = (model: ModelClient) => ({ ...model, pricing });
    const free = scriptedModel([safe], { id: "free" });
    const asked = small([safe]);
    const hook = asking(({ askModel }) => askModel(withFallback(asked, free), { prompt: "Safe?" }), got);
    const usd = budget(IN_USD);
    await setup([{ text: "Ok." }], { hooks: [hook], limits: { costUsd: 1 } }, {}, priced).say("Hi");
    await setup([{ text: "Ok." }], { hooks: [hook, usd.hook] }, {}, priced).say("Hi");
    expect(got.map(String)).toEqual([
      expect.stringContaining("costUsd is limited, but free has no prices."),
      expect.stringContaining('its hook "reservation" counts cost, but free has no prices.'),
    ]);
    expect(asked.requests).toEqual([]);
  });
});

describe("a key of a model's answer", () => {
  it("P1 F21 a repeated call after a crash costs nothing, and is charged once", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const model = small([safe, safe]);
    const got: unknown[] = [];
    const schema = verdict.transform(({ safe }) => ({ safe, on: new Date(0) }));
    const hooks = [asking(({ askModel }) => askModel(model, { prompt: "Safe?", schema, key: "safe" }), got)];
    const dying = dyingStore(base, (events) => has(events, "spending"));
    const old = setup([], { hooks }, { store: dying });
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await until(() => dying.dead);
    clock += 60_000;
    const next = setup([{ text: "Done." }], { hooks }, { store: base });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(model.requests).toHaveLength(1);
    expect(got).toMatchObject([{ output: { safe: true, on: new Date(0) }, costUsd: 0.003, replayed: true }]);
    const spendings = await next.of(sessionId, "spending");
    expect(spendings.map(({ key }) => key)).toEqual([`ask:${runId}:asks:safe`]);
    expect((await next.of(sessionId, "run_ended"))[0]?.data.cost_cents).toBeCloseTo(0.3, 9);
  });

  it("P1 F21 an answer that was not stored is asked for again, and only the stored one is charged", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const model = small([safe, safe]);
    const beforeRun: Hook["beforeRun"] = async ({ askModel }) =>
      void (await askModel(model, { prompt: "Safe?", key: "safe" }));
    const hooks = [{ name: "asks", beforeRun }];
    const failing = failingStore(base, (events) => has(events, "spending"));
    const old = setup([], { hooks }, { store: failing, onError: () => {} });
    const run = old.pawl.run("tester", { ...user, input: "Go" });
    await expect(run.result).rejects.toMatchObject({ code: "store_unavailable" });
    const { sessionId, runId } = await run.started;
    clock += 60_000;
    const next = setup([{ text: "Done." }], { hooks }, { store: base });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(model.requests).toHaveLength(2);
    expect(await next.of(sessionId, "spending")).toHaveLength(1);
  });

  it("F21 calls with one key at the same time ask once, and hooks do not share keys", async () => {
    const model = small([safe, { text: "Other." }]);
    const got: unknown[] = [];
    const ask = async ({ askModel }: RunContext) =>
      await Promise.all([1, 2].map(() => askModel(model, { prompt: "Safe?", key: "k" })));
    const hooks = [asking(ask, got), { ...asking(ask, got), name: "other" }];
    const world = setup([{ text: "Ok." }], { hooks });
    const { sessionId } = await world.say("Hi");
    expect(model.requests).toHaveLength(2);
    expect(got).toMatchObject([
      [{ replayed: false }, { replayed: true }],
      [
        { text: "Other.", replayed: false },
        { text: "Other.", replayed: true },
      ],
    ]);
    expect(await world.of(sessionId, "spending")).toHaveLength(2);
  });

  it("F21 an answer that does not match a changed schema is asked for again", async () => {
    const model = small([{ text: "Old." }, safe]);
    const got: unknown[] = [];
    const hook = asking(async ({ askModel }) => {
      await askModel(model, { prompt: "Safe?", key: "k" });
      return await askModel(model, { prompt: "Safe?", key: "k", schema: verdict });
    }, got);
    const world = setup([{ text: "Ok." }], { hooks: [hook] });
    const { sessionId } = await world.say("Hi");
    expect(got).toMatchObject([{ output: { safe: true }, replayed: false }]);
    expect(await world.of(sessionId, "spending")).toHaveLength(2);
  });

  it("F21 is reserved: a hook can neither store nor forge an answer", async () => {
    const got: unknown[] = [];
    const tokens = { prompt: 0, completion: 0, cached: 0, cache_write: 0, cache_write_1h: 0, total: 0 };
    const data = { by: "x", model: "m", tokens, cost_cents: 0 };
    const forged = { ...data, answer: { text: "Forged.", stop_reason: "end_turn" } };
    const hook = asking(
      async ({ append, runId }) => [
        await append({ type: "spending", data, key: `ask:${runId}:asks:k` }).catch((error) => error),
        await append({ type: "spending", data: forged }).catch((error) => error),
      ],
      got,
    );
    const world = setup([{ text: "Ok." }], { hooks: [hook] });
    const { sessionId } = await world.say("Hi");
    expect(String(got)).toMatch(/reserved by Pawl.*must not have `answer`/);
    expect(await world.of(sessionId, "spending")).toEqual([]);
  });

  it("F21 a stored answer can be redacted", async () => {
    const hook = asking(({ askModel }) =>
      askModel(small([{ text: "Ada's secret." }]), { prompt: "?", key: "k" }),
    );
    const world = setup([{ text: "Ok." }], { hooks: [hook] });
    const { sessionId } = await world.say("Hi");
    const [event] = await world.of(sessionId, "spending");
    await world.pawl.redact(sessionId, event?.seq ?? 0, user);
    const shown = await Array.fromAsync(world.pawl.follow(sessionId, { untilIdle: true }));
    expect(JSON.stringify(shown)).not.toContain("secret");
  });
});

describe("a model that a tool asks", () => {
  it("F21 T1 is charged in the tool's name, and its keys are of the call", async () => {
    const model = small([{ text: "One." }, { text: "Two." }]);
    const ask = tool({
      name: "ask",
      description: "",
      input: z.object({ n: z.int() }),
      execute: async (_, { askModel }) => {
        const first = await askModel(model, { prompt: "Hi", key: "k" });
        return [first.text, (await askModel(model, { prompt: "Hi", key: "k" })).text];
      },
    });
    const calls = [1, 2].map((n) => ({ name: "ask", input: { n } }));
    const world = setup([{ tools: calls }, { text: "Ok." }], { tools: [ask] });
    const { sessionId, actions } = await world.say("Hi");
    expect(actions.map(({ result }) => result).sort()).toEqual([
      ["One.", "One."],
      ["Two.", "Two."],
    ]);
    expect((await world.of(sessionId, "spending")).map(({ data }) => data.by)).toEqual(["ask", "ask"]);
    expect(world.model.rejected).toEqual([]);
  });

  it("P1 F21 an idempotent tool that runs again after a crash does not pay twice", async () => {
    let clock = 0;
    const base = memoryStore({ now: () => clock });
    const model = small([{ text: "One." }]);
    const slow = tool({
      name: "slow",
      description: "",
      input: z.object({}),
      idempotent: true,
      execute: async (_, { askModel }) => (await askModel(model, { prompt: "Hi", key: "k" })).text,
    });
    const dying = dyingStore(base, (events) => has(events, "spending"));
    const old = setup([{ tools: [{ name: "slow" }] }], { tools: [slow] }, { store: dying });
    const { sessionId, runId } = await old.pawl.run("tester", { ...user, input: "Go" }).started;
    await until(() => dying.dead);
    clock += 60_000;
    const next = setup([{ text: "Done." }], { tools: [slow] }, { store: base });
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(await next.of(sessionId, "tool_result")).toMatchObject([{ data: { result: "One." } }]);
    expect(model.requests).toHaveLength(1);
  });
});
