import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type EventStore, type Hook, type ModelClient, memoryStore, type StoredOf } from "../../src/index.ts";
import { timelineOf } from "../../src/inspect.ts";
import { budget } from "../support/budget.ts";
import { type Options, setup, stored } from "../support/setup.ts";

const pricing = { input: 2, output: 2, cacheRead: 2, cacheWrite5m: 2, cacheWrite1h: 2 };
/** It never begins to answer, and honours its signal. */
const silent = (): ModelClient => ({
  id: "silent",
  pricing,
  async *stream(_request, { signal }) {
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    yield { type: "ping" };
  },
});
const answering = () => scriptedModel([{ text: "Done." }], { pricing });

/** A run whose process has died while it waited for an answer. */
async function died(options: Options = {}) {
  let clock = 0;
  const store: EventStore = memoryStore({ now: () => clock });
  const old = setup([], options, { store }, silent);
  const run = old.pawl.run("tester", { userId: "u1", input: "Go" });
  run.result.catch(() => undefined);
  const { sessionId, runId } = await run.started;
  await stored(old, sessionId, "llm_request");
  clock += 60_000;
  return { store, sessionId, runId };
}

/** What the events of a session charge, and the end of its run. */
async function accounts(store: EventStore, sessionId: string) {
  const log = await Array.fromAsync(store.read(sessionId));
  const charged = log.flatMap((event) =>
    event.type === "llm_response" || event.type === "spending" ? [event.data] : [],
  );
  const end = log.findLast((event): event is StoredOf<"run_ended"> => event.type === "run_ended");
  const session = await store.sessions.get(sessionId);
  return { log, charged, end: end?.data, session };
}

describe("an answer that is lost", () => {
  it("O1 E4 E10 is charged once with its estimate, in limits, reservations, the run's end and the session's totals", async () => {
    const { hook, balance } = budget();
    const { store, sessionId, runId } = await died({ hooks: [hook] });
    const next = setup([], { hooks: [hook] }, { store }, answering);
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    const { log, charged, end, session } = await accounts(store, sessionId);
    expect(charged).toMatchObject([{ by: "lost_answer", model: "silent" }, {}]);
    const total = charged.reduce((sum, { tokens }) => sum + tokens.total, 0);
    const cents = charged.reduce((sum, { cost_cents }) => sum + cost_cents, 0);
    expect(end?.tokens.total).toBe(total);
    expect(end?.cost_cents).toBeCloseTo(cents, 9);
    expect((session?.usage.inputTokens ?? 0) + (session?.usage.outputTokens ?? 0)).toBe(total);
    expect(session?.costUsd).toBeCloseTo(cents / 100, 11);
    expect(await balance()).toEqual({ used: total, held: 0 });
    const [lost] = timelineOf(log)[0]?.turns[0]?.attempts ?? [];
    expect(lost?.tokens.total).toBe(charged[0]?.tokens.total);
  });

  it("O1 E4 is in the end of a run that is stopped then", async () => {
    const { store, sessionId } = await died();
    const next = setup([], {}, { store }, answering);
    await next.pawl.stop(sessionId, { userId: "u1" });
    await stored(next, sessionId, "run_ended");
    const { charged, end, session } = await accounts(store, sessionId);
    expect(charged).toHaveLength(1);
    expect(charged[0]?.tokens.total).toBeGreaterThan(0);
    expect(end?.tokens).toEqual(charged[0]?.tokens);
    expect(session?.usage.inputTokens).toBe(end?.tokens.prompt);
  });

  it("O1 L9 is charged where the run was stopped before it began, and its result says so", async () => {
    const world = setup([], {}, {}, silent);
    const stop = new AbortController();
    const run = world.pawl.run("tester", { userId: "u1", input: "Go", signal: stop.signal });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "llm_request");
    stop.abort();
    const { usage, costUsd } = await run.result;
    const { charged, end, session } = await accounts(world.store, sessionId);
    expect(charged).toMatchObject([{ by: "lost_answer" }]);
    expect(usage.inputTokens).toBe(charged[0]?.tokens.prompt);
    expect(costUsd).toBe((usage.inputTokens * 2) / 1e6);
    expect(end?.tokens.prompt).toBe(usage.inputTokens);
    expect(session?.usage.inputTokens).toBe(usage.inputTokens);
  });

  it("O1 O2 counts before the next request is made, so that no limit is passed", async () => {
    const { log: unlimited } = await (async () => {
      const { store, sessionId } = await died();
      return await accounts(store, sessionId);
    })();
    const request = unlimited.find((event) => event.type === "llm_request");
    const estimate = (request as StoredOf<"llm_request">).data.estimated_tokens;
    const limits = { inputTokens: Math.floor(estimate * 1.5) };
    const { store, sessionId, runId } = await died({ limits });
    const model = answering();
    const next = setup([], { limits }, { store }, () => model);
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect((await accounts(store, sessionId)).end?.stop.type).toBe("token_limit");
    expect(model.requests).toEqual([]);
  });

  it("H1 does not make the run begin anew for its hooks", async () => {
    let begun = 0;
    const beforeRun: Hook["beforeRun"] = () => {
      begun += 1;
      return undefined;
    };
    const hooks = [{ name: "counts", beforeRun }];
    const { store, sessionId, runId } = await died({ hooks });
    const next = setup([], { hooks }, { store }, answering);
    await next.pawl.sweep();
    for await (const _ of next.pawl.follow(sessionId, { untilIdle: { runId } }));
    expect(begun).toBe(1);
  });
});
