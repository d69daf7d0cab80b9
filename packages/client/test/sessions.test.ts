import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { sessionInUrl } from "../src/index.ts";
import { clientOf, isIdle, lastText, serve, when } from "./support/clients.ts";

const hello = () => scriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));

describe("U9 the sessions of a user", () => {
  it("are listed, newest first, by title, times and status", async () => {
    const served = await serve(hello());
    const client = clientOf(served);
    expect(await client.sessions()).toEqual([]);
    const ids: string[] = [];
    for (const text of ["Good\nmorning", "x".repeat(200)]) {
      client.open(undefined);
      await client.send(text);
      ids.unshift(
        (await when(client, (state) => isIdle(state) && lastText(state) === "Hello.")).sessionId ?? "",
      );
    }
    await served.store.sessions.create({
      id: "mine",
      userId: "ada",
      agent: "coach",
      metadata: { title: "Plans" },
    });
    await served.store.sessions.create({ id: "bare", userId: "ada", agent: "coach" });
    await served.store.sessions.create({ id: "other", userId: "ada", agent: "other" });
    const listed = await client.sessions();
    expect(listed.map(({ id, title, status }) => [id, title, status])).toEqual([
      ["bare", undefined, "active"],
      ["mine", "Plans", "active"],
      [ids[0], `${"x".repeat(79)}…`, "active"],
      [ids[1], "Good morning", "active"],
    ]);
    for (const { createdAt, updatedAt } of listed) expect(createdAt <= updatedAt).toBe(true);
    expect(await clientOf(served, { headers: { authorization: "Bearer bob" } }).sessions()).toEqual([]);
  });

  it("have no title that was redacted", async () => {
    const served = await serve(hello());
    const client = clientOf(served);
    await client.send("My secret");
    const { sessionId = "" } = await when(client, isIdle);
    const [event] = await Array.fromAsync(served.store.read(sessionId, { types: ["user_message"] }));
    await served.runtime.redact(sessionId, event?.seq ?? 0, { userId: "ada" });
    expect((await client.sessions())[0]?.title).toBe("[redacted]");
  });

  it("cannot be listed by nobody, or without a server", async () => {
    const served = await serve(hello());
    const failed = { code: "unauthorized", message: "Please sign in." };
    await expect(clientOf(served, { headers: {} }).sessions()).rejects.toMatchObject(failed);
    const nowhere = clientOf(served, { url: "http://127.0.0.1:9/api" });
    await expect(nowhere.sessions()).rejects.toMatchObject({ code: "network" });
    const page = clientOf(served, { fetch: async () => Response.json({}) });
    await expect(page.sessions()).rejects.toMatchObject({ code: "protocol" });
  });
});

describe("U9 a session's id", () => {
  it("is reported when a session begins, and when another one is opened", async () => {
    const served = await serve(hello());
    const reported: (string | undefined)[] = [];
    const client = clientOf(served, { onSession: (id) => reported.push(id) });
    await client.send("Hi");
    const { sessionId } = await when(client, (state) => isIdle(state) && lastText(state) === "Hello.");
    expect(reported).toEqual([sessionId]);
    client.open(undefined);
    client.open(sessionId);
    client.open(sessionId);
    client.close();
    expect(reported).toEqual([sessionId, undefined, sessionId]);
  });

  it("opens the session again after a reload", async () => {
    const served = await serve(hello());
    let kept: string | undefined;
    const first = clientOf(served, { onSession: (id) => (kept = id) });
    await first.send("Hi");
    await when(first, isIdle);
    first.close();
    const again: unknown[] = [];
    const second = clientOf(served, { ...(kept && { sessionId: kept }), onSession: (id) => again.push(id) });
    const { messages } = await when(second, (state) => lastText(state) === "Hello.");
    expect(messages.map(({ text }) => text)).toEqual(["Hi", "Hello."]);
    expect(again).toEqual([]);
  });

  it("may be the application's own", async () => {
    const served = await serve(hello());
    const id = "order/42 ä";
    await served.store.sessions.create({ id, userId: "ada", agent: "coach" });
    const client = clientOf(served, { sessionId: id });
    await when(client, ({ connection }) => connection === "open");
    expect(await client.send("Where is it?")).toBe(true);
    await when(client, (state) => isIdle(state) && lastText(state) === "Hello.");
    expect(client.getState().sessionId).toBe(id);
    const view = await served.runtime.view(id, { userId: "ada" });
    expect(view.messages.map(({ text }) => text)).toEqual(["Where is it?", "Hello."]);
    const bob = clientOf(served, { sessionId: id, headers: { authorization: "Bearer bob" } });
    expect((await when(bob, ({ error }) => error !== undefined)).error?.code).toBe("not_found");
  });

  it("is not kept where there is no address", () => {
    const { sessionId, onSession } = sessionInUrl();
    expect(sessionId).toBeUndefined();
    expect(() => onSession?.("s1")).not.toThrow();
  });
});
