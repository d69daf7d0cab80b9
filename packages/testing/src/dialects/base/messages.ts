import { CALLED, CALLED_BOTH, FIND, LOOK, SAID, TRY_AGAIN, type UsualCases } from "./chat.ts";
import { GREETING } from "./dialect.ts";

// The types of the API's own form. `dialect-types.test.ts` compares them with those of the official SDK.

/** One event of the blocks of an answer. */
export type BlockEvent =
  | { type: "content_block_start"; index: number; content_block: StartedBlock }
  | { type: "content_block_delta"; index: number; delta: BlockDelta }
  | { type: "content_block_stop"; index: number };

type StartedBlock =
  | { type: "text"; text: string; citations: null }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; caller: { type: "direct" } };

type BlockDelta =
  | { type: "text_delta"; text: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "signature_delta"; signature: string }
  | { type: "input_json_delta"; partial_json: string };

/** An event of the stream, in any form. */
export interface AnyEvent {
  type: string;
  [field: string]: unknown;
}

/** The usage at the start of an answer. */
const USAGE = {
  input_tokens: 20,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  inference_geo: "global",
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: "standard",
  speed: "standard",
};

/** The beginning of an answer. */
export function startOf(model: string): AnyEvent {
  const about = { id: "msg_01", type: "message", role: "assistant", model, content: [] };
  return {
    type: "message_start",
    message: { ...about, stop_reason: null, stop_sequence: null, usage: USAGE },
  };
}

/** A block of text, in pieces. */
export function text(index: number, pieces: readonly string[]): BlockEvent[] {
  return [
    { type: "content_block_start", index, content_block: { type: "text", text: "", citations: null } },
    ...pieces.map(
      (piece): BlockEvent => ({
        type: "content_block_delta",
        index,
        delta: { type: "text_delta", text: piece },
      }),
    ),
    { type: "content_block_stop", index },
  ];
}

/** A block of thinking with its signature. */
export function thinking(index: number): BlockEvent[] {
  return [
    { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
    {
      type: "content_block_delta",
      index,
      delta: { type: "thinking_delta", thinking: "Hm." },
    },
    { type: "content_block_delta", index, delta: { type: "signature_delta", signature: "EqQBCg==" } },
    { type: "content_block_stop", index },
  ];
}

/** A call, with its input in two pieces. */
export function call(index: number, { name, input }: { name: string; input: object }): BlockEvent[] {
  const json = JSON.stringify(input);
  const piece = (partial_json: string): BlockEvent => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  });
  return [
    {
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: `toolu_0${index}`, name, input: {}, caller: { type: "direct" } },
    },
    piece(""),
    piece(json.slice(0, 4)),
    piece(json.slice(4)),
    { type: "content_block_stop", index },
  ];
}

/** The reason why an answer has ended, and the usage. Servers may have reasons that the SDK does not know. */
export function stopped(stop_reason: string): AnyEvent {
  return {
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  };
}

export const STOP: AnyEvent = { type: "message_stop" };

/** The body of an event stream, with the type of each event, or without. */
export function events(list: readonly (AnyEvent | BlockEvent | string)[], named = true): { body: string } {
  const parts = list.map((event) => {
    if (typeof event === "string") return event;
    return `${named ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
  });
  return { body: parts.join("") };
}

/** The usual answers, all from one source. */
export function usualMessages(model: string, source: string): UsualCases {
  const start = startOf(model);
  return {
    whole: [
      {
        title: "text in pieces, a ping, the stop reason, `message_stop`",
        source,
        response: events([
          start,
          { type: "ping" },
          ...text(0, [GREETING.slice(0, 3), GREETING.slice(3)]),
          stopped("end_turn"),
          STOP,
        ]),
        expected: SAID,
      },
    ],
    calls: [
      {
        title: "the name first, then the input in pieces",
        source,
        response: events([start, ...call(0, LOOK), stopped("tool_use"), STOP]),
        expected: CALLED,
      },
    ],
    parallel: [
      {
        title: "two blocks",
        source,
        response: events([start, ...call(0, LOOK), ...call(1, FIND), stopped("tool_use"), STOP]),
        expected: CALLED_BOTH,
      },
    ],
    broken: [
      {
        title: "the body ends in a block",
        source,
        response: events([start, ...text(0, ["Grü"]).slice(0, 2)]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
  };
}
