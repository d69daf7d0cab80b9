import { approval, jsonSchema, type ToolContext, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as asp from "./support/asp.ts";
import * as own from "./support/clients.ts";

const yes = { yes: true };
const answer = jsonSchema<{ yes: boolean }>({ type: "object", required: ["yes"] });
const nothing = jsonSchema<object>({ type: "object" });
const soon = tool({
  name: "soon",
  description: "Asks, and does not wait for long.",
  input: nothing,
  suspends: { answer, expires: { afterMs: 1, default: { yes: false } } },
});
const locate = tool({
  name: "locate",
  description: "Where the user is.",
  input: nothing,
  runsIn: "client",
  output: jsonSchema<{ city: string }>({ type: "object" }),
});
const find = tool({
  name: "find",
  description: "Finds documents.",
  input: nothing,
  execute: (_, { report }: ToolContext) => {
    report({ sources: [{ id: "doc-1", title: "The guide", url: "https://docs.example/1" }] });
    return "found";
  },
});
const called = (name: string): Reply => ({ tools: [{ id: "c1", name, input: {} }] });
const tools = [own.confirm, own.look, soon, locate, find];
const hooks = [approval({ when: ["look"] })];
const isOver = ({ phase }: { phase: string }) => phase === "idle";
const isAsked = ({ phase }: { phase: string }) => phase === "suspended";
const resultOf = (messages: readonly { parts: readonly object[] }[]) =>
  messages.flatMap(({ parts }) => parts).find((part) => "callId" in part && part.callId === "c1");

describe("W2 a page with `createAgentClient()`", () => {
  const serving = (first: Reply) => own.serve(scriptedModel([first, { text: "Then so." }]), { tools, hooks });

  it.each([true, false])("P1 asks for approval, also after a reload, answered with %s", async (approved) => {
    const served = await serving(called("look"));
    const first = own.clientOf(served);
    await first.send("Look");
    const { sessionId } = await own.when(first, isAsked);
    const client = own.clientOf(served, { sessionId });
    const { pending } = await own.when(client, isAsked);
    expect(pending).toMatchObject([{ kind: "approval", callId: "c1" }]);
    expect(await client.answer("c1", { approved })).toBe(true);
    const { messages } = await own.when(client, isOver);
    expect(resultOf(messages)).toMatchObject({ questions: [{ state: "answered", value: { approved } }] });
    await own.expectSame(served, client, first);
  });

  it("F26 has the default of a question that has expired, and refuses a later answer", async () => {
    const served = await serving(called("soon"));
    const client = own.clientOf(served);
    await client.send("Ask");
    const { messages } = await own.when(client, (state) => isOver(state) && state.messages.length === 2);
    expect(resultOf(messages)).toMatchObject({ phase: "done", result: { yes: false } });
    expect(await client.answer("c1", yes)).toBe(false);
    await own.expectSame(served, client);
  });

  it("F14 shows a source, also after a reload", async () => {
    const served = await serving(called("find"));
    const client = own.clientOf(served);
    await client.send("Find it");
    const { sessionId } = await own.when(client, isOver);
    const reloaded = own.clientOf(served, { sessionId });
    await own.when(reloaded, ({ messages }) => messages.length === 2);
    const source = { type: "source", title: "The guide", url: "https://docs.example/1" };
    for (const page of [client, reloaded])
      expect(page.getState().messages[1]?.parts).toContainEqual(expect.objectContaining(source));
  });
});

describe("W2 a page with `createAspClient()`", () => {
  const serving = (first: Reply) =>
    asp.serveAsp(scriptedModel([first, { text: "Then so." }]), { tools, hooks });

  it.each([true, false])("P1 asks for approval, also after a reload, answered with %s", async (approved) => {
    const served = await serving(called("look"));
    const first = asp.aspClient(served);
    await first.send("Look");
    const { sessionId } = await asp.settled(first);
    const client = asp.aspClient(served, { sessionId });
    expect((await asp.settled(client)).pending).toMatchObject([{ callId: "c1", toolName: "look" }]);
    expect(await client.answer("c1", { approved })).toBe(true);
    const state = await asp.settled(client);
    expect([state.phase, asp.lastText(state)]).toEqual(["idle", "Then so."]);
    await asp.expectSame(served, client);
  });

  it("P4 in two tabs at one question: the first answer counts, and the other tab is told", async () => {
    const served = await serving({ tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] });
    const one = asp.aspClient(served);
    await one.send("Do it");
    const { sessionId } = await asp.settled(one);
    const two = asp.aspClient(served, { sessionId });
    await asp.settled(two);
    expect(await one.answer("c1", yes)).toBe(true);
    await asp.settled(one);
    expect(await two.answer("c1", { yes: false })).toBe(false);
    expect(two.getState().error).toMatchObject({ code: "already_answered" });
    await asp.expectSame(served, one);
  });

  it("F12 answers for a tool of the page", async () => {
    const served = await serving(called("locate"));
    const client = asp.aspClient(served);
    await client.send("Where am I?");
    expect((await asp.settled(client)).pending).toMatchObject([{ callId: "c1", toolName: "locate" }]);
    expect(await client.answer("c1", { city: "Bonn" })).toBe(true);
    const { messages } = await asp.settled(client);
    expect(resultOf(messages)).toMatchObject({ result: { city: "Bonn" } });
    await asp.expectSame(served, client);
  });

  it("F26 refuses an answer to a question that has expired, and shows its default after a reload", async () => {
    const served = await serving(called("soon"));
    const client = asp.aspClient(served);
    await client.send("Ask");
    const { sessionId = "" } = await asp.settled(client);
    await expect.poll(async () => (await served.store.sessions.get(sessionId))?.openRun).toBeNull();
    expect(await client.answer("c1", yes)).toBe(false);
    expect(client.getState().error).toMatchObject({ code: "already_answered" });
    const reloaded = asp.aspClient(served, { sessionId });
    const { messages } = await asp.settled(reloaded);
    expect(resultOf(messages)).toMatchObject({ phase: "done", result: { yes: false } });
  });
});
