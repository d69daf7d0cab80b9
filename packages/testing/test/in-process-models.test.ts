import {
  type ContentBlock,
  type ContentBlockParam,
  type ModelClient,
  type ModelRequest,
  PawlError,
} from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";
import { type Reply, type Rules, scriptedModel, strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { long } from "./support.ts";

const signal = new AbortController().signal;

function asking(...messages: ModelRequest["messages"]): ModelRequest {
  const input_schema = { type: "object" };
  return {
    system: [{ type: "text", text: "Be brief." }],
    tools: [{ name: "look", description: "Looks.", input_schema }],
    messages,
    maxTokens: 500,
  };
}

const user = (...content: (string | ContentBlock)[]): ModelRequest["messages"][number] => ({
  role: "user",
  content: content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});

const hi = asking(user("Hi"));

async function events(model: ModelClient, request = hi, stop = signal): Promise<ModelEvent[]> {
  const list: ModelEvent[] = [];
  for await (const event of model.stream(request, { signal: stop })) list.push(event);
  return list;
}

/** The content as a client puts it together. */
function contentOf(list: ModelEvent[]): ContentBlock[] {
  const blocks: ContentBlockParam[] = [];
  const json: string[] = [];
  for (const event of list) {
    if (event.type === "content_block_start") blocks[event.index] = structuredClone(event.content_block);
    if (event.type !== "content_block_delta") continue;
    const block = blocks[event.index]!;
    const { text = "", thinking = "", signature = "", partial_json = "" } = event.delta;
    if (event.delta.type === "text_delta") block.text += text;
    if (event.delta.type === "thinking_delta") block.thinking += thinking;
    if (event.delta.type === "signature_delta") block.signature += signature;
    json[event.index] = (json[event.index] ?? "") + partial_json;
  }
  return (blocks as ContentBlock[]).map((block, n) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(json[n]!) } : block,
  );
}

describe.each([
  ["scriptedModel", (script: Reply[]) => scriptedModel(script)],
  ["strictModel", (script: Reply[]) => strictModel({ script })],
])("%s", (_name, make) => {
  it("yields the events of the Messages API", async () => {
    const list = await events(
      make([{ text: "So:", tools: [{ name: "look", input: { at: ["x", { y: 1 }] } }] }]),
    );
    expect(list.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(contentOf(list)).toMatchObject([
      { type: "text", text: "So:" },
      { type: "tool_use", name: "look", input: { at: ["x", { y: 1 }] } },
    ]);
    expect(list.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
    expect(list[0]).toMatchObject({ request_id: expect.stringMatching(/^req_01/) });
  });

  it("makes up a new id for every call", async () => {
    const reply: Reply = { tools: [{ name: "look" }, { name: "look" }] };
    const model = make([reply, reply]);
    const ids = [...contentOf(await events(model)), ...contentOf(await events(model))].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^toolu_01[\w-]{22}$/);
  });

  it("keeps copies of what it was asked", async () => {
    const model = make([{ text: "Hello." }]);
    const request = structuredClone(hi);
    await events(model, request);
    request.messages.push(user("later"));
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.messages).toHaveLength(1);
  });

  it("throws when the script has ended", async () => {
    const model = make([{ text: "Hello." }]);
    await events(model);
    await expect(events(model)).rejects.toThrow(
      expect.objectContaining({
        code: "config",
        message: expect.stringMatching(
          /^The script of "claude-.*" is out of replies: it has 1 reply, and this is request 2\.$/,
        ),
      }),
    );
  });

  it.each<[string, Reply, object]>([
    [
      "529",
      { fault: { status: 529, retryAfter: 2 } },
      { status: 529, type: "overloaded_error", retryable: true, retryAfterMs: 2000 },
    ],
    ["401", { fault: { status: 401 } }, { status: 401, type: "authentication_error", retryable: false }],
    [
      "a spend limit",
      { fault: { status: 429, errorCode: "enforced_spend_limit_reached" } },
      { status: 429, retryable: false, errorCode: "enforced_spend_limit_reached" },
    ],
    [
      "your own spend limit",
      { fault: { status: 400, message: "You have reached your specified API usage limits." } },
      { status: 400, retryable: false, errorCode: "own_spend_limit_reached" },
    ],
    [
      "a prompt that is too long",
      { fault: { status: 400, message: "prompt is too long: 2 tokens > 1 maximum" } },
      { status: 400, retryable: false, errorCode: "context_length_exceeded" },
    ],
    [
      "overload in the stream",
      { text: "a", fault: { midStream: "overloaded" } },
      { type: "overloaded_error", retryable: true },
    ],
    [
      "a refusal in the stream",
      { text: "a", fault: { midStream: "invalid_request_error" } },
      { type: "invalid_request_error", retryable: false },
    ],
    ["a cut", { text: "a", fault: { cut: 2 } }, { retryable: true }],
  ])("L12 throws model_error for %s", async (_title, reply, details) => {
    const error = await events(make([reply])).catch((thrown: unknown) => thrown);
    expect(PawlError.is(error, "model_error")).toBe(true);
    expect((error as PawlError).details).toMatchObject(details);
  });

  it("L9 throws the signal's reason out of a stall, a delay and before it begins", async () => {
    for (const reply of [
      { fault: { stall: 1 } },
      { latencyMs: 60_000 },
      { text: "a", delayPerEventMs: 60_000 },
    ]) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error("enough")), 20);
      await expect(events(make([reply]), hi, stop.signal)).rejects.toThrow("enough");
    }
    await expect(events(make([{}]), hi, AbortSignal.abort(new Error("too late")))).rejects.toThrow(
      "too late",
    );
  });

  it("L8 leaves a clipped call open", async () => {
    const list = await events(make([{ tools: [{ name: "look", input: { at: "somewhere" } }], clip: 9 }]));
    expect(list.some(({ type }) => type === "content_block_stop")).toBe(false);
    expect(list.at(-2)).toMatchObject({ delta: { stop_reason: "max_tokens" } });
  });

  it("C12 yields what can be sent back as it is", async () => {
    const model = strictModel({
      script: [{ thinking: "Hm.", tools: [{ name: "look", id: "a" }] }, { text: "Done." }],
    });
    const content = contentOf(await events(model));
    const answered = user({ type: "tool_result", tool_use_id: "a", content: "seen" });
    await events(model, asking(user("Hi"), { role: "assistant", content }, answered));
    expect(model.rejected).toEqual([]);
  });
});

describe("scriptedModel", () => {
  it("asks a function for its replies", async () => {
    const model = scriptedModel((request, n) => ({ text: `${n}: ${request.messages.length}` }));
    await events(model);
    expect(contentOf(await events(model))).toMatchObject([{ text: "1: 1" }]);
  });
});

describe("strictModel", () => {
  it("C1 throws model_error 400 for an invalid request and keeps it", async () => {
    const model = strictModel({ script: [] });
    const error = await events(model, asking(user(" "))).catch((thrown: unknown) => thrown);
    expect((error as PawlError).details).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      retryable: false,
    });
    expect(model.rejected).toMatchObject([
      { error: { message: "messages: text content blocks must contain non-whitespace text" } },
    ]);
  });

  it("O1 counts cache reads and writes", async () => {
    const model = strictModel({ rules: () => ({ text: "." }) });
    const request = asking(user("Hi"));
    request.system = [{ type: "text", text: long(600), cache_control: { type: "ephemeral" } }];
    const usage = async (): Promise<unknown> => {
      const first = (await events(model, request))[0];
      return first?.type === "message_start" ? first.message.usage : undefined;
    };
    expect(await usage()).toMatchObject({ cache_read_input_tokens: 0 });
    expect(await usage()).toMatchObject({
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: expect.any(Number),
    });
  });

  it("gives rules the request, the turn and the user's text", async () => {
    const seen: unknown[] = [];
    const rules: Rules = (request, { n, turn, input }) => {
      seen.push([request.model, n, turn, input]);
      return turn === 0 ? { tools: [{ name: "look", id: "a" }] } : { text: "Done." };
    };
    const model = strictModel({ rules, body: { thinking: { type: "adaptive" } } });
    const content = contentOf(await events(model));
    const answered = user({ type: "tool_result", tool_use_id: "a", content: "seen" });
    await events(model, asking(user("Hi"), { role: "assistant", content }, answered));
    expect(seen).toEqual([
      ["claude-sonnet-5-5", 0, 0, "Hi"],
      ["claude-sonnet-5-5", 1, 1, "Hi"],
    ]);
    expect(model.requests[0]).toMatchObject({
      thinking: { type: "adaptive" },
      max_tokens: 500,
      stream: true,
    });
  });
});
