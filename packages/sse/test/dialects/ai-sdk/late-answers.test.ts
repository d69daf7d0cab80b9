import { approval, type Json, jsonSchema, type Tool, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { settled } from "../../../../../test/support/settled.ts";
import { aiSdk } from "../../../src/index.ts";
import {
  type Chat,
  type ChatOptions,
  callOf,
  chat,
  eventually,
  history,
  textOf,
} from "../../support/chat.ts";
import { confirm, look, type Served, serve } from "../../support/served.ts";

const any = jsonSchema<Json>({});
const object = jsonSchema({ type: "object" });
const locate = tool({
  name: "locate",
  description: "Locates.",
  input: object,
  runsIn: "client",
  output: any,
});
const fails: Reply = { fault: { status: 400, type: "invalid_request_error", message: "x" } };
const calls = (name: string): Reply => ({ tools: [{ id: "c1", name, input: {} }] });

async function serving(version: 6 | 7, script: readonly Reply[], tools: Tool[], hooks = [] as object[]) {
  const model = scriptedModel(script);
  const options = { dialect: aiSdk(), tools, hooks: hooks as never };
  const served = await serve(model, options);
  const open = (more: ChatOptions = {}) => chat(version, served, { id: "c", ...more });
  return { served, model, open };
}

const stop = async (served: Served) => {
  expect((await served.ask("/sessions/c/stop", { method: "POST" })).status).toBeLessThan(300);
};

/** Waits until the page is told that its answer came too late. */
const told = async (client: Chat) => {
  await eventually(
    () => client.error?.message.includes("already_answered") === true,
    () => [client.error?.message, client.messages],
  );
  await settled();
};

describe.each([6, 7] as const)("P4 W2 an answer that comes too late, useChat of version %s", (version) => {
  it("begins nothing: No is pressed after the run was stopped in another tab", async () => {
    const { served, model, open } = await serving(
      version,
      [calls("look"), { text: "Anew." }],
      [look],
      [approval({ when: ["look"] })],
    );
    const client = open();
    await client.sendMessage({ text: "Go" });
    await stop(served);
    await client.addToolApprovalResponse({ id: callOf(client, "look").approval?.id ?? "", approved: false });
    await told(client);
    expect(model.requests).toHaveLength(1);
  });

  it("begins nothing: the user has stopped the run while the page's tool worked", async () => {
    const { served, model, open } = await serving(version, [calls("locate"), { text: "Anew." }], [locate]);
    const client = open();
    await client.sendMessage({ text: "Where?" });
    await stop(served);
    await client.addToolOutput({ tool: "locate", toolCallId: "c1", output: { city: "Bonn" } });
    await told(client);
    expect(model.requests).toHaveLength(1);
  });

  it("begins nothing: the page's tool fails after the run was stopped", async () => {
    const { served, model, open } = await serving(version, [calls("locate"), { text: "Anew." }], [locate]);
    const client = open();
    await client.sendMessage({ text: "Where?" });
    await stop(served);
    const failed = { state: "output-error", errorText: "No signal." } as const;
    await client.addToolOutput({ tool: "locate", toolCallId: "c1", ...failed });
    await told(client);
    expect(model.requests).toHaveLength(1);
  });

  it("begins nothing: another tab said yes, the model failed, and this one says no", async () => {
    expectPrinted("pawl: x");
    const { model, open } = await serving(version, [calls("confirm"), fails, { text: "Anew." }], [confirm]);
    const first = open();
    await first.sendMessage({ text: "Go" });
    const second = open({ messages: structuredClone(first.messages) });
    await first.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
    await eventually(() => first.error !== undefined);
    await second.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: false } });
    await told(second);
    expect(model.requests).toHaveLength(2);
  });

  it("is no reason against a retry: the same answer is sent again after the model failed", async () => {
    expectPrinted("pawl: x");
    const { model, open } = await serving(version, [calls("confirm"), fails, { text: "Anew." }], [confirm]);
    const client = open({ automatic: false });
    await client.sendMessage({ text: "Go" });
    await client.addToolOutput({ tool: "confirm", toolCallId: "c1", output: { yes: true } });
    await client.sendMessage();
    expect(client.error).toBeDefined();
    await client.sendMessage();
    await eventually(
      () => textOf(client.messages.at(-1)) === "Anew.",
      () => client.messages,
    );
    expect(model.requests).toHaveLength(3);
  });

  it("is no reason against a retry: a page that was reloaded after a stop sends what it was shown", async () => {
    const { served, model, open } = await serving(version, [calls("locate"), { text: "Anew." }], [locate]);
    await open().sendMessage({ text: "Where?" });
    await stop(served);
    const client = open({ messages: await history(served, "c"), automatic: false });
    await client.sendMessage();
    await eventually(
      () => textOf(client.messages.at(-1)).endsWith("Anew."),
      () => client.messages,
    );
    expect(model.requests).toHaveLength(2);
  });
});

describe.each([6, 7] as const)("P4 W2 an approved call that asks again, useChat of version %s", (version) => {
  const plain = { name: "pay", description: "Pays.", input: object };
  it.each<[string, Tool]>([
    ["runs in the page", tool({ ...plain, runsIn: "client", output: any })],
    ["suspends", tool({ ...plain, suspends: { answer: any } })],
    [
      "asks while it runs",
      tool({
        ...plain,
        execute: (_, { answered, ask }) =>
          answered === undefined ? ask({ kind: "card", payload: {}, answer: any }) : "paid",
      }),
    ],
  ])("is shown as approved, live and after a reload: it %s", async (_, pay) => {
    const script = [calls("pay"), { text: "Paid." }];
    const { served, open } = await serving(version, script, [pay], [approval({ when: ["pay"] })]);
    const client = open();
    await client.sendMessage({ text: "Go" });
    await client.addToolApprovalResponse({ id: callOf(client, "pay").approval?.id ?? "", approved: true });
    await eventually(() => callOf(client, "pay").state === "input-available" && client.status === "ready");
    await client.addToolOutput({ tool: "pay", toolCallId: "c1", output: { card: 1 } });
    await eventually(
      () => textOf(client.messages.at(-1)) === "Paid.",
      () => client.messages,
    );
    const shown = { state: "output-available", approval: { approved: true } };
    expect(callOf({ messages: await history(served, "c") }, "pay")).toMatchObject(shown);
    expect(callOf(client, "pay").state).toBe("output-available");
  });
});
