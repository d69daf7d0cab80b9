import { isJsonObject, type Json, toJson } from "../base/json.ts";
import { type ContentBlock, type ContentBlockParam, isToolUse } from "./content.ts";
import { BLOCK_CHARS, UNCOUNTED_CHARS, writtenLength } from "./estimate.ts";
import {
  finishBlock,
  type LivePart,
  newPart,
  type OutputPlace,
  type PartialBlock,
  textSoFar,
} from "./live-part.ts";
import { malformedAnswer, unreadable } from "./malformed.ts";
import type { ContentDelta, ModelEvent } from "./model-client.ts";
import type { RawUsage } from "./pricing.ts";

/** A model's answer, complete or as far as it was received. */
export interface Reply {
  /** Whether `message_start` was received. */
  begun: boolean;
  id: string | null;
  model: string | null;
  requestId: string | undefined;
  blocks: PartialBlock[];
  /** The blocks that have text, thinking or input, for readers of the live state. */
  parts: LivePart[];
  stopReason: string | null;
  stopSequence: string | null;
  usage: RawUsage;
  /**
   * Characters of text, thinking and tool input received so far, plus {@link BLOCK_CHARS} for each block.
   * Once
   * `besides` exceeds {@link UNCOUNTED_CHARS}, the pieces that it counts are added here, too.
   */
  chars: number;
  /**
   * Characters received so far, as JSON, of parts that `max_tokens` does not count, e.g. signatures,
   * citations and results of the API's own tools.
   */
  besides: number;
  /** Whether `message_stop` was received. */
  finished: boolean;
  /** Whether the model wrote past `max_tokens` and the answer was cut. */
  cut: boolean;
  /** Where the run's output is in the answer; `undefined` if the run has none. */
  output: OutputPlace | undefined;
}

/** Creates an empty answer, for the events that will arrive. */
export function newReply(output?: OutputPlace): Reply {
  return {
    begun: false,
    id: null,
    model: null,
    requestId: undefined,
    blocks: [],
    parts: [],
    stopReason: null,
    stopSequence: null,
    usage: {},
    chars: 0,
    besides: 0,
    finished: false,
    cut: false,
    output,
  };
}

/**
 * Adds one stream event to the answer. Joins the fragments of a tool call's input and parses them once, when
 * the block is complete. Keeps blocks of unknown types, and ignores unknown events and deltas.
 *
 * @throws PawlError `model_error` for an event that cannot be read by its type.
 */
// Clients should check their events with `eventCheck()`, whose errors are more precise. It is not in every
// bundle, so this catches the errors of reading unchecked events.
export function takeEvent(answer: Reply, event: ModelEvent): void {
  try {
    readEvent(answer, event);
  } catch (error) {
    throw unreadable(error);
  }
}

function readEvent(answer: Reply, event: ModelEvent): void {
  switch (event.type) {
    case "message_start": {
      const { id, model, usage } = event.message;
      answer.begun = true;
      answer.id = textOr(null, id);
      answer.model = textOr(null, model);
      answer.requestId = textOr(undefined, event.request_id);
      answer.usage = {};
      copyCounts(answer.usage, usage);
      break;
    }
    case "content_block_start":
      if (event.index !== answer.blocks.length) throw malformedAnswer("a block out of order");
      startBlock(answer, event.content_block);
      break;
    case "content_block_delta":
      // If there is no such block, this throws, and `takeEvent()` reports a malformed answer.
      answer.chars += takeDelta(answer, answer.blocks[event.index] as PartialBlock, event.delta);
      break;
    case "content_block_stop":
      finishBlock(answer.blocks[event.index] as PartialBlock);
      break;
    case "message_delta":
      answer.chars += countBesides(answer, event);
      answer.stopReason = textOr(answer.stopReason, event.delta.stop_reason);
      answer.stopSequence = textOr(answer.stopSequence, event.delta.stop_sequence);
      copyCounts(answer.usage, event.usage);
      break;
    case "message_stop":
      answer.finished = true;
      break;
  }
}

/** Returns `value` if it is a string, and `fallback` otherwise. */
function textOr<T>(fallback: T, value: unknown): string | T {
  return typeof value === "string" ? value : fallback;
}

/** Marks an answer that exceeds `max_tokens` as cut. */
export function cutReply(answer: Reply): void {
  answer.cut = true;
  answer.stopReason = "max_tokens";
}

/**
 * Returns the blocks received so far. An unfinished text or thinking block has its text so far. An unfinished
 * call has the input that it started with, usually `{}`.
 */
export function contentOf(answer: Reply): ContentBlock[] {
  return answer.blocks.map(({ block, part, complete }) =>
    complete || part === undefined || part.kind === "tool_input"
      ? { ...block }
      : { ...block, [part.kind]: textSoFar(part) },
  );
}

function startBlock(answer: Reply, started: ContentBlockParam): void {
  const block = toJson(started) as ContentBlock;
  if (typeof block.type !== "string") throw malformedAnswer("a block without a type");
  const part = newPart(answer.blocks.length, block, answer.output);
  answer.blocks.push({ block, part, complete: false });
  // A block may start with text. Some servers also send a call's input at its start; `{}` counts as 0.
  const startChars = part?.tool ? JSON.stringify(block.input ?? {}).length - 2 : part?.pieces[0]?.length;
  answer.chars += BLOCK_CHARS + (startChars ?? 0) + countBesides(answer, block);
  if (isToolUse(block)) block.name = acceptedName(block.name);
  if (part !== undefined) answer.parts.push(part);
}

/**
 * Returns a tool's name in the form in which APIs accept it in later requests, e.g. `functions_look` for
 * `functions.look`. The part of the block keeps the name that the model wrote.
 */
function acceptedName(name: unknown): string {
  const text = `${name ?? ""}`;
  return /^[\w-]{1,128}$/.test(text) ? text : text.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}

/** Adds a delta to its block. Returns how many characters it adds to `answer.chars`. */
function takeDelta(answer: Reply, { block, part }: PartialBlock, delta: ContentDelta): number {
  switch (delta.type) {
    case "text_delta":
      return addPiece(part, delta.text);
    case "thinking_delta":
      return addPiece(part, delta.thinking);
    case "input_json_delta":
      return addPiece(part, delta.partial_json);
    case "signature_delta":
      block.signature = `${delta.signature ?? ""}`;
      break;
    case "citations_delta":
      if (!Array.isArray(block.citations)) block.citations = [];
      block.citations.push(citationOf(delta));
  }
  return countBesides(answer, delta);
}

/**
 * Counts a part of the answer that `max_tokens` does not count. Returns how many characters it adds to
 * `answer.chars`: none up to {@link UNCOUNTED_CHARS}.
 */
function countBesides(answer: Reply, part: unknown): number {
  const { length } = JSON.stringify(part);
  answer.besides += length;
  return answer.besides > UNCOUNTED_CHARS ? length : 0;
}

// The API sends `file_id` in citations, and refuses requests that contain it, even as `null`.
/** Returns the citation of a delta, without `file_id`. */
function citationOf({ citation: received }: ContentDelta): Json {
  const { file_id: _, ...citation } = Object(toJson(received));
  return citation;
}

/** Adds a piece of text to its block, if the block has text. Returns the number of added characters. */
function addPiece(part: LivePart | undefined, piece: string | undefined): number {
  if (!piece || part === undefined) return 0;
  if (typeof piece !== "string") throw malformedAnswer("a piece that is no text");
  part.pieces.push(piece);
  return part.kind === "tool_input" ? writtenLength(piece) : piece.length;
}

/**
 * Copies the token counts that the server sent into `usage`. A count that is absent or `null` keeps its
 * earlier value.
 */
function copyCounts(usage: RawUsage, sent: unknown): void {
  if (!isJsonObject(sent)) return;
  const counts = usage as { [field: string]: unknown };
  for (const [field, value] of Object.entries(sent)) {
    // An assignment to it would set the prototype.
    if (field === "__proto__") continue;
    if (value !== null && value !== undefined) counts[field] = toJson(value);
  }
}
