import { approval, jsonSchema, tool } from "@pawl/core";
import { type Reply, scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
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
import { look, type Served, serve } from "../../support/served.ts";

const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: jsonSchema<{ exact?: boolean }>({ type: "object", properties: { exact: { type: "boolean" } } }),
  runsIn: "client",
  output: jsonSchema<{ city: string }>({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  }),
});
const call = (id: string, name = "locate") => ({ id, name, input: name === "locate" ? { exact: true } : {} });
const script: Reply[] = [{ tools: [call("l1")] }, { text: "Bonn!" }];

async function serving(replies = script, options: Parameters<typeof serve>[1] = {}) {
  const model = scriptedModel(replies);
  const served = await serve(model, { dialect: aiSdk(), tools: [locate, look], ...options });
  return { model, served };
}

/** A page that runs the tool as the AI SDK's documentation says: it does not await `addToolOutput()`. */
function page(
  version: 6 | 7,
  served: Served,
  answer: (call: { toolCallId: string; toolName: string; input: unknown }) => object,
  options: ChatOptions = {},
) {
  const calls: unknown[] = [];
  const client: Chat = chat(version, served, {
    ...options,
    onToolCall: ({ toolCall }) => {
      const { toolCallId, toolName, input } = toolCall as never;
      calls.push({ toolName, input });
      void client.addToolOutput({ tool: toolName, toolCallId, ...answer(toolCall as never) } as never);
    },
  });
  return { client, calls };
}

const done = async (client: Chat, text: string) => {
  await eventually(
    () => client.status === "ready" && textOf(client.messages.at(-1)) === text,
    () => client,
  );
  expect(client.error).toBeUndefined();
};

const results = async ({ store }: Served) => {
  const [session] = await store.sessions.list({ userId: "ada" });
  const log = await Array.fromAsync(store.read(session?.id ?? "", { types: ["tool_result"] }));
  return log.map(({ data }) => data as { success: boolean; result: unknown });
};

describe.each([6, 7] as const)("F12 W2 useChat of version %s runs the page's tools", (version) => {
  it("in onToolCall, once, and the answer goes on in the same message", async () => {
    const { served, model } = await serving();
    const { client, calls } = page(version, served, () => ({ output: { city: "Bonn" } }));
    await client.sendMessage({ text: "Where am I?" });
    await done(client, "Bonn!");
    expect(calls).toEqual([{ toolName: "locate", input: { exact: true } }]);
    expect(callOf(client, "locate")).toMatchObject({ state: "output-available", output: { city: "Bonn" } });
    expect(client.messages).toHaveLength(2);
    expect(await results(served)).toMatchObject([{ success: true, result: { city: "Bonn" } }]);
    expect(model.requests).toHaveLength(2);
  });

  it("and reports errors, and results that do not match, to the model", async () => {
    for (const [answer, said] of [
      [{ state: "output-error", errorText: "The user said no." }, "The user said no."],
      [{ output: { town: 5 } }, "wrong result"],
    ] as const) {
      const { served } = await serving([{ tools: [call("l1")] }, { text: "A pity." }]);
      const { client } = page(version, served, () => answer);
      await client.sendMessage({ text: "Where am I?" });
      await done(client, "A pity.");
      expect(await results(served)).toMatchObject([
        { success: false, result: expect.stringContaining(said) },
      ]);
    }
  });

  it("beside tools of the server, several in one turn", async () => {
    const { served } = await serving([
      { tools: [call("l1"), call("k1", "look"), call("l2")] },
      { text: "All." },
    ]);
    const { client, calls } = page(version, served, ({ toolCallId }) => ({ output: { city: toolCallId } }));
    await client.sendMessage({ text: "Go" });
    await done(client, "All.");
    expect(calls).toHaveLength(2);
    const all = (await results(served)).map(({ result }) => JSON.stringify(result));
    expect(all.sort()).toEqual(['"found nothing"', '{"city":"l1"}', '{"city":"l2"}']);
  });

  it("after the user has approved them", async () => {
    const { served } = await serving(script, { hooks: [approval({ when: ["locate"] })] });
    const { client, calls } = page(version, served, () => ({ output: { city: "Bonn" } }));
    await client.sendMessage({ text: "Where am I?" });
    expect([callOf(client, "locate").state, calls]).toEqual(["approval-requested", []]);
    await client.addToolApprovalResponse({ id: callOf(client, "locate").approval?.id ?? "", approved: true });
    await done(client, "Bonn!");
    expect(calls).toHaveLength(1);
    expect(await results(served)).toMatchObject([{ success: true, result: { city: "Bonn" } }]);
  });

  it("after a reload too: the call is there without an output, and is answered once", async () => {
    const { served } = await serving();
    const first = chat(version, served, { id: "c1" });
    await first.sendMessage({ text: "Where am I?" });
    const back = chat(version, served, { id: "c1", messages: await history(served, "c1") });
    const part = callOf(back, "locate");
    expect(part).toMatchObject({ state: "input-available", input: { exact: true }, toolCallId: "l1" });
    await back.addToolOutput({ tool: "locate", toolCallId: "l1", output: { city: "Bonn" } });
    await done(back, "Bonn!");
    await first.addToolOutput({ tool: "locate", toolCallId: "l1", output: { city: "Rome" } });
    expect(await results(served)).toMatchObject([{ result: { city: "Bonn" } }]);
  });

  it("that it offers itself, where the app reads them from the body", async () => {
    const extra = {
      fields: ["tools"],
      read: ({ tools }: { tools?: unknown }) => ({ clientTools: tools as never }),
    };
    const { served, model } = await serving([{ tools: [call("p1", "read_page")] }, { text: "Read." }], {
      clientTools: true,
      extra,
    });
    const tools = [{ name: "read_page", description: "Reads.", inputSchema: { type: "object" } }];
    const send: typeof fetch = (url, init) =>
      fetch(url, { ...init, body: JSON.stringify({ ...JSON.parse(String(init?.body)), tools }) });
    const { client, calls } = page(version, served, () => ({ output: "Hello" }), { fetch: send });
    await client.sendMessage({ text: "Read." });
    await done(client, "Read.");
    expect(calls).toEqual([{ toolName: "read_page", input: {} }]);
    expect(await results(served)).toMatchObject([{ result: "Hello" }]);
    expect(model.requests.map(({ tools: sent }) => sent.length)).toEqual([3, 3]);
  });
});
