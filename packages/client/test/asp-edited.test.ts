import { type Hook, jsonSchema } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { type AspEvent, newAspView, reduceAsp } from "../src/asp.ts";
import { aspClient, expectSame, lastText, serveAsp, settled, when } from "./support/asp.ts";
import { handModel } from "./support/clients.ts";

const changes: Hook = {
  name: "changes",
  beforeTool: ({ callId, tool }) =>
    callId === "c2"
      ? { result: "Not now.", skipped: "gated" }
      : { input: tool.name === "look" ? { what: "dogs" } : { question: "Really?" }, shown: true },
};

const look = (id: string) => ({ name: "look", id, input: { what: "cats" } });
const confirm = { name: "confirm", id: "c3", input: { question: "Sure?" } };
const callsIn = ({ messages }: { messages: { parts: object[] }[] }) =>
  messages.flatMap(({ parts }) => parts.filter((part) => "callId" in part));

describe("H3 X3 what a hook decides about a call, in a page over ASP v2", () => {
  it("is shown live as in the server's view and after a reload", async () => {
    const model = strictModel({ script: [{ tools: [look("c1"), look("c2")] }, { text: "Done." }] });
    const served = await serveAsp(model, { hooks: [changes] });
    const client = aspClient(served);
    await client.send("Hi");
    expect(callsIn(await settled(client))).toMatchObject([
      { callId: "c1", phase: "done", arguments: { what: "cats" }, input: { what: "dogs" } },
      { callId: "c2", phase: "skipped", arguments: { what: "cats" }, result: "Not now." },
    ]);
    await expectSame(served, client);
  });

  it("is shown while the tool asks, and after the answer", async () => {
    const model = strictModel({ script: [{ tools: [confirm] }, { text: "Done." }] });
    const served = await serveAsp(model, { hooks: [changes] });
    const client = aspClient(served);
    await client.send("Hi");
    const { pending } = await settled(client);
    expect(pending).toMatchObject([{ phase: "waiting", input: { question: "Really?" } }]);
    await expectSame(served, client);
    await client.answer("c3", { yes: true });
    expect(lastText(await settled(client))).toBe("Done.");
    await expectSame(served, client);
  });

  it("is the user's own change, which the next stream brings", async () => {
    const reviews: Hook = {
      name: "reviews",
      beforeTool: ({ answer }) =>
        answer === undefined
          ? { ask: { kind: "review", payload: {}, answer: jsonSchema({ type: "object" }) } }
          : { input: answer },
    };
    const model = strictModel({ script: [{ tools: [look("c1")] }, { text: "Done." }] });
    const served = await serveAsp(model, { hooks: [reviews] });
    const client = aspClient(served);
    await client.send("Hi");
    await settled(client);
    await client.answer("c1", { what: "birds" });
    expect(callsIn(await settled(client))).toMatchObject([{ input: { what: "birds" } }]);
    await expectSame(served, client);
  });

  it("is read by a page that loads while the run is in progress", async () => {
    const model = handModel();
    const served = await serveAsp(model, { hooks: [changes] });
    const client = aspClient(served);
    await client.send("Hi");
    const turn = await model.turn();
    turn.end([{ ...look("c1") }]);
    const next = await model.turn();
    const { sessionId } = await when(client, ({ phase }) => phase === "streaming");
    const loaded = aspClient(served, { ...(sessionId !== undefined && { sessionId }) });
    await when(loaded, ({ turn }) => turn === "open");
    next.say("Done.");
    next.end();
    await settled(client);
    expect(callsIn(await settled(loaded))).toMatchObject([{ input: { what: "dogs" } }]);
    await expectSame(served, loaded);
  });

  it("P6 is `skipped` for a call whose question a message has closed, as the server says", async () => {
    const model = strictModel({ script: [{ tools: [confirm] }, { text: "Fine." }] });
    const served = await serveAsp(model);
    const client = aspClient(served);
    await client.send("Hi");
    await settled(client);
    await client.send("Never mind");
    expect(callsIn(await settled(client))).toMatchObject([{ callId: "c3", phase: "skipped" }]);
    await expectSame(served, client);
  });

  it("changes nothing for a call that is not shown", () => {
    const view = reduceAsp(newAspView(), { type: "ack" });
    const event: AspEvent = { type: "tool_input", tool_use_id: "c9", input: {} };
    expect(reduceAsp(view, event)).toBe(view);
  });
});
