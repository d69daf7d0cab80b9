import { randomUUID } from "node:crypto";
import type { PGlite } from "@electric-sql/pglite";
import { type AgentClient, createAgentClient } from "@pawl/client";
import { type EventStore, memoryStore } from "@pawl/core";
import type { Rules } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { dyingStore } from "../../../packages/core/test/support/stores.ts";
import { reservationIdOf } from "../src/base/reservation-id.ts";
import type { BackendClient } from "../src/front/backend-client.ts";
import { settleEnded } from "../src/front/settle-ended.ts";
import { BACKEND_PATH, rocketLeagueCoach } from "../src/index.ts";
import { coachPglite } from "./support/coach-database.ts";
import { billing, type Coaching, coaching, SERVICE_KEY, tokenOf } from "./support/coaching.ts";

let db: PGlite;
beforeAll(async () => {
  db = await coachPglite();
}, 60_000);
afterAll(() => db.close());

const URL_OF_PAGE = "http://front/api/rocket-league";
const WAIT = { timeout: 10_000 };
const budgetOf = (tokens: number) => () => ({ tokens, period: "2026-11" });
const noting: Rules = (_request, { turn }) =>
  turn === 0
    ? { tools: [{ name: "save_coaching_note", input: { topic: "boost", text: "Wants to waste less." } }] }
    : { thinking: "It is kept.", text: "Noted. Take the small pads on your way back." };

/** A page of a user: the client that the playground uses. */
function pageOf(
  serve: (request: Request) => Promise<Response>,
  userId: string,
  sessionId?: string,
): AgentClient {
  const headers = { authorization: `Bearer ${tokenOf(userId)}` };
  const fetch = async (url: string | URL | Request, init?: RequestInit) =>
    await serve(new Request(url, init));
  const page = createAgentClient({ url: URL_OF_PAGE, headers, fetch, sessionId });
  onTestFinished(() => page.close());
  return page;
}
const frontPage = ({ front }: Coaching) => front.pageHandler({ path: "/api/rocket-league", expose: "all" });
const phase = (page: AgentClient) => expect.poll(() => page.getState().phase, WAIT);
const newUser = () => `page_${randomUUID().replaceAll("-", "")}`;

describe("X3 E10 a page of @pawl/client talks to the coach", () => {
  it("X3 E10 F18 reserves before a message, charges what was billed, and refuses with 402 before anything is stored", async () => {
    const model = billing({ rules: noting });
    const store = memoryStore();
    const of = await coaching({ db, model, store, budgetOf: budgetOf(6_000) });
    const user = newUser();
    const page = pageOf(frontPage(of), user);
    expect(await page.send("I want to waste less boost")).toBe(true);
    await phase(page).toBe("idle");
    expect(page.getState().messages.at(-1)?.text).toContain("Noted.");
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    expect((await of.budget(user)).remaining).toBeLessThan(2_000);

    const sessionId = page.getState().sessionId ?? "";
    const before = await Array.fromAsync(store.read(sessionId));
    expect(await page.send("And my rotation?")).toBe(false);
    expect(page.getState().error).toMatchObject({ code: "quota_exceeded", text: "And my rotation?" });
    expect(await Array.fromAsync(store.read(sessionId))).toEqual(before);
    const other = pageOf(frontPage(of), user);
    expect(await other.send("A new conversation")).toBe(false);
    expect(await other.sessions()).toHaveLength(1);
    expect(model.rejected).toEqual([]);
  });

  it("X3 E10 L9 charges a stopped run, and the retry of it too", async () => {
    let isSlow = true;
    const model = billing({
      rules: (request, context) => ({
        ...(noting(request, context) as object),
        ...(isSlow && context.turn > 0 && { latencyMs: 30_000 }),
      }),
    });
    const of = await coaching({ db, model });
    const user = newUser();
    const page = pageOf(frontPage(of), user);
    await page.send("I want to waste less boost");
    await expect.poll(() => JSON.stringify(page.getState().messages), WAIT).toContain('"phase":"done"');
    await page.stop();
    await expect.poll(() => page.getState().run?.stop?.type, WAIT).toBe("aborted");
    const { used, held } = await of.budget(user);
    expect(held).toBe(0);
    // The answer that was stopped is charged by its estimate.
    expect(used).toBeGreaterThan(model.billed);
    const before = model.billed;

    isSlow = false;
    expect(await page.retry()).toBe(true);
    await expect.poll(() => page.getState().run?.stop?.type, WAIT).toBe("end_turn");
    expect(page.getState().messages.at(-1)?.text).toContain("Noted.");
    const retried = model.billed - before;
    expect(await of.budget(user)).toMatchObject({ used: used + retried, held: 0 });
    expect(model.rejected).toEqual([]);

    // If the backend had been down at its end, the retry would be charged later by its own id.
    const { sessionId = "", run } = page.getState();
    const turn = {
      reservation_id: reservationIdOf(user, run?.id ?? ""),
      session_id: sessionId,
      user_id: user,
    };
    const settled: object[] = [];
    const abort = async (use: object) => void settled.push(use);
    const down = { unsettled: async () => [turn], abort } as unknown as BackendClient;
    expect(await settleEnded(of.store, down)).toBe(1);
    expect(settled).toMatchObject([
      { reservation_id: turn.reservation_id, tokens_used: retried, final: true },
    ]);
  });

  it("X3 E10 F17 a run whose process died continues when its page reconnects, and is charged once", async () => {
    const model = billing({ rules: noting });
    const shared = memoryStore();
    const of = await coaching({ db, model });
    const user = newUser();
    const start = (store: EventStore) =>
      rocketLeagueCoach({
        model,
        backendUrl: `http://backend${BACKEND_PATH}`,
        serviceKey: SERVICE_KEY,
        store,
        fetch: async (url, init) => await of.backend.fetch(new Request(url, init)),
        withoutCredentials: "ask",
        leaseTtlMs: 200,
        onError: () => undefined,
      });
    const dying = dyingStore(shared, (events) => events.some(({ type }) => type === "tool_result"));
    const first = pageOf(start(dying).pageHandler({ path: "/api/rocket-league" }), user);
    await first.send("I want to waste less boost");
    const sessionId = first.getState().sessionId ?? "";
    await expect.poll(() => dying.dead, WAIT).toBe(true);
    first.close();

    const second = start(shared);
    second.runtime.start();
    onTestFinished(() => second.runtime.drain());
    const asked = async () =>
      (await Array.fromAsync(shared.read(sessionId))).some(({ type }) => type === "run_suspended");
    await expect.poll(asked, WAIT).toBe(true);
    // While it waits for its page, nothing is set aside.
    expect(await of.budget(user)).toMatchObject({ held: 0 });
    const page = pageOf(second.pageHandler({ path: "/api/rocket-league" }), user, sessionId);
    await expect.poll(() => page.getState().run?.stop?.type, WAIT).toBe("end_turn");
    expect(page.getState().messages.at(-1)?.text).toContain("Noted.");
    expect(await of.budget(user)).toMatchObject({ used: model.billed, held: 0 });
    expect(model.rejected).toEqual([]);
  });
});
