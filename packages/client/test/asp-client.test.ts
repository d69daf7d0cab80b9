import { approval, type Hook } from "@pawl/core";
import { scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../test/support/printed.ts";
import { type AspEvent, parseAspEvent } from "../src/asp.ts";
import { readData } from "../src/wire/read-events.ts";
import { aspClient, expectSame, lastText, serveAsp, settled, when } from "./support/asp.ts";
import { handModel } from "./support/clients.ts";

/** The fields that each event has, and no others. */
const FIELDS: Record<AspEvent["type"], string[]> = {
  ack: [],
  thinking: ["text"],
  text: ["text"],
  tool: ["input", "name", "tool_use_id"],
  tool_input: ["input", "tool_use_id"],
  tool_result: ["content", "tool_use_id"],
  message_stop: ["stop_reason"],
  error: ["message"],
};

/** The body of a request to a model that thinks. */
const thinks = { thinking: { type: "adaptive", display: "summarized" } };
const question = { question: "Sure?" };

it("W2 W3 every event that asp() sends is an AspEvent, to the last field", async () => {
  const model = strictModel({
    body: thinks,
    rules: (_request, { n }) => {
      if (n === 0)
        return {
          thinking: "Hm.",
          text: "A moment.",
          tools: [
            { name: "look", input: { what: "it" } },
            { name: "look", input: { what: 5 } },
            { name: "confirm", input: question },
          ],
        };
      return n === 1 ? { text: "Cut", stop: "max_tokens" } : { stop: "refusal" };
    },
  });
  const edit: Hook = {
    name: "edit",
    beforeTool: ({ tool }) => (tool.name === "look" ? { input: { what: "that" }, shown: true } : undefined),
  };
  const served = await serveAsp(model, { hooks: [edit, approval({ when: ["look"] })] });
  const seen = new Set<string>();
  const post = async (json: object) => {
    const response = await served.ask("/runs", { json });
    for await (const data of readData(response, undefined)) {
      const event = parseAspEvent(data);
      expect(event).toEqual(JSON.parse(data));
      const { type, is_error, ...fields } = JSON.parse(data);
      expect(Object.keys(fields).sort()).toEqual(FIELDS[type as AspEvent["type"]]);
      expect([undefined, true]).toContain(is_error);
      seen.add(is_error ? `${type} is_error` : type);
    }
    return response.headers.get("x-pawl-session");
  };
  const session_id = await post({ message: "Hi" });
  const view = await served.runtime.view(session_id ?? "", { userId: "ada" });
  await post({
    session_id,
    tool_results: view.pending.map(({ callId, toolName }) => ({
      tool_use_id: callId,
      content: toolName === "look" ? { approved: true } : { yes: true },
    })),
  });
  await post({ session_id, message: "Again" });
  expectPrinted("pawl: The script of");
  const failing = await serveAsp(scriptedModel([]));
  const failed = await failing.ask("/runs", { json: { message: "Hi" } });
  for await (const data of readData(failed, undefined)) seen.add(parseAspEvent(data)?.type ?? data);
  expect([...seen].sort()).toEqual([...Object.keys(FIELDS), "tool_result is_error"].sort());
});

describe("X3 a client of ASP v2", () => {
  it("shows thinking, text and calls as they arrive, and the same as the server and a reloaded page", async () => {
    const model = strictModel({
      body: thinks,
      script: [
        { thinking: "They greet me.", text: "A moment.", tools: [{ name: "look", input: { what: "it" } }] },
        { thinking: "Found.", text: "Done." },
      ],
    });
    const served = await serveAsp(model);
    const events: string[] = [];
    const client = aspClient(served, { onEvent: ({ type }) => events.push(type) });
    const phases = new Set<string>();
    client.subscribe(() => phases.add(client.getState().phase));
    expect(await client.send("Hi")).toBe(true);
    const state = await settled(client);
    expect(state).toMatchObject({ phase: "idle", stopReason: "end_turn", pending: [], runningTools: {} });
    expect(phases).toContain("submitting");
    expect(phases).toContain("streaming");
    expect(state.messages[1]?.parts).toMatchObject([
      { type: "thinking", text: "They greet me." },
      { type: "text", text: "A moment." },
      { type: "tool", toolName: "look", phase: "done", arguments: { what: "it" }, result: "found it" },
      { type: "thinking", text: "Found." },
      { type: "text", text: "Done." },
    ]);
    await expectSame(served, client);
    expect(new Set(events)).toEqual(
      new Set(Object.keys(FIELDS).filter((type) => !["error", "tool_input"].includes(type))),
    );
    expect([events[0], events.at(-1)]).toEqual(["ack", "message_stop"]);
  });

  it("reports the session once, sends fields of its own, and refuses blank and second messages", async () => {
    const model = handModel();
    const read: unknown[] = [];
    const served = await serveAsp(model, {
      extra: { fields: ["replay_id"], read: ({ replay_id = null }) => ({ params: { replay_id } }) },
      hooks: [{ name: "reads", beforeRun: ({ run }) => void read.push(run.params) }],
    });
    const sessions: unknown[] = [];
    const client = aspClient(served, { onSession: (id) => sessions.push(id) });
    expect(await client.send("  ")).toBe(false);
    expect(await client.send("Hi", { extra: { replay_id: "r-1" } })).toBe(true);
    const turn = await model.turn();
    turn.say("Well");
    await when(client, (state) => lastText(state) === "Well");
    expect(client.getState().phase).toBe("streaming");
    expect(await client.send("Again")).toBe(false);
    expect(await client.retry()).toBe(false);
    turn.end();
    const { sessionId } = await settled(client);
    expect(sessions).toEqual([sessionId]);
    expect(read).toEqual([{ replay_id: "r-1" }]);
  });

  it("P2 shows calls that wait, answers each, and continues the same message", async () => {
    const calls = [
      { name: "confirm", input: question, id: "c1" },
      { name: "confirm", input: { question: "Really?" }, id: "c2" },
    ];
    const served = await serveAsp(
      strictModel({ script: [{ text: "Well?", tools: calls }, { text: "Good." }] }),
    );
    const client = aspClient(served);
    await client.send("Hi");
    const { pending, phase } = await settled(client);
    expect(phase).toBe("suspended");
    expect(pending.map(({ callId, arguments: asked }) => [callId, asked])).toEqual([
      ["c1", question],
      ["c2", { question: "Really?" }],
    ]);
    expect(await client.answer("c1", { yes: true })).toBe(true);
    expect((await settled(client)).pending.map(({ callId }) => callId)).toEqual(["c2"]);
    expect(await client.answer("c2", { maybe: true })).toBe(false);
    expect(client.getState().error).toMatchObject({ code: "invalid_answer", status: 422, callId: "c2" });
    expect(await client.fail("c2", "No camera.")).toBe(true);
    const state = await settled(client);
    expect(state).toMatchObject({ phase: "idle", pending: [] });
    expect(state.messages).toHaveLength(2);
    await expectSame(served, client);
  });

  it("P6 a message instead of an answer cancels the question, and a page can be reloaded before it", async () => {
    const model = strictModel({
      script: [{ tools: [{ name: "confirm", input: question }] }, { text: "Fine." }],
    });
    const served = await serveAsp(model);
    const first = aspClient(served);
    await first.send("Hi");
    const { sessionId } = await settled(first);
    const client = aspClient(served, { sessionId });
    expect(await settled(client)).toMatchObject({ phase: "suspended", pending: [{ toolName: "confirm" }] });
    expect(await client.send("Never mind")).toBe(true);
    expect(await settled(client)).toMatchObject({ phase: "idle", pending: [] });
    await expectSame(served, client);
  });

  it("L8 an answer that was cut off says so in its text, and has the stop reason", async () => {
    const served = await serveAsp(strictModel({ script: [{ text: "Half", stop: "max_tokens" }] }));
    const client = aspClient(served);
    await client.send("Hi");
    const state = await settled(client);
    expect(state).toMatchObject({ phase: "idle", stopReason: "max_tokens" });
    expect(lastText(state)).toMatch(/^Half\n\n\w/);
  });

  it("K4 many pieces of text are few changes of the state", async () => {
    const model = handModel();
    const served = await serveAsp(model);
    let pieces = 0;
    let changes = 0;
    const client = aspClient(served, {
      onEvent: ({ type }) => {
        pieces += type === "text" ? 1 : 0;
      },
    });
    client.subscribe(() => {
      changes += 1;
    });
    await client.send("Hi");
    const turn = await model.turn();
    for (let n = 0; n < 500; n += 1) {
      turn.say("word ");
      await new Promise(setImmediate);
    }
    turn.end();
    expect(lastText(await settled(client))).toBe("word ".repeat(500));
    expect(pieces).toBeGreaterThan(100);
    expect(changes).toBeLessThan(pieces / 4);
  });
});
