import { type ModelEvent, type RawUsage, stopReasonNamed } from "@pawl/core/model";
import { type Calls, readCalls } from "./calls.ts";
import { type Chunk, type Delta, EMPTY } from "./chunk.ts";
import { estimatedTokens, usageOf } from "./usage.ts";

/** Converts the chunks of one streamed answer to the events of a `ModelClient`. */
export interface AnswerEvents {
  take(chunk: Chunk): ModelEvent[];
  /** Returns whether the model has written more than `maxChars`, reasoning included. */
  isOverlong(): boolean;
  /** Returns the last events. Call it once the server has ended the answer. */
  end(): ModelEvent[];
}

export interface AnswerOptions {
  model: string;
  requestId: string | undefined;
  /** The estimated tokens of the prompt, used until the server reports a count. */
  promptTokens: number;
  /** Converts a call's id from the server to the id under which the call is stored. */
  callId(given: string | undefined): string;
  newId(): string;
  /** The maximum length of the answer, in tokens. */
  maxTokens: number;
  /** The length at which the answer is cut, in characters. */
  maxChars: number;
  /** Adds to the usage what the server charges besides tokens. */
  charge(usage: object): RawUsage;
}

interface State {
  blocks: number;
  text: number | undefined;
  isRefused: boolean;
  stop: string | null;
  /** What the server has reported. */
  usage: RawUsage;
  /** Characters of text and reasoning. */
  chars: number;
}

/**
 * Makes the converter for one answer.
 *
 * - All text goes into one block, and each call into a separate block. Blocks stay open to the end, because
 *   pieces of several calls may alternate.
 * - A chunk without content, or with content that is not kept (e.g. reasoning), becomes a `ping`, a sign of
 *   life.
 */
export function answerEvents(options: AnswerOptions): AnswerEvents {
  const state: State = {
    blocks: 0,
    text: undefined,
    isRefused: false,
    stop: null,
    usage: {},
    chars: 0,
  };
  const nextBlock = (): number => {
    state.blocks += 1;
    return state.blocks - 1;
  };
  const calls = readCalls({ idOf: options.callId, nextBlock, model: options.model });
  let hasBegun = false;
  return {
    take(chunk) {
      const events: ModelEvent[] = hasBegun ? [] : [startOf(chunk, options)];
      hasBegun = true;
      if (chunk.usage) Object.assign(state.usage, usageOf(chunk.usage));
      if (chunk.tier) Object.assign(state.usage, { service_tier: chunk.tier });
      for (const { index, delta, finishReason } of chunk.choices) {
        // Other indexes occur only if a request asks for several answers.
        if (index !== 0) continue;
        if (delta) events.push(...eventsOf(delta, state, calls, nextBlock));
        if (finishReason) state.stop = stopReasonNamed(finishReason);
      }
      return events.length > 0 ? events : [{ type: "ping" }];
    },
    isOverlong: () => written(state, calls) > options.maxChars,
    end: () => (hasBegun ? [] : [startOf(EMPTY, options)]).concat(endOf(state, calls, options)),
  };
}

function startOf({ id, model }: Chunk, options: AnswerOptions): ModelEvent {
  const { requestId, promptTokens } = options;
  return {
    type: "message_start",
    message: {
      id: id || options.newId(),
      model: model || options.model,
      usage: { input_tokens: promptTokens, output_tokens: 0 },
    },
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

function eventsOf(delta: Delta, state: State, calls: Calls, nextBlock: () => number): ModelEvent[] {
  const events: ModelEvent[] = [];
  state.chars += delta.reasoning.length;
  if (delta.refusal) state.isRefused = true;
  for (const text of [delta.content, delta.refusal]) {
    if (!text) continue;
    if (state.text === undefined) {
      state.text = nextBlock();
      events.push({
        type: "content_block_start",
        index: state.text,
        content_block: { type: "text", text: "" },
      });
    }
    events.push({ type: "content_block_delta", index: state.text, delta: { type: "text_delta", text } });
    state.chars += text.length;
  }
  for (const piece of delta.calls) events.push(...calls.take(piece));
  return events;
}

/** Returns how many characters the model has written. */
function written({ chars }: State, calls: Calls): number {
  return chars + calls.chars();
}

function endOf(state: State, calls: Calls, options: AnswerOptions): ModelEvent[] {
  const { promptTokens, maxTokens, maxChars } = options;
  const chars = written(state, calls);
  const isOverlong = chars > maxChars && state.stop === null;
  const stop_reason = isOverlong ? "max_tokens" : stopReasonOf(state, calls);
  const callBlocks = calls.blocks();
  // The last call of an answer that was cut off is not complete.
  const cut = stop_reason === "max_tokens" ? callBlocks.at(-1) : undefined;
  const stops = [...(state.text === undefined ? [] : [state.text]), ...callBlocks]
    .filter((index) => index !== cut)
    .sort((a, b) => a - b)
    .map((index) => ({ type: "content_block_stop" as const, index }));
  const output_tokens = Math.min(estimatedTokens(chars), maxTokens);
  const usage = options.charge({ input_tokens: promptTokens, output_tokens, ...state.usage });
  return [...stops, { type: "message_delta", delta: { stop_reason }, usage }, { type: "message_stop" }];
}

/**
 * Returns the stop reason. Some servers end calls with `stop`, and all do for forced calls, so an answer that
 * ended by itself with a call in it has stopped for the call.
 */
function stopReasonOf({ stop, isRefused }: State, calls: Calls): string | null {
  if (isRefused && stop !== "max_tokens") return "refusal";
  return stop === "end_turn" && calls.count() > 0 ? "tool_use" : stop;
}
