import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import {
  type AgentOptions,
  agent,
  answering,
  type ContentBlockParam,
  type ModelClient,
  memoryStore,
  runtime,
  type StoredEvent,
  summarize,
} from "../../../src/index.ts";
import type { ContentDelta, ModelEvent } from "../../../src/model.ts";
import { pricing } from "../../support/pricing.ts";

const PIECE = "word ".repeat(20);

const LONG = "z".repeat(100_000);

/** A server that ignores `max_tokens`: it writes without end, until nobody listens any more. */
function endless(
  block: ContentBlockParam = { type: "text", text: "" },
  delta: ContentDelta = { type: "text_delta", text: PIECE },
) {
  const seen = { pieces: 0, closed: 0, maxTokens: [] as number[] };
  const model: ModelClient = {
    id: "endless",
    pricing,
    async *stream({ maxTokens }): AsyncGenerator<ModelEvent> {
      seen.maxTokens.push(maxTokens);
      try {
        yield { type: "message_start", message: { id: "m", model: "endless", usage: { input_tokens: 10 } } };
        yield { type: "content_block_start", index: 0, content_block: block };
        for (; ; seen.pieces += 1) yield { type: "content_block_delta", index: 0, delta };
      } finally {
        seen.closed += 1;
      }
    },
  };
  return { model, seen };
}

async function run(model: ModelClient, options: Partial<AgentOptions<unknown>> = {}) {
  const store = memoryStore();
  const made = agent({ name: "a", model, instructions: "Go.", ...options });
  const result = await runtime({ agents: [made], store }).run("a", { userId: "u1", input: "Hi" }).result;
  const log: StoredEvent[] = await Array.fromAsync(store.read(result.sessionId));
  return { ...result, log };
}

const codes = (log: readonly StoredEvent[]) =>
  log.flatMap((event) => (event.type === "error" ? [event.data.code] : []));

describe("a model that ignores max_tokens", () => {
  it.each<[string, Partial<AgentOptions<unknown>>, string]>([
    ["a limit on tokens", { limits: { outputTokens: 1_000 } }, "token_limit"],
    ["a limit on cost", { limits: { costUsd: 0.01 } }, "cost_limit"],
    ["a session's limit on tokens", { sessionLimits: { outputTokens: 1_000 } }, "token_limit"],
    ["its own max_tokens", { maxTokens: 1_000 }, "max_tokens"],
  ])("L8 O1 is cut while it streams, and the run ends by %s", async (_title, options, type) => {
    const { model, seen } = endless();
    const { stop, usage, costUsd, text, log } = await run(model, options);
    expect(stop.type).toBe(type);
    expect(seen.closed).toBe(1);
    expect(seen.maxTokens).toHaveLength(1);
    expect(usage.outputTokens).toBe(seen.maxTokens[0]);
    expect(costUsd).toBeLessThanOrEqual(0.01 + 0.00002);
    expect(text.length).toBeLessThan(9_000);
    expect(codes(log)[0]).toBe("overlong_answer");
  });

  it.each<[string, ContentBlockParam, ContentDelta]>([
    ["thinking", { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: PIECE }],
    [
      "a tool's input",
      { type: "tool_use", id: "toolu_1", name: "look", input: {} },
      { type: "input_json_delta", partial_json: PIECE },
    ],
  ])("L8 counts %s like text, and runs no call of it", async (_title, block, delta) => {
    const { model, seen } = endless(block, delta);
    const { stop, log } = await run(model, { maxTokens: 1_000 });
    expect(stop.type).toBe("max_tokens");
    expect(seen.pieces * PIECE.length).toBeLessThan(9_000);
    expect(log.some(({ type }) => type === "tool_call")).toBe(false);
  });

  it("L8 is cut also where it only begins one block after the other", async () => {
    const model: ModelClient = {
      id: "blocks",
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { type: "message_start", message: { id: "m", model: "blocks" } };
        for (let index = 0; ; index += 1) {
          yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
        }
      },
    };
    expect((await run(model, { maxTokens: 100 })).stop.type).toBe("max_tokens");
  });

  it.each<[string, ContentBlockParam, ContentDelta | undefined]>([
    ["redacted thinking", { type: "redacted_thinking", data: LONG }, undefined],
    ["blocks of a future type", { type: "x_new", stuff: LONG }, undefined],
    ["results", { type: "web_search_tool_result", tool_use_id: "s", content: [{ url: LONG }] }, undefined],
    ["inputs at the start of calls", { type: "tool_use", id: "t", name: "n", input: { a: LONG } }, undefined],
    ["names", { type: "tool_use", id: "t", name: LONG, input: {} }, undefined],
    ["signatures", { type: "thinking", thinking: "" }, { type: "signature_delta", signature: LONG }],
    ["citations", { type: "text", text: "" }, { type: "citations_delta", citation: { url: LONG } }],
    ["deltas of a future type", { type: "x_new" }, { type: "x_delta", text: LONG }],
  ])("L8 B7 is cut where it writes %s without end", async (_title, block, delta) => {
    let sent = 0;
    const model: ModelClient = {
      id: "opaque",
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { type: "message_start", message: { id: "m", model: "opaque" } };
        for (let index = 0; index < 500; index += 1, sent += 1) {
          if (index === 0 || !delta) yield { type: "content_block_start", index, content_block: block };
          if (delta) yield { type: "content_block_delta", index: 0, delta };
        }
      },
    };
    const { stop, log } = await run(model, { maxTokens: 100 });
    expect(stop.type).toBe("max_tokens");
    expect(codes(log)[0]).toBe("overlong_answer");
    expect(sent * LONG.length).toBeLessThan(block.name === "n" ? 200_000 : 4_200_000);
  });

  it("L8 B7 is cut where the counts of its tokens never end", async () => {
    let sent = 0;
    const model: ModelClient = {
      id: "counts",
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { type: "message_start", message: { id: "m", model: "counts" } };
        for (; sent < 500; sent += 1) {
          const usage = { [`${sent}`]: LONG } as object;
          yield { type: "message_delta", delta: { stop_reason: "end_turn" }, usage };
        }
      },
    };
    expect((await run(model, { maxTokens: 100 })).stop.type).toBe("max_tokens");
    expect(sent * LONG.length).toBeLessThan(4_200_000);
  });

  it("O2 is measured by the agent's own estimate", async () => {
    const lengthAt = async (charsPerToken: number) => {
      const estimateTokens = (chars: number) => Math.ceil(chars / charsPerToken);
      return (await run(endless().model, { maxTokens: 1_000, estimateTokens })).text.length;
    };
    expect(await lengthAt(2)).toBeLessThan(4_500);
    expect(await lengthAt(8)).toBeGreaterThan(15_000);
  });

  it("L4 is given its last turn where the agent lands, within the limit", async () => {
    const { model: long } = endless();
    const last = scriptedModel([{ text: "I got this far." }]);
    let asked = 0;
    const model: ModelClient = {
      ...long,
      stream: (request, options) => {
        asked += 1;
        return (asked === 1 ? long : last).stream(request, options);
      },
    };
    const { stop, text, usage } = await run(model, { limits: { outputTokens: 2_000 }, onLimit: "land" });
    expect(stop.type).toBe("token_limit");
    expect(text.endsWith("\n\nI got this far.")).toBe(true);
    expect(usage.outputTokens).toBeLessThanOrEqual(2_000);
  });

  it("L8 O1 is cut in a summary as well, which is charged", async () => {
    const { model, seen } = endless();
    const strategy = summarize({ model, whenTokens: 1, keepTurns: 1, maxTokens: 500 });
    const store = memoryStore();
    const words = "x".repeat(4_000);
    const made = agent({
      name: "a",
      model: scriptedModel([{ text: words }, { text: words }, { text: "Bye." }]),
      instructions: "Go.",
      checkpointWhen: [strategy],
    });
    const pawl = runtime({ agents: [made], store });
    const { sessionId } = await pawl.run("a", { userId: "u1", input: words }).result;
    await pawl.run("a", { userId: "u1", sessionId, input: words }).result;
    const { text } = await pawl.run("a", { userId: "u1", sessionId, input: "Hi" }).result;
    expect(text).toBe("Bye.");
    expect(seen.closed).toBeGreaterThan(0);
    const log = await Array.fromAsync(store.read(sessionId));
    const ofSummary = log.filter((event) => event.type === "llm_response" && event.data.attempt === 0);
    expect(ofSummary[0]).toMatchObject({ data: { tokens: { completion: 500 } } });
  });
});

describe("an answer that stays within max_tokens", () => {
  it("L8 may have millions of characters of what a server's tools have found, and long signatures", async () => {
    const found = { type: "web_fetch_tool_result", tool_use_id: "s", content: "x".repeat(3_000_000) };
    const thinking = { type: "thinking", thinking: "Hm.", signature: "s".repeat(200_000) };
    const model = scriptedModel([{ content: [found, thinking, { type: "text", text: "Done." }] }]);
    const { stop, text, log } = await run(model, { maxTokens: 100 });
    expect([stop.type, text, codes(log)]).toEqual(["end_turn", "Done.", []]);
  });

  it("L8 is never cut for its length, however long its words are", async () => {
    const text = "Donaudampfschifffahrt ".repeat(300).trim();
    const model = scriptedModel([{ text, usage: { output_tokens: 1_000 } }]);
    const { stop, text: said } = await run(model, { maxTokens: 1_000 });
    expect([stop.type, said]).toEqual(["end_turn", text]);
  });

  it("L8 is not cut for a tool's input in which its server escapes every character beyond ASCII", async () => {
    const words = "Расскажи мне подробнее о своих целях на эту неделю. ".repeat(60);
    const ascii = JSON.stringify(words).replace(/[^\0-\x7f]/g, (letter) => {
      return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
    const model: ModelClient = {
      id: "escapes",
      async *stream(): AsyncGenerator<ModelEvent> {
        const block = { type: "tool_use", id: "toolu_1", name: "look", input: {} } as const;
        const delta = { type: "input_json_delta", partial_json: `{"words":${ascii}}` } as const;
        yield { type: "message_start", message: { id: "m", model: "escapes" } };
        yield { type: "content_block_start", index: 0, content_block: block };
        yield { type: "content_block_delta", index: 0, delta };
        yield { type: "content_block_stop", index: 0 };
        yield { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1_000 } };
        yield { type: "message_stop" };
      },
    };
    const { log } = await run(model, { maxTokens: 1_000, limits: { turns: 1 } });
    expect(codes(log)).not.toContain("overlong_answer");
    expect(log.find(({ type }) => type === "tool_call")).toMatchObject({ data: { arguments: { words } } });
  });

  it("H1 is not measured where a hook answers in the model's place", async () => {
    const words = "x".repeat(100_000);
    const hooks = [{ name: "speaks", beforeTurn: () => ({ model: answering(words) }) }];
    const { stop, text } = await run(scriptedModel([]), { hooks, maxTokens: 100 });
    expect([stop.type, text.length]).toEqual(["end_turn", words.length]);
  });

  it("L8 ends by the limit that has shortened it, not as if it had been too long for its own", async () => {
    const cut = scriptedModel([{ text: "So far", stop: "max_tokens", usage: { output_tokens: 300 } }]);
    expect((await run(cut, { limits: { outputTokens: 300 } })).stop.type).toBe("token_limit");
    const own = scriptedModel([{ text: "So far", stop: "max_tokens", usage: { output_tokens: 300 } }]);
    expect((await run(own, { maxTokens: 300 })).stop.type).toBe("max_tokens");
  });
});
