import { type JsonObject, PawlError } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { trainer } from "../../src/dialects.ts";
import { type Asking, aiSdk, type ExtraFields, handler, native } from "../../src/index.ts";
import { confirm, serve } from "../support/served.ts";

const hello = () => scriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));

/** Reads `screen` as knowledge and `model` as a parameter, and remembers who asked. */
function reading() {
  const asked: (Asking & { sent: JsonObject })[] = [];
  const extra: ExtraFields = {
    fields: ["screen", "model", "type"],
    read: (sent, asking) => {
      asked.push({ sent, ...asking });
      if (sent.screen === 5) throw new PawlError("invalid_input", "The screen is a text.");
      if (sent.screen === 6) throw new Error("secret");
      return {
        ...(sent.type !== undefined && { metadata: { type: sent.type } }),
        ...(typeof sent.screen === "string" && { knowledge: [{ source: "screen", data: sent.screen }] }),
        ...(sent.model !== undefined && { params: { model: sent.model } }),
      };
    },
  };
  return { asked, extra };
}

describe("X2 fields of the application's own", () => {
  for (const dialect of [native(), trainer()]) {
    const message = (text: string) => (dialect.name === "native" ? { input: text } : { message: text });

    it(`add knowledge and parameters to the run that the message begins (${dialect.name})`, async () => {
      const { asked, extra } = reading();
      const served = await serve(hello(), { extra, dialect });
      const response = await served.ask("/runs", {
        json: { ...message("Hi"), screen: "a card", model: "small" },
      });
      expect(response.status).toBe(200);
      await response.text();
      const id = response.headers.get("x-pawl-session") ?? "";
      const log = await Array.fromAsync(served.store.read(id, { types: ["knowledge", "user_message"] }));
      expect(log.map(({ data }) => data)).toEqual([
        { source: "screen", data: "a card" },
        { message: "Hi", params: { model: "small" } },
      ]);
      expect(asked).toMatchObject([{ userId: "ada", session: undefined, sent: { screen: "a card" } }]);
    });

    it(`are read with the session if it is the user's, and with no other user's (${dialect.name})`, async () => {
      const { asked, extra } = reading();
      const served = await serve(hello(), { extra, dialect });
      const first = await served.ask("/runs", { json: message("Hi") });
      await first.text();
      const sessionId = first.headers.get("x-pawl-session") ?? "";
      await (await served.ask("/runs", { json: { ...message("Hi"), sessionId, screen: "x" } })).text();
      const foreign = await served.ask("/runs", {
        json: { ...message("Hi"), sessionId, screen: "x" },
        as: "eve",
      });
      expect(foreign.status).toBe(404);
      expect(asked.map(({ userId, session }) => [userId, session?.id])).toEqual([["ada", sessionId]]);
    });

    it(`answer 400 for invalid values, and reveal nothing about other errors (${dialect.name})`, async () => {
      const { extra } = reading();
      const served = await serve(hello(), { extra, dialect });
      const bad = await served.ask("/runs", { json: { ...message("Hi"), screen: 5 } });
      expect([bad.status, await bad.json()]).toMatchObject([
        400,
        { error: { message: "The screen is a text." } },
      ]);
      const broken = await served.ask("/runs", { json: { ...message("Hi"), screen: 6 } });
      expect(broken.status).toBe(500);
      expect(await broken.text()).not.toContain("secret");
      expect(await served.store.sessions.list({ userId: "ada" })).toEqual([]);
    });
  }

  it("add nothing to answers", async () => {
    const { asked, extra } = reading();
    const model = scriptedModel([
      { tools: [{ name: "confirm", input: { question: "?" } }] },
      { text: "Ok." },
    ]);
    const served = await serve(model, { extra, tools: [confirm] });
    const first = await served.ask("/runs", { json: { input: "Hi" } });
    await first.text();
    const sessionId = first.headers.get("x-pawl-session") ?? "";
    const { pending } = (await (await served.ask(`/sessions/${sessionId}`)).json()) as {
      pending: { callId: string }[];
    };
    const answers = [{ callId: pending[0]?.callId, value: { yes: true } }];
    const second = await served.ask("/runs", { json: { sessionId, answers, screen: "x" } });
    expect(second.status).toBe(200);
    await second.text();
    const log = await Array.fromAsync(served.store.read(sessionId, { types: ["knowledge"] }));
    expect(log).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it("do not admit other unknown fields, and cannot replace the dialect's own", async () => {
    const served = await serve(hello(), { extra: reading().extra });
    expect((await served.ask("/runs", { json: { input: "Hi", other: 1 } })).status).toBe(400);
    const { runtime } = served;
    const extra: ExtraFields = { fields: ["input"], read: () => ({}) };
    expect(() => handler({ runtime, agent: "coach", authorize: () => null, extra })).toThrow(
      expect.objectContaining({ code: "config" }),
    );
  });

  for (const dialect of [native(), aiSdk()]) {
    it(`set the metadata of a session that begins (${dialect.name})`, async () => {
      const served = await serve(hello(), { extra: reading().extra, dialect });
      const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }];
      const own =
        dialect.name === "native" ? { input: "Hi" } : { id: "c1", messages, trigger: "submit-message" };
      const response = await served.ask("/runs", { json: { ...own, type: "open_day" } });
      await response.text();
      const session = await served.store.sessions.get(response.headers.get("x-pawl-session") ?? "");
      expect(session?.metadata).toEqual({ type: "open_day" });
    });
  }

  it("are sent by other clients too", async () => {
    const { extra } = reading();
    const served = await serve(hello(), { extra, dialect: aiSdk() });
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const body = { id: "chat1", messages, trigger: "submit-message", screen: "a card" };
    const response = await served.ask("/runs", { json: body });
    await response.text();
    const id = response.headers.get("x-pawl-session") ?? "";
    expect(await Array.fromAsync(served.store.read(id, { types: ["knowledge"] }))).toHaveLength(1);
  });
});
