import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk, handler, native } from "../../../src/index.ts";
import { chat, type Message } from "../../support/chat.ts";

function world(dialect = aiSdk()) {
  const look = tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    execute: async (_, { emit }) => {
      await emit({ type: "data-weather", id: "w", data: { celsius: 1 } });
      await emit({ type: "data-toast", data: "Looking", transient: true });
      await emit({ type: "data-weather", id: "w", data: { celsius: 2 } });
    },
  });
  const looker = agent({
    name: "looker",
    model: scriptedModel([{ tools: [{ name: "look", input: {} }] }, { text: "Done." }]),
    instructions: "Look.",
    tools: [look],
  });
  const pawl = runtime({ agents: [looker], store: memoryStore() });
  return handler({ runtime: pawl, agent: "looker", authorize: () => ({ userId: "ada" }), dialect });
}

const fetchOf =
  (serve: (request: Request) => Promise<Response>): typeof fetch =>
  (url, init) =>
    serve(new Request(url as string, init as RequestInit));

it("W1 the AI SDK's reader gets emitted parts as data parts, live and from history", async () => {
  const serve = world();
  const chunks: unknown[] = [];
  const transport = new DefaultChatTransport({
    api: "http://localhost/runs",
    fetch: fetchOf(serve),
  });
  const messages: UIMessage[] = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Look" }] }];
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "chat1",
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  const seen = stream.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        chunks.push(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream: seen })) last = message;
  const weather = { type: "data-weather", id: "w", data: { celsius: 2 } };
  const dataOf = (parts: UIMessage["parts"] = []) => parts.filter(({ type }) => type.startsWith("data-"));
  expect(dataOf(last?.parts)).toEqual([weather]);
  expect(chunks).toContainEqual({ type: "data-toast", data: "Looking", transient: true });
  const response = await serve(new Request("http://localhost/runs/chat1"));
  const history = (await response.json()) as { messages: UIMessage[] };
  expect(dataOf(history.messages.at(-1)?.parts)).toEqual([weather]);
});

it("W1 a tool cannot replace the output that a page shows", async () => {
  const errors: unknown[] = [];
  const data = "mine";
  const look = tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    execute: async (_, { emit }) => {
      await emit({ type: "data-output", id: "output", data }).catch(() => undefined);
      await emit({ type: "data-outputs", id: "output", data });
    },
  });
  const looker = agent({
    name: "looker",
    model: scriptedModel([{ tools: [{ name: "look", input: {} }] }, { output: { n: 1 } }]),
    instructions: "Look.",
    tools: [look],
    output: jsonSchema({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
  });
  const pawl = runtime({ agents: [looker], store: memoryStore(), onError: (error) => errors.push(error) });
  const serve = handler({
    runtime: pawl,
    agent: "looker",
    authorize: () => ({ userId: "ada" }),
    dialect: aiSdk(),
  });
  const page = chat(7, { url: "http://pawl" }, { id: "c", fetch: fetchOf(serve) });
  await page.sendMessage({ text: "Go" });
  const own = { type: "data-outputs", id: "output", data };
  const shown = [own, { type: "data-output", id: "output", data: { value: { n: 1 }, final: true } }];
  const loaded = await (await serve(new Request("http://pawl/runs/c"))).json();
  for (const { messages } of [page, loaded as { messages: Message[] }])
    expect(messages.at(-1)?.parts.filter(({ type }) => type.startsWith("data-"))).toEqual(shown);
  expect(String(errors)).toContain("not data-output");
});

describe("events of an extension that `parts` names", () => {
  const plan = tool({
    name: "plan",
    description: "Plans.",
    input: jsonSchema({ type: "object" }),
    execute: async (_, { append }) => {
      await append({ type: "acme.plan", data: { steps: 3 } });
      await append({ type: "acme.secret", data: { of: "the app" } });
    },
  });
  const served = (dialect = aiSdk()) => {
    const planner = agent({
      name: "planner",
      model: scriptedModel([{ tools: [{ name: "plan", input: {} }] }, { text: "Done." }]),
      instructions: "Plan.",
      tools: [plan],
    });
    const pawl = runtime({ agents: [planner], store: memoryStore() });
    const authorize = () => ({ userId: "ada" });
    const parts = { "acme.plan": "data-plan" } as const;
    return { pawl, serve: handler({ runtime: pawl, agent: "planner", authorize, dialect, parts }) };
  };
  const begin = (body: object) =>
    new Request("http://localhost/runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  it("W1 are parts live, in history, in pages of it and for useAgent, also once they are redacted", async () => {
    const { pawl, serve } = served();
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Plan" }] }];
    const live = await (await serve(begin({ id: "chat1", trigger: "submit-message", messages }))).text();
    expect(live).toContain('{"type":"data-plan","data":{"steps":3}}');
    expect(live).not.toContain("acme");
    const dataOf = async (path: string) => {
      const body = await (await serve(new Request(`http://localhost${path}`))).json();
      const parts = (body as { messages: UIMessage[] }).messages.flatMap((message) => message.parts);
      return parts.flatMap((part) => (/^data/.test(part.type) && "data" in part ? [part.data] : []));
    };
    const [session] = await pawl.store.sessions.list({ userId: "ada" });
    const id = session?.id ?? "";
    const paths = ["/runs/chat1", "/runs/chat1?last=10", `/sessions/${id}`, `/sessions/${id}?last=10`];
    for (const path of paths) expect(await dataOf(path)).toEqual([{ steps: 3 }]);
    const stored = await Array.fromAsync(pawl.store.read(id));
    const event = stored.find(({ type }) => type.startsWith("acme.plan"));
    await pawl.redact(id, event?.seq ?? 0, { userId: "ada" });
    const shown = await Promise.all(paths.map(dataOf));
    // Pages of the AI SDK do not get redacted parts.
    expect(shown).toEqual([[], [], ["[redacted]"], ["[redacted]"]]);
  });

  it.each([
    ["a list", ["acme.plan"]],
    ["an empty list", []],
    ["a Map", new Map([["acme.plan", "data-plan"]])],
    ["a type of core", { artifact: "data-artifact" }],
    ["a name without data-", { "acme.plan": "plan" }],
    ["a name of Pawl's own parts", { "acme.plan": "data-output" }],
  ])("are refused for %s", (_, parts) => {
    const options = {
      agent: "planner" as const,
      authorize: () => ({ userId: "ada" }),
      parts: parts as never,
    };
    expect(() => handler({ runtime: served().pawl, ...options })).toThrow(
      "`parts` of handler() must be e.g.",
    );
  });
});

const bodies = {
  native: [native(), { input: "Look" }],
  agUi: [
    agUi(),
    {
      threadId: "t1",
      runId: "r1",
      state: {},
      messages: [{ id: "m1", role: "user", content: "Look" }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
  ],
} as const;

const post = async (name: keyof typeof bodies) => {
  const [dialect, body] = bodies[name];
  const request = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return await (await world(dialect)(new Request("http://localhost/runs", request))).text();
};

it("W1 AG-UI gets emitted parts as one activity, and transient ones as a custom event", async () => {
  const text = await post("agUi");
  const events = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));
  const activities = events.filter(({ activityType }) => activityType === "data-weather");
  expect(activities.map(({ content }) => content.data)).toEqual([{ celsius: 1 }, { celsius: 2 }]);
  expect(new Set(activities.map(({ messageId }) => messageId)).size).toBe(1);
  expect(events).toContainEqual({ type: "CUSTOM", name: "data-toast", value: "Looking" });
});

it("W1 native streams have emitted parts as events", async () => {
  const text = await post("native");
  expect(text).toContain('"type":"data_part"');
  expect(text).toContain('"type":"transient_part"');
});
