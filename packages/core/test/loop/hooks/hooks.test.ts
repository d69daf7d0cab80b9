import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { type Hook, memoryStore, type StopReason } from "../../../src/index.ts";
import { named, sound } from "../../support/hooks.ts";
import { setup, stored, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";
import { ask, calling, echo, question } from "../../support/tools.ts";

const blocked: StopReason = { type: "blocked", message: "Not today." };

/** Writes down every call of every method. */
function recorder(name: string, seen: string[], later: boolean): Hook {
  const note = (what: string) => {
    seen.push(`${what} ${name}`);
    return later ? Promise.resolve(undefined) : undefined;
  };
  return {
    name,
    beforeRun: () => note("beforeRun"),
    beforeTurn: () => note("beforeTurn"),
    beforeModel: () => note("beforeModel"),
    afterModel: () => note("afterModel"),
    beforeTool: () => note("beforeTool"),
    afterTool: () => note("afterTool"),
    afterTurn: () => note("afterTurn"),
    onStop: () => note("onStop"),
    afterRun: async () => void note("afterRun"),
    onError: async () => void note("onError"),
  };
}

describe("the order of hooks", () => {
  it("H1 asks before in the order of the list, after in the opposite order, and onStop and onError in order", async () => {
    expectPrinted("pawl: invalid_request_error");
    const seen: string[] = [];
    const { tool } = echo();
    const hooks = [recorder("a", seen, false), recorder("b", seen, true)];
    const world = setup(
      [{ tools: [calling("echo")] }, { text: "x", fault: { status: 400 } }, { text: "Ok." }],
      {
        tools: [tool],
        hooks,
      },
    );
    const { sessionId } = await world.say("Go");
    const before = (what: string) => [`${what} a`, `${what} b`];
    const after = (what: string) => [`${what} b`, `${what} a`];
    const ask = [...before("beforeTurn"), ...before("beforeModel")];
    expect(seen).toEqual([
      ...before("beforeRun"),
      ...ask,
      ...after("afterModel"),
      ...before("beforeTool"),
      ...after("afterTool"),
      ...after("afterTurn"),
      ...ask,
      ...before("onError"),
      ...before("onStop"),
      ...after("afterRun"),
    ]);
    await sound({ ...world, model: { ...world.model, rejected: [] } }, sessionId);
  });

  it("H1 L14 shows each hook what those before it have changed; the first that ends the run has the last word", async () => {
    const plans: number[] = [];
    const take = (maxTokens: number) => (plan: { maxTokens: number }) => {
      plans.push(plan.maxTokens);
      return { maxTokens };
    };
    const asked: number[] = [];
    const world = setup([{ text: "One." }, { text: "Two." }], {
      maxTokens: 900,
      hooks: [
        named("a", { beforeTurn: take(800), beforeModel: ({ plan }) => take(600)(plan) }),
        named("b", {
          beforeTurn: async (plan) => take(700)(plan),
          beforeModel: ({ plan }) => take(500)(plan),
        }),
        named("c", { beforeModel: ({ request }) => void plans.push(request.maxTokens) }),
        named("d", {
          beforeTurn: (_plan, { run }) => (run.texts.length > 5 ? { stop: blocked } : undefined),
        }),
        named("e", { beforeRun: () => (asked.length > 0 ? { stop: blocked } : undefined) }),
        named("f", { beforeRun: () => void asked.push(1) }),
      ],
    });
    const { sessionId } = await world.say("Go");
    expect(plans.filter((plan) => plan !== undefined)).toEqual([900, 800, 700, 600, 500]);
    expect(world.model.requests[0]?.max_tokens).toBe(500);
    const { stop, turns } = await world.say("Again", { sessionId });
    expect({ stop, turns, asked }).toEqual({ stop: blocked, turns: 0, asked: [1] });
    asked.pop();
    await sound(world, sessionId);
  });

  it("H1 asks beforeRun once in a process, though a limit makes it plan the first turn twice", async () => {
    const asked: number[] = [];
    const world = setup([{ text: "Short of everything." }, { text: "Ok." }], {
      limits: { outputTokens: 1_200 },
      onLimit: "land",
      hooks: [named("a", { beforeRun: () => void asked.push(1) })],
    });
    const { stop, sessionId } = await world.say("Go");
    expect({ type: stop.type, asked }).toEqual({ type: "token_limit", asked: [1] });
    await sound(world, sessionId);
  });

  it("H1 tells all afterTurn of a turn, and the first of their reasons to stop counts", async () => {
    const told: string[] = [];
    const { tool, ran } = echo();
    const hook = (name: string, stop: StopReason | undefined) =>
      named(name, {
        afterTurn: () => {
          told.push(name);
          return stop && { stop };
        },
      });
    const world = setup([{ tools: [calling("echo")] }, { text: "Ok." }], {
      tools: [tool],
      hooks: [hook("a", blocked), hook("b", { type: "mine", message: "Enough." }), hook("c", undefined)],
    });
    const { stop, sessionId } = await world.say("Go");
    expect(stop).toEqual({ type: "mine", message: "Enough." });
    expect(told).toEqual(["c", "b", "a"]);
    expect(ran).toEqual(["a"]);
    await sound(world, sessionId);
  });

  it("H1 keeps a stop of afterTurn, and is told of a turn once, though something is stored at the end", async () => {
    const base = memoryStore();
    let raced = false;
    const store = beforeAppend(base, async (events, sessionId, options) => {
      if (!raced && options.afterSeq !== undefined && has(events, "run_ended")) {
        raced = true;
        await base.append(sessionId, [{ type: "app.mark", data: 1 }], { appendId: "race" });
      }
    });
    const told: number[] = [];
    const { tool } = echo();
    const world = setup(
      [{ tools: [calling("echo")] }, { text: "Never said." }],
      {
        tools: [tool],
        hooks: [
          named("a", {
            afterTurn: ({ calls }) => {
              told.push(calls.length);
              return { stop: blocked };
            },
          }),
        ],
      },
      { store },
    );
    const { stop, turns } = await world.say("Go");
    expect({ raced, stop, turns, told }).toEqual({ raced: true, stop: blocked, turns: 1, told: [1] });
  });

  it("H1 asks no afterTurn of a run that its user stops at a question, and the user's reason counts", async () => {
    const asked: number[] = [];
    const eager = named("eager", {
      afterTurn: ({ calls }) => {
        asked.push(calls.length);
        return { stop: blocked };
      },
    });
    const world = setup([{ tools: [question] }, { text: "Ok." }], { tools: [ask], hooks: [eager] });
    const { sessionId } = await world.say("Go");
    await world.pawl.stop(sessionId, user);
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    const [end] = await world.of(sessionId, "run_ended");
    expect({ stop: end?.data.stop.type, asked }).toEqual({ stop: "aborted", asked: [] });
    await sound(world, sessionId);
  });

  it("H2 lets afterTurn add what the model reads in its next turn", async () => {
    const { tool } = echo();
    const review: Hook = {
      name: "review",
      afterTurn: async ({ calls }, { append, run }) => {
        const data = { text: `${calls.length} call reviewed` };
        if (calls.length > 0) await append({ type: "note", key: `review:${run.runId}:${run.turns}`, data });
        return undefined;
      },
    };
    const script = [{ tools: [calling("echo")] }, { text: "Ok." }, { text: "Fine." }];
    const world = setup(script, { tools: [tool], hooks: [review] });
    const { sessionId } = await world.say("Go");
    expect(JSON.stringify(world.model.requests[1]?.messages.at(-1))).toContain("1 call reviewed");
    await sound(world, sessionId);
  });
});

describe("what a hook's own model has used up", () => {
  const tokens = { prompt: 900, completion: 100, cached: 0, cache_write: 0, cache_write_1h: 0, total: 1_000 };
  const asking = (data: object) =>
    named("asking", {
      beforeRun: async ({ append }) => {
        await append({
          type: "spending",
          data: { by: "asking", model: "small", tokens, cost_cents: 1, ...data },
        });
        return undefined;
      },
    });

  it("E4 E10 L14 counts towards the session's totals and the run's limits", async () => {
    const world = setup([{ text: "Ok." }], { hooks: [asking({})] });
    const { sessionId, usage, costUsd } = await world.say("Hi");
    const [answer] = await world.of(sessionId, "llm_response");
    expect(usage.inputTokens).toBe(900 + (answer?.data.tokens.prompt ?? 0));
    expect(costUsd).toBeCloseTo((1 + (answer?.data.cost_cents ?? 0)) / 100, 11);
    const session = await world.store.sessions.get(sessionId);
    expect(session).toMatchObject({ usage, costUsd });
    const limited = setup([{ text: "Ok." }], { hooks: [asking({})], limits: { inputTokens: 900 } });
    expect((await limited.say("Hi")).stop.type).toBe("token_limit");
    expect(limited.model.requests).toEqual([]);
  });

  it("H1 is refused where it would give something back", async () => {
    for (const [bad, said] of [
      [{ cost_cents: -1 }, "cost_cents must be a number from 0 to 400000000000, not -1."],
      [{ cost_cents: Number.NaN }, "data.cost_cents is NaN."],
      [{ cost_cents: 1e300 }, "cost_cents must be a number from 0 to 400000000000, not 1e+300."],
      [{ tokens: { ...tokens, total: -5 } }, "from 0 to 4000000000, not -5."],
      [{ tokens: {} }, "from 0 to 4000000000, not undefined."],
      [{ tokens: { ...tokens, prompt: 0.5 } }, "from 0 to 4000000000, not 0.5."],
    ] as const) {
      expectPrinted(said);
      const world = setup([{ text: "Ok." }], { hooks: [asking(bad)] });
      const { sessionId, stop } = await world.say("Hi");
      expect(stop.type).toBe("error");
      expect(await world.of(sessionId, "spending")).toEqual([]);
    }
  });
});
