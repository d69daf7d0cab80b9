import { isJsonObject, type JsonObject, toJson } from "../base/json.ts";
import { malformedAnswer, unreadable, wrongKind } from "./malformed.ts";
import type { ModelEvent } from "./model-client.ts";

/** A block that has begun. */
interface BegunBlock {
  type: string;
  complete: boolean;
}

/**
 * Makes a check for the events of one answer: call it with each event, in order, before the event is used by
 * its type. Known types of events, blocks and deltas must have the fields of the Messages API; unknown types
 * pass. Token counts are not checked: a count that is no number is estimated.
 *
 * The check throws a `PawlError` `model_error`, see {@link malformedAnswer}.
 *
 * @example
 * ```ts
 * import { eventCheck } from "@pawl/core/model";
 *
 * const check = eventCheck();
 * try {
 *   check({ type: "message_start", message: null });
 * } catch (error) {
 *   console.log((error as Error).message); // … `message` of message_start must be an object; got null.
 * }
 * ```
 */
export function eventCheck(): (event: unknown) => void {
  let blocks: BegunBlock[] = [];
  return (given) => {
    // Nearly all events are such pieces.
    if (isPiece(given, blocks)) return;
    try {
      checkShape(given, blocks);
    } catch (error) {
      throw unreadable(error);
    }
    const event = given as ModelEvent;
    if (event.type === "content_block_start")
      blocks.push({ type: event.content_block.type, complete: false });
    if (event.type === "content_block_stop") Object.assign(blocks[event.index] ?? {}, { complete: true });
    // The next attempt has blocks of its own.
    if (event.type === "attempt_failed") blocks = [];
  };
}

/** Returns whether an event is a piece of an open block: of its text, its thinking or its input. */
function isPiece(event: unknown, blocks: readonly BegunBlock[]): boolean {
  if (typeof event !== "object" || event === null) return false;
  const { type, index, delta } = event as Partial<Record<string, unknown>>;
  if (type !== "content_block_delta" || typeof delta !== "object" || delta === null) return false;
  const block = typeof index === "number" ? blocks[index] : undefined;
  if (block === undefined || block.complete) return false;
  const piece = delta as Partial<Record<string, unknown>>;
  switch (block.type) {
    case "text":
      return piece.type === "text_delta" && typeof piece.text === "string";
    case "thinking":
      return piece.type === "thinking_delta" && typeof piece.thinking === "string";
    case "tool_use":
      return piece.type === "input_json_delta" && typeof piece.partial_json === "string";
    default:
      return false;
  }
}

function checkShape(event: unknown, blocks: readonly BegunBlock[]): void {
  const { type, index, message, content_block, delta, usage } = objectAt("an event", event);
  if (type === "content_block_delta") checkDelta(delta, begunBlock(type, index, blocks));
  else if (type === "content_block_stop") begunBlock(type, index, blocks);
  else if (type === "message_start") checkDepth(objectAt("`message` of message_start", message));
  else if (type === "message_delta") checkEnd(objectAt("`delta` of message_delta", delta), usage);
  else if (type !== "content_block_start") textAt("`type` of an event", type);
  else if (index !== blocks.length) throw malformedAnswer("a block out of order");
  else checkBlock(content_block);
}

/** Throws a `RangeError` for a value with more levels than can be stored. */
function checkDepth(value: unknown): void {
  toJson(value);
}

function checkEnd({ stop_reason, stop_sequence }: JsonObject, usage: unknown): void {
  checkDepth(usage);
  textOrNone("`stop_reason`", stop_reason);
  textOrNone("`stop_sequence`", stop_sequence);
}

/** The shape of a known type of block. */
interface BlockShape {
  /** The fields that must be a text. */
  required?: readonly string[];
  /** The fields that must be a text, `null` or missing. */
  optional?: readonly string[];
  /** The known deltas that add to the block. */
  deltas: readonly string[];
}

const CALL: BlockShape = { required: ["id", "name"], deltas: ["input_json_delta"] };

const BLOCKS: ReadonlyMap<string, BlockShape> = new Map<string, BlockShape>([
  ["text", { optional: ["text"], deltas: ["text_delta", "citations_delta"] }],
  ["thinking", { optional: ["thinking", "signature"], deltas: ["thinking_delta", "signature_delta"] }],
  ["redacted_thinking", { required: ["data"], deltas: [] }],
  ["tool_use", CALL],
  ["server_tool_use", CALL],
  ["mcp_tool_use", CALL],
]);

function checkBlock(given: unknown): void {
  const block = objectAt("`content_block`", given);
  checkDepth(block);
  const type = textAt("`type` of a block", block.type);
  const { required = [], optional = [] } = BLOCKS.get(type) ?? {};
  for (const field of required) textAt(`\`${field}\` of a ${type} block`, ownField(block, field));
  for (const field of optional) textOrNone(`\`${field}\` of a ${type} block`, ownField(block, field));
  if (type === "text") for (const one of listOrNone("`citations`", block.citations)) checkSource(one);
  // Other results than those of searches have other content.
  if (type.endsWith("_tool_result") && Array.isArray(block.content)) block.content.forEach(checkSource);
}

/** The fields of a citation, and of what a search has found, that pages show. */
const SHOWN_FIELDS = ["cited_text", "url", "source", "title", "document_title"];

function checkSource(given: unknown): void {
  const source = objectAt("a citation or a part of a result", given);
  for (const field of SHOWN_FIELDS) textOrNone(`\`${field}\` of a source`, ownField(source, field));
  const page = ownField(source, "start_page_number") ?? 0;
  if (typeof page !== "number") throw wrongKind("`start_page_number` of a source", "a number", page);
}

/** The field of each known delta that must be a text. */
const PIECES: ReadonlyMap<string, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "partial_json"],
  ["signature_delta", "signature"],
]);

function checkDelta(given: unknown, block: BegunBlock): void {
  const delta = objectAt("`delta` of content_block_delta", given);
  const type = textAt("`type` of a delta", delta.type);
  const field = PIECES.get(type);
  if (field === undefined && type !== "citations_delta") return;
  if (block.complete) throw malformedAnswer(`a ${type} of a block that is complete`);
  // A type of block that is not known yet may have any deltas.
  const { deltas } = BLOCKS.get(block.type) ?? {};
  if (deltas?.includes(type) === false) throw malformedAnswer(`a ${type} of a ${block.type} block`);
  if (field === undefined) checkCitation(delta.citation);
  else if (typeof ownField(delta, field) !== "string")
    textAt(`\`${field}\` of ${type}`, ownField(delta, field));
}

function checkCitation(given: unknown): void {
  checkDepth(objectAt("`citation` of citations_delta", given));
  checkSource(given);
}

function begunBlock(type: string, index: unknown, blocks: readonly BegunBlock[]): BegunBlock {
  const isIndex = Number.isInteger(index) && (index as number) >= 0;
  const block = isIndex ? blocks.at(index as number) : undefined;
  if (block === undefined) throw malformedAnswer(`${type} of a block that has not begun`);
  return block;
}

function ownField(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function objectAt(what: string, value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrongKind(what, "an object", value);
}

function textAt(what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw wrongKind(what, "a text", value);
}

function listOrNone(what: string, value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw wrongKind(what, "a list", value);
}

function textOrNone(what: string, value: unknown): void {
  if (value !== undefined && value !== null) textAt(what, value);
}
