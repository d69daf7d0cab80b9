import { type DialectCase, type DialectOutcome, GREETING } from "./dialect.ts";

// The types of the API's own form. `dialect-types.test.ts` compares them with those of the official SDK.

/** A piece of an answer. */
export interface ChatDelta {
  role?: "assistant";
  content?: string | null;
  refusal?: string | null;
  tool_calls?: {
    index: number;
    id?: string;
    type?: "function";
    function?: { name?: string; arguments?: string };
  }[];
}

/** Why an answer has ended. */
export type ChatFinish = "stop" | "length" | "tool_calls" | "content_filter" | "function_call" | null;

/** The usage at the end of an answer. */
export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** One event of an answer. */
export interface ChatChunk {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  choices: { index: number; delta: ChatDelta; finish_reason: ChatFinish }[];
  usage?: ChatUsage;
}

/** The usage that answers of the corpus report. */
export const USAGE: ChatUsage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };

/** Makes the chunks of one model. */
export interface Chunks {
  /** A chunk in the API's own form. */
  chunk(delta: ChatDelta, finish_reason?: ChatFinish): ChatChunk;
  /** A chunk in another form. */
  odd(delta: object, finish_reason?: string | null, extra?: object): object;
  /** The last chunk, with the usage. */
  usage(extra?: object): ChatChunk;
}

export function chunksOf(model: string, more: object = {}): Chunks {
  const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_790_000_000, model } as const;
  return {
    chunk: (delta, finish_reason = null) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    }),
    odd: (delta, finish_reason = null, extra = {}) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason, ...extra }],
      ...more,
    }),
    usage: (extra = {}) => ({ ...base, choices: [], usage: { ...USAGE, ...extra }, ...more }),
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
): ChatDelta {
  const { id, name, arguments: input } = piece;
  const called = { ...(name !== undefined && { name }), ...(input !== undefined && { arguments: input }) };
  return {
    tool_calls: [{ index, ...(id !== undefined && { id, type: "function" as const }), function: called }],
  };
}

const TOKENS: readonly [number, number] = [20, 5];
export const SAID: DialectOutcome = { text: GREETING, stop: "end_turn", tokens: TOKENS };
export const LOOK: { name: string; input: { city: string } } = { name: "look", input: { city: "Malmö" } };
export const FIND: { name: string; input: { q: string } } = { name: "find", input: { q: "rain" } };
export const CALLED: DialectOutcome = { calls: [LOOK], stop: "tool_use", tokens: TOKENS };
export const CALLED_BOTH: DialectOutcome = { calls: [LOOK, FIND], stop: "tool_use", tokens: TOKENS };
export const TOO_LONG: DialectOutcome = {
  failure: { retryable: false, errorCode: "context_length_exceeded" },
};
export const TRY_AGAIN: DialectOutcome = { failure: { retryable: true } };
export const FILTERED: DialectOutcome = { failure: { retryable: false, errorCode: "content_filter" } };
export const REFUSED: DialectOutcome = { stop: "refusal" };

/** Answers that most servers send in the API's own form. */
export interface UsualCases {
  whole: DialectCase[];
  calls: DialectCase[];
  parallel: DialectCase[];
  broken: DialectCase[];
}

/** The usual answers of a server that speaks as OpenAI does, all from one source. */
export function usual(model: string, source: string, more: object = {}): UsualCases {
  const { chunk, usage } = chunksOf(model, more);
  const input = JSON.stringify(LOOK.input);
  const half = Math.floor(input.length / 2);
  const first = chunk({ role: "assistant", content: "" });
  return {
    whole: [
      {
        title: "text in pieces, the finish reason, the usage, `[DONE]`",
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
  };
}
