import { jsonSchema, type StoredOf, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { trainer } from "../../src/dialects.ts";
import { type Dialect, native } from "../../src/index.ts";
import { allEvents, confirm, look, serve } from "../support/served.ts";

const remove = tool({
  name: "remove",
  description: "Deletes everything.",
  input: jsonSchema({ type: "object" }),
  execute: () => "deleted",
});
const removing = { tools: [{ name: "remove", input: {} }] };

/** The user is ada; her role in this request is that of the header. */
const authorize = (request: Request) => ({
  userId: "ada",
  caller: { role: request.headers.get("x-role") ?? "guest" },
});

describe("F19 over HTTP", () => {
  it("two callers of one agent have their own tools, and a call of another's does nothing", async () => {
    const model = strictModel({ script: [removing, { text: "Gone." }, removing, { text: "I cannot." }] });
    const served = await serve(model, {
      authorize,
      tools: ({ caller }) => (caller.role === "admin" ? [look, remove] : [look]),
    });
    const say = async (role: string, sessionId?: string) => {
      const json = { input: "Delete it", ...(sessionId && { sessionId }) };
      const response = await served.ask("/runs", { json, headers: { "x-role": role } });
      return { id: response.headers.get("x-pawl-session") ?? "", events: await allEvents(response) };
    };
    const first = await say("admin");
    const second = await say("guest", first.id);
    const results = [...first.events, ...second.events].filter(
      (event): event is StoredOf<"tool_result"> => event.type === "tool_result",
    );
    expect(results.map(({ data }) => data.success)).toEqual([true, false]);
    const stored = await Array.fromAsync(served.store.read(first.id, { types: ["tool_result"] }));
    expect(stored.map(({ data }) => (data as { result?: unknown }).result)).toEqual([
      "deleted",
      'There is no tool named "remove".',
    ]);
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name).join(" "))).toEqual([
      "look remove",
      "look remove",
      "look",
      "look",
    ]);
    const log = await Array.fromAsync(served.store.read(first.id, { types: ["prefix"] }));
    expect(log).toHaveLength(2);
    expect(model.rejected).toEqual([]);
  });

  it("a function that fails is a 503 that repeats nothing of its error, and the message can be sent again", async () => {
    let isDown = true;
    const served = await serve(strictModel({ script: [{ text: "Hello." }] }), {
      tools: () => {
        if (isDown) throw new Error("ECONNREFUSED 10.0.0.7");
        return [look];
      },
    });
    const json = { input: "Hi", clientMessageId: "m1" };
    const refused = await served.ask("/runs", { json });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toEqual({
      error: {
        code: "store_unavailable",
        message: "The service cannot be reached right now. Please try again.",
      },
    });
    expect(served.errors).toMatchObject([{ code: "tools_failed" }]);
    isDown = false;
    expect((await allEvents(await served.ask("/runs", { json }))).at(-1)?.type).toBe("run_ended");
  });

  it("an answer of the wrong shape is refused by the log's schema, and a right one continues the run", async () => {
    const question = { tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };
    const served = await serve(strictModel({ script: [question, { text: "Done." }] }), {
      tools: () => [confirm],
    });
    const response = await served.ask("/runs", { json: { input: "Go" } });
    await allEvents(response);
    const sessionId = response.headers.get("x-pawl-session");
    const answer = async (value: unknown) =>
      await served.ask("/runs", { json: { sessionId, answers: [{ callId: "c1", value }] } });
    expect((await answer({ yes: "perhaps" })).status).toBe(422);
    expect((await allEvents(await answer({ yes: true }))).at(-1)?.type).toBe("run_ended");
  });
});

/** A dialect for each way in which a client resumes, with an event that is named like a tool. */
const reserving: [name: string, dialect: Dialect, body: object][] = [
  ["replay", trainer(), { message: "Hi", clientMessageId: "m1" }],
  ["cursor", { ...native(), name: "own", reserved: ["done"] }, { input: "Hi", clientMessageId: "m1" }],
];
const done = tool({
  name: "done",
  description: "Ends.",
  input: jsonSchema({ type: "object" }),
  execute: () => "over",
});

describe.each(reserving)("F19 W5 a tool with the name of an event (%s)", (_, dialect, body) => {
  it("is an error for the developer if a function returns it, and its run stops", async () => {
    const served = await serve(strictModel({ script: [{ text: "word ".repeat(50), delayPerEventMs: 50 }] }), {
      dialect,
      authorize,
      tools: ({ caller }) => (caller.role === "admin" ? [look, done] : [look]),
    });
    const response = await served.ask("/runs", { json: body, headers: { "x-role": "admin" } });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("coach");
    const message = `The agent "coach" has a tool "done", but the dialect ${dialect.name} has an event of that name. Rename the tool.`;
    expect(served.errors).toMatchObject([{ code: "config", message }]);
    const [session] = await served.store.sessions.list({ userId: "ada" });
    const stop = async () => (await served.runtime.view(session?.id ?? "", { userId: "ada" })).run?.stop;
    await expect.poll(stop).toMatchObject({ type: "aborted" });
  });

  it("stops nothing for a caller without this tool", async () => {
    const served = await serve(strictModel({ script: [{ text: "Hello." }] }), {
      dialect,
      authorize,
      tools: ({ caller }) => (caller.role === "admin" ? [look, done] : [look]),
    });
    const response = await served.ask("/runs", { json: body });
    expect([response.status, (await response.text()).includes("error")]).toEqual([200, false]);
    expect(served.errors).toEqual([]);
  });
});
