import { approval, type Json, jsonSchema, PawlError, type ToolContext, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { aiSdk } from "../../../src/index.ts";
import { type Chat, callOf, chat, eventually, history, type Version } from "../../support/chat.ts";
import { handModel } from "../../support/hand-model.ts";
import { confirm, type Served, serve } from "../../support/served.ts";

// What a tab sends that still shows questions which another tab, or the user, has settled.

const VERSIONS: readonly Version[] = ["6.0.37", "6.0.160", 6, "7.0.0", 7];

const loaded = async (version: Version, served: Served) =>
  chat(version, served, { id: "c", messages: await history(served, "c") });
const runsOf = async ({ store }: Served) => {
  const [session] = await store.sessions.list({ userId: "ada" });
  return await Array.fromAsync(store.read(session?.id ?? "", { types: ["run_started"] }));
};
const say = (page: Chat, callId: string, output: Json) =>
  page.addToolOutput({ tool: "confirm", toolCallId: callId, output });

describe.each(VERSIONS)("P4 L9 a second tab of the AI SDK %s", (version) => {
  it("begins no stopped run again by the answer that the run had", async () => {
    const model = handModel();
    const served = await serve(model, { dialect: aiSdk(), tools: [confirm] });
    const one = chat(version, served, { id: "c" });
    const asking = one.sendMessage({ text: "Go" });
    (await model.turn()).end([{ id: "c1", name: "confirm", input: { question: "Sure?" } }]);
    await asking;
    const two = await loaded(version, served);
    await say(one, "c1", { yes: true });
    (await model.turn()).say("Well, ");
    await served.ask("/sessions/c/stop", { method: "POST" });
    await eventually(() => one.status === "ready");
    await say(two, "c1", { yes: true });
    await eventually(() => two.error !== undefined);
    expect(two.error?.message).toContain("already_answered");
    expect(await runsOf(served)).toHaveLength(1);
  });

  it("learns at once that one of its two answers came too late, and the other is not taken", async () => {
    const calls = ["c1", "c2"].map((id) => ({ id, name: "confirm", input: { question: `${id}?` } }));
    const model = scriptedModel([{ tools: calls }, { text: "Done." }]);
    const served = await serve(model, { dialect: aiSdk(), tools: [confirm] });
    const one = chat(version, served, { id: "c" });
    await one.sendMessage({ text: "Go" });
    const two = await loaded(version, served);
    const first = { callId: "c1", value: { yes: true } };
    const [session] = await served.store.sessions.list({ userId: "ada" });
    const answering = { userId: "ada", sessionId: session?.id ?? "", answers: [first] };
    await served.runtime.run("coach", answering).result;
    await say(two, "c1", { yes: false });
    await say(two, "c2", { yes: true });
    await eventually(() => two.error !== undefined);
    expect(two.error?.message).toContain("already_answered");
    expect(model.requests).toHaveLength(1);
  });
});

it("P4 an answer to a call's earlier question is too late, although the call asks for an approval now", async () => {
  const asks = tool({
    name: "confirm",
    description: "Asks twice.",
    input: jsonSchema<object>({ type: "object" }),
    execute: (_, { answered, ask }: ToolContext) => {
      const kind = answered === undefined ? "amount" : "approval";
      return ask({ kind, payload: {}, answer: jsonSchema<Json>({}) });
    },
  });
  const model = scriptedModel([{ tools: [{ id: "c1", name: "confirm", input: {} }] }] satisfies Reply[]);
  const served = await serve(model, { dialect: aiSdk(), tools: [asks] });
  const one = chat(7, served, { id: "c" });
  await one.sendMessage({ text: "Go" });
  const two = await loaded(7, served);
  await say(one, "c1", 5);
  await eventually(() => callOf(one, "confirm").state === "approval-requested");
  await say(two, "c1", 7);
  await eventually(() => two.error !== undefined);
  expect(two.error?.message).toContain("already_answered");
});

describe("C8 W2 what a user has decided about a redacted call", () => {
  const redacted = async (execute: (context: ToolContext) => Json, approved: boolean, hooked: boolean) => {
    const one = tool({
      name: "confirm",
      description: "Acts.",
      input: jsonSchema<object>({ type: "object" }),
      execute: (_, context: ToolContext) => execute(context),
    });
    const model = scriptedModel([
      { tools: [{ id: "c1", name: "confirm", input: {} }] },
      { text: "Done." },
    ] satisfies Reply[]);
    const hooks = hooked ? [approval({ when: ["confirm"] })] : [];
    const served = await serve(model, { dialect: aiSdk(), tools: [one], hooks });
    const page = chat(7, served, { id: "c" });
    await page.sendMessage({ text: "Go" });
    const { approval: asked } = callOf(page, "confirm");
    await page.addToolApprovalResponse({ id: asked?.id ?? "", approved, reason: "private" });
    const [session] = await served.store.sessions.list({ userId: "ada" });
    const id = session?.id ?? "";
    await eventually(async () => (await served.store.sessions.get(id))?.openRun === null);
    for (const { seq } of await Array.fromAsync(served.store.read(id)))
      await served.runtime.redact(id, seq, { userId: "ada" }).catch(() => undefined);
    const again = chat(7, served, { id: "c" });
    await again.resumeStream();
    const messages = await history(served, "c");
    expect(JSON.stringify([messages, again.messages])).not.toContain("private");
    return [callOf({ messages }, "confirm"), callOf(again, "confirm")] as const;
  };

  it("stays a yes if its tool has failed", async () => {
    const fail = () => {
      throw new PawlError("invalid_input", "No.");
    };
    const [part, again] = await redacted(fail, true, true);
    expect(part).toMatchObject({ state: "output-error", approval: { approved: true } });
    expect(again.state).toBe("output-error");
  });

  it("stays a no if the tool that has asked has returned something", async () => {
    const ask = ({ answered, ask: asks }: ToolContext): Json =>
      answered === undefined
        ? asks({ kind: "approval", payload: {}, answer: jsonSchema<Json>({}) })
        : "Left.";
    const [part, again] = await redacted(ask, false, false);
    expect(part).toMatchObject({ state: "output-denied", approval: { approved: false } });
    expect(again.state).toBe("output-denied");
  });
});
