import type { Anthropic } from "@anthropic-ai/sdk";
import { CALLED, CALLED_BOTH, FIND, LOOK, SAID, TRY_AGAIN } from "./chat.ts";
import { type DialectCase, GREETING } from "./dialect.ts";

type Event = Anthropic.RawMessageStreamEvent;
type Usage = Anthropic.Usage;

/** The usage at the start of an answer, in the form of the official SDK. */
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
} satisfies Usage;

/** The beginning of an answer. */
export const startOf = (model: string) => ({
  type: "message_start",
  message: {
    id: "msg_01",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  },
});

/** A block of text, in pieces. */
export function text(index: number, pieces: readonly string[]): Event[] {
  return [
    { type: "content_block_start", index, content_block: { type: "text", text: "", citations: null } },
    ...pieces.map(
      (piece) =>
        ({ type: "content_block_delta", index, delta: { type: "text_delta", text: piece } }) satisfies Event,
    ),
    { type: "content_block_stop", index },
  ];
}

/** A block of thinking with its signature. */
export function thinking(index: number): Event[] {
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
export function call(index: number, { name, input }: { name: string; input: object }): Event[] {
  const json = JSON.stringify(input);
  const piece = (partial_json: string) =>
    ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json },
    }) satisfies Event;
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
export const stopped = (stop_reason: string) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  usage: { output_tokens: 5 },
});

export const STOP = { type: "message_stop" } satisfies Event;

/** The body of an event stream, with the type of each event, or without. */
export function events(list: readonly ({ type: string } | string)[], named = true): { body: string } {
  const parts = list.map((event) => {
    if (typeof event === "string") return event;
    return `${named ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
  });
  return { body: parts.join("") };
}

/** The usual answers, all from one source. */
export function usualMessages(model: string, source: string) {
  const start = startOf(model);
  return {
    whole: [
      {
        title: "text in pieces, a ping, the reason, the end",
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
  } satisfies { [kind: string]: DialectCase[] };
}
