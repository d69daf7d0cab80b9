import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aiSdk, type HandlerOptions, handler } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const hello = () => scriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));

function served(options: Partial<HandlerOptions> = {}) {
  const made = agent({ name: "a", model: hello(), instructions: "Look." });
  const store = memoryStore();
  const pawl = runtime({ agents: [made], store });
  const authorize = (request: Request) => ({ userId: request.headers.get("x-user") ?? "ada" });
  const answer = handler({ runtime: pawl, agent: "a", authorize, maxStreams: 2, ...options });
  const ask = (path: string, init: RequestInit = {}) => answer(new Request(`http://localhost${path}`, init));
  const post = (body: object) =>
    ask("/runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { ask, post, store };
}

describe("W6 how many streams a user may have open", () => {
  it("refuses one more with 429 before a run begins; a user who closes one may open another", async () => {
    const { ask, post, store } = served();
    const run = await post({ input: "Hi" });
    const id = run.headers.get("x-pawl-session");
    await run.text();
    const open = [await ask(`/sessions/${id}/stream`), await ask(`/sessions/${id}/stream`)];
    const refused = [await ask(`/sessions/${id}/stream`), await post({ input: "Hi again", sessionId: id })];
    for (const response of refused) {
      expect(response.status).toBe(429);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ error: { code: "too_many_streams" } });
    }
    const messages = await Array.fromAsync(store.read(id ?? "", { types: ["user_message"] }));
    expect(messages).toHaveLength(1);
    // Others are not concerned.
    await store.sessions.create({ id: "bob", userId: "bob", agent: "a" });
    const other = await ask("/sessions/bob/stream", { headers: { "x-user": "bob" } });
    expect(other.status).toBe(200);
    await other.body?.cancel();
    await open[0]?.body?.cancel();
    const again = await ask(`/sessions/${id}/stream`);
    expect(again.status).toBe(200);
    for (const response of [open[1], again]) await response?.body?.cancel();
  });

  it.each([
    ["a run that has ended", { input: "Hi" }, 200],
    ["a request that is refused", { input: "" }, 400],
    ["answers that nobody has asked for", { sessionId: "none", answers: [{ callId: "c", value: 1 }] }, 404],
  ])("does not count %s", async (_, body, status) => {
    for (const options of [{}, { dialect: aiSdk() }]) {
      const { post, ask, store } = served(options);
      for (let n = 0; n < 5; n += 1) {
        const response = await post(body);
        await response.text();
        if (!("dialect" in options)) expect(response.status).toBe(status);
      }
      await store.sessions.create({ id: "s", userId: "ada", agent: "a" });
      for (let n = 0; n < 5; n += 1) {
        expect((await ask("/sessions/s/stream", { method: "HEAD" })).status).toBe(200);
        const gone = new AbortController();
        expect((await ask("/sessions/s/stream", { signal: gone.signal })).status).toBe(200);
        gone.abort();
      }
    }
  });

  it("lets a client that disconnected over a real connection reconnect", async () => {
    const { ask, store } = await serve(hello(), { maxStreams: 1 });
    await store.sessions.create({ id: "s", userId: "ada", agent: "coach" });
    for (let n = 0; n < 3; n += 1) {
      const gone = new AbortController();
      const open = () => ask("/sessions/s/stream", { signal: gone.signal });
      await expect.poll(async () => (await open()).status).toBe(200);
      expect((await ask("/sessions/s/stream")).status).toBe(429);
      gone.abort();
    }
  });

  it.each([0, -1, Number.NaN, "3"])("is a number of at least 1, not %j", (maxStreams) => {
    expect(() => served({ maxStreams: maxStreams as number })).toThrow(
      expect.objectContaining({ code: "config" }),
    );
  });
});
