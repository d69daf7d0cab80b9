import type { OpenAI } from "openai";
import type { DialectCase, DialectOutcome } from "./dialect.ts";
import { GREETING } from "./dialect.ts";

type Chunk = OpenAI.ChatCompletionChunk;
type Choice = Chunk["choices"][number];

/** The usage that answers of the corpus report. */
export const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 5,
  total_tokens: 25,
} satisfies OpenAI.CompletionUsage;

/** Makes the chunks of one model, in the form of the official SDK. */
export function chunksOf(model: string, more: object = {}) {
  const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_790_000_000, model } as const;
  return {
    /** A chunk in the API's own form. */
    chunk: (delta: Choice["delta"], finish_reason: Choice["finish_reason"] = null) =>
      ({ ...base, choices: [{ index: 0, delta, finish_reason }], ...more }) satisfies Chunk,
    /** A chunk in another form. */
    odd: (delta: object, finish_reason: string | null = null, extra: object = {}) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason, ...extra }],
      ...more,
    }),
    usage: (extra: object = {}) => ({ ...base, choices: [], usage: { ...USAGE, ...extra }, ...more }),
  };
}

/** The body of an event stream. Texts are sent as they are. */
export function sse(chunks: readonly (object | string)[], end = "data: [DONE]\n\n"): { body: string } {
  const parts = chunks.map((chunk) =>
    typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`,
  );
  return { body: parts.join("") + end };
}

/** A JSON response. */
export function json(body: unknown, status = 200): DialectCase["response"] {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** Piece of a call in the API's own form. */
export function callPiece(
  index: number,
  piece: { id?: string; name?: string; arguments?: string },
): Choice["delta"] {
  const { id, name, arguments: input } = piece;
  const called = { ...(name !== undefined && { name }), ...(input !== undefined && { arguments: input }) };
  return {
    tool_calls: [{ index, ...(id !== undefined && { id, type: "function" as const }), function: called }],
  };
}

export const TOKENS = [20, 5] as const;
export const SAID: DialectOutcome = { text: GREETING, stop: "end_turn", tokens: TOKENS };
export const LOOK = { name: "look", input: { city: "Malmö" } } as const;
export const FIND = { name: "find", input: { q: "rain" } } as const;
export const CALLED: DialectOutcome = { calls: [LOOK], stop: "tool_use", tokens: TOKENS };
export const CALLED_BOTH: DialectOutcome = { calls: [LOOK, FIND], stop: "tool_use", tokens: TOKENS };
export const TOO_LONG: DialectOutcome = {
  failure: { retryable: false, errorCode: "context_length_exceeded" },
};
export const TRY_AGAIN: DialectOutcome = { failure: { retryable: true } };
export const REFUSED: DialectOutcome = { stop: "refusal" };

/** The usual answers of a server that speaks as OpenAI does, all from one source. */
export function usual(model: string, source: string, more: object = {}) {
  const { chunk, usage } = chunksOf(model, more);
  const input = JSON.stringify(LOOK.input);
  const half = Math.floor(input.length / 2);
  const first = chunk({ role: "assistant", content: "" });
  return {
    whole: [
      {
        title: "text in pieces, the reason, the usage, the mark",
        source,
        response: sse([
          first,
          chunk({ content: GREETING.slice(0, 3) }),
          chunk({ content: GREETING.slice(3) }),
          chunk({}, "stop"),
          usage(),
        ]),
        expected: SAID,
      },
    ],
    calls: [
      {
        title: "the name first, then the input in two pieces",
        source,
        response: sse([
          first,
          chunk(callPiece(0, { id: "call_abcdefgh1", name: "look", arguments: "" })),
          chunk(callPiece(0, { arguments: input.slice(0, half) })),
          chunk(callPiece(0, { arguments: input.slice(half) })),
          chunk({}, "tool_calls"),
          usage(),
        ]),
        expected: CALLED,
      },
    ],
    parallel: [
      {
        title: "two calls by their index",
        source,
        response: sse([
          chunk(callPiece(0, { id: "call_abcdefgh1", name: "look", arguments: input })),
          chunk(callPiece(1, { id: "call_abcdefgh2", name: "find", arguments: '{"q":"rain"}' })),
          chunk({}, "tool_calls"),
          usage(),
        ]),
        expected: CALLED_BOTH,
      },
    ],
    broken: [
      {
        title: "the body ends in the middle of a chunk",
        source,
        response: { body: sse([first, chunk({ content: "Grü" })], 'data: {"id":"chatcm').body },
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
  } satisfies { [kind: string]: DialectCase[] };
}
