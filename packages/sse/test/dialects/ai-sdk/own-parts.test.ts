import { agent, jsonSchema, memoryStore, runtime, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { expect, it } from "vitest";
import { agUi, aiSdk, handler, native } from "../../../src/index.ts";

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

it("W1 the AI SDK's reader gets emitted parts as data parts, live and from history", async () => {
  const serve = world();
  const chunks: unknown[] = [];
  const transport = new DefaultChatTransport({
    api: "http://localhost/runs",
    fetch: async (url, init) => await serve(new Request(url as string, init as RequestInit)),
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
