import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { createAgentClient } from "../../../client/src/index.ts";
import { coach } from "../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, handler, native } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const hello = () => scriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));
const part = { type: "text", text: "Hi" };

const dialects: { [name: string]: [Dialect, (id: string) => object] } = {
  native: [native(), (sessionId) => ({ sessionId, input: "Hi" })],
  coach: [coach(), (sessionId) => ({ sessionId, message: "Hi" })],
  aiSdk: [aiSdk(), (id) => ({ id, messages: [{ id: "m1", role: "user", parts: [part] }] })],
  agUi: [
    agUi(),
    (threadId) => ({ threadId, runId: "r", messages: [{ id: "m1", role: "user", content: "Hi" }] }),
  ],
};

describe("W1 a session whose id the application has chosen", () => {
  it.each(Object.keys(dialects))("W1 is served whatever characters it has: %s", async (name) => {
    const [dialect, body] = dialects[name] as (typeof dialects)[string];
    for (const id of ["sitzung-ü-😀", "50% of a / b?#", "用户:1"]) {
      const { ask, store, errors } = await serve(hello(), { dialect });
      await store.sessions.create({ id, userId: "ada", agent: "coach" });
      const run = await ask("/runs", { json: body(id) });
      expect(run.status).toBe(200);
      expect(await run.text()).toContain("Hello.");
      expect(decodeURIComponent(run.headers.get("x-pawl-session") ?? "")).toBe(id);
      const path = `/sessions/${encodeURIComponent(id)}`;
      expect(await (await ask(path)).json()).toMatchObject({ session: { id } });
      expect((await ask(`${path}/events`)).status).toBe(200);
      expect((await ask(`${path}/stop`, { method: "POST" })).status).toBe(202);
      expect(errors).toEqual([]);
    }
  });

  it.each(["aiSdk", "agUi"])("E11 is no thread of another agent or user: %s", async (name) => {
    const [dialect, body] = dialects[name] as (typeof dialects)[string];
    for (const owner of [
      { userId: "ada", agent: "other" },
      { userId: "eve", agent: "coach" },
    ]) {
      const { ask, store } = await serve(hello(), { dialect });
      await store.sessions.create({ id: "theirs", ...owner });
      const run = await ask("/runs", { json: body("theirs") });
      expect(run.status).toBe(200);
      expect(await run.text()).toContain("Hello.");
      expect(run.headers.get("x-pawl-session")).not.toBe("theirs");
      expect((await store.sessions.get("theirs"))?.lastSeq).toBe(0);
    }
  });

  it("W1 is known to our client by that id, also one that begins with its first message", async () => {
    let made = 0;
    const newId = () => {
      made += 1;
      return `gespräch 😀 ${made}`;
    };
    const tester = agent({ name: "a", model: hello(), instructions: "Hi." });
    const store = memoryStore();
    const answer = handler({
      runtime: runtime({ agents: [tester], store, testing: { newId } }),
      agent: "a",
      authorize: () => ({ userId: "ada" }),
    });
    const url = "http://localhost";
    const client = createAgentClient({
      url,
      fetch: (input, init) => answer(new Request(input as string, init)),
    });
    await client.send("Hi");
    await expect.poll(() => client.getState().messages.at(-1)?.text).toBe("Hello.");
    const [session] = await store.sessions.list({ userId: "ada" });
    expect(client.getState().sessionId).toBe(session?.id);
    await client.send("Again");
    await expect.poll(() => client.getState().messages.length).toBe(4);
    client.close();
  });
});
