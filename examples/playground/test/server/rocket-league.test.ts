import type { PGlite } from "@electric-sql/pglite";
import { memoryStore, runtime, type StoredEvent } from "@pawl/core";
import { rocketLeagueRules } from "@pawl/example-rocket-league-coach";
import { strictModel } from "@pawl/testing";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coachPglite } from "../../../rocket-league-coach/test/support/coach-database.ts";
import { playgroundApp } from "../../server/app.ts";
import { openRocketLeague } from "../../server/rocket-league.ts";

let db: PGlite;
beforeAll(async () => {
  db = await coachPglite();
});
afterAll(() => db.close());

/** Serves the Rocket League coach as the playground does. */
async function served({ tokenBudget = 1_000_000, points = 20, trustProxy = true } = {}) {
  const model = strictModel({
    rules: rocketLeagueRules({ speed: Number.POSITIVE_INFINITY }),
    body: { thinking: { type: "adaptive", display: "summarized" } },
  });
  const store = memoryStore();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const coach = await openRocketLeague({ db, store, model, tokenBudget, maxSteps: 10, onError });
  const issued: string[] = [];
  const issue = async (userId: string) => {
    const token = await coach.issue(userId);
    issued.push(token);
    return token;
  };
  const app = playgroundApp({
    runtime: runtime({ agents: [], store }),
    agents: [],
    rocketLeague: { ...coach, issue, rateLimit: new RateLimiterMemory({ points, duration: 60 }) },
    info: { model: model.id, simulated: true },
    host: "127.0.0.1",
    webDir: import.meta.dirname,
    trustProxy,
  });
  /** Creates a browser, which keeps its cookie. */
  const browser = (address = "192.0.2.1") => {
    let cookie = "";
    return async (path: string, json?: object, headers: Record<string, string> = {}) => {
      const response = await app.fetch(
        new Request(`http://localhost:4321/api/${path}`, {
          ...(json && { method: "POST", body: JSON.stringify(json) }),
          headers: { "content-type": "application/json", "x-forwarded-for": address, cookie, ...headers },
        }),
      );
      cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
  };
  return { browser, model, store, errors, issued };
}

describe("the Rocket League coach in the playground", () => {
  it("X3 E10 C12 answers a page with its cookie alone: charts, thinking, and a budget that is charged", async () => {
    const { browser, model, errors } = await served();
    const ask = browser();
    expect(JSON.parse((await ask("info")).text)).toMatchObject({
      agents: [{ name: "rocket-league", title: "Rocket League" }],
    });
    const fresh = JSON.parse((await ask("rocket-league/budget")).text);
    expect(fresh).toMatchObject({ used: 0, held: 0, limit: 1_000_000 });
    const { status, headers } = await ask("rocket-league/runs", { input: "How is my boost?" });
    expect(status).toBe(200);
    const path = `rocket-league/sessions/${headers.get("x-pawl-session")}`;
    const view = (await ask(path)).text;
    for (const part of ['"pads":', '"economy":', "beside that of their rank", "small pads"])
      expect(view).toContain(part);
    const spent = JSON.parse((await ask("rocket-league/budget")).text);
    expect(spent).toMatchObject({ held: 0, limit: 1_000_000 });
    expect(spent.used).toBeGreaterThan(1_000);
    expect([model.rejected, errors]).toEqual([[], []]);

    // Neither another browser nor a token of its own opens it.
    const other = browser();
    expect((await other(path)).status).toBe(404);
    expect(JSON.parse((await other("rocket-league/budget")).text)).toMatchObject({ used: 0 });
    const forged = { authorization: "Bearer of-somebody" };
    expect((await other(path, undefined, forged)).status).toBe(404);
    expect(JSON.parse((await other("rocket-league/sessions", undefined, forged)).text)).toMatchObject({
      sessions: [],
    });
  });

  it("X3 the coach reads the match that the page shows, and no token is in the log", async () => {
    const { browser, store, issued } = await served();
    const ask = browser();
    const first = await ask("rocket-league/runs", { input: "How did my last session go?" });
    const found = /"replay_id":"([^"]+)"/.exec(first.text)?.[1];
    const sessionId = first.headers.get("x-pawl-session") ?? "";
    const { text } = await ask("rocket-league/runs", {
      input: "What happened in this match?",
      sessionId,
      replay_id: found,
    });
    expect(text).toContain('"tool_name":"get_replay"');
    const log: StoredEvent[] = await Array.fromAsync(store.read(sessionId));
    const read = log.find(({ type }) => type === "knowledge");
    expect(read?.data).toMatchObject({ source: "open_replay", params: { replay_id: found } });
    expect(issued.length).toBeGreaterThan(1);
    for (const token of issued) expect(JSON.stringify(log)).not.toContain(token);
    const refused = await ask("rocket-league/runs", { input: "And this match?", replay_id: "<b>" });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("replay_id")]);
  });

  it("X3 E10 F18 answers 402 when the budget is spent, and stores nothing; a free preview comes first without a budget", async () => {
    const { browser } = await served({ tokenBudget: 0 });
    const ask = browser();
    expect(JSON.parse((await ask("rocket-league/budget")).text)).toMatchObject({
      limit: 0,
      has_free_preview: true,
    });
    const preview = await ask("rocket-league/runs", { input: "How is my boost?" });
    expect(preview.status).toBe(200);
    expect(preview.text).toContain("small pads");
    const sessions = async () => JSON.parse((await ask("rocket-league/sessions")).text).sessions as object[];
    expect(await sessions()).toHaveLength(1);
    const refused = await ask("rocket-league/runs", { input: "Once more" });
    expect(refused.status).toBe(402);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "quota_exceeded" } });
    const parts = await ask("rocket-league/runs", { input: [{ type: "text", text: "In parts" }] });
    expect(parts.status).toBe(402);
    expect(await sessions()).toHaveLength(1);
  });

  it("W6 limits the messages of each address, also of new browsers", async () => {
    const { browser } = await served({ points: 2 });
    const statuses: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { status } = await browser()("rocket-league/runs", { input: "Hello" });
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    expect((await browser("198.51.100.7")("rocket-league/runs", { input: "Hello" })).status).toBe(200);
  });
});
