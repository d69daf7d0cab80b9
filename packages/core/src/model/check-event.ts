import { isJsonObject, type JsonObject, toJson } from "../base/json.ts";
import { malformedAnswer, unreadable, wrongKind } from "./malformed.ts";
import type { ModelEvent } from "./model-client.ts";

/** A block whose `content_block_start` was received. */
interface BegunBlock {
  type: string;
  /** Whether its `content_block_stop` was received. */
  complete: boolean;
}

/**
 * Makes a function that checks the events of one answer. Call it with each event, in order, before you use
 * the event. Events, blocks and deltas of known types must have the fields of the Messages API. Unknown types
 * pass. Token counts are not checked, because `usageFromWire()` reads an invalid count as 0.
 *
 * The function throws a `PawlError` with the code `model_error`, see {@link malformedAnswer}.
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
  return (received) => {
    // A fast path: nearly all events are such pieces, and these need no further check.
    if (isValidPiece(received, blocks)) return;
    try {
      checkShape(received, blocks);
    } catch (error) {
      throw unreadable(error);
    }
    const event = received as ModelEvent;
    if (event.type === "content_block_start")
      blocks.push({ type: event.content_block.type, complete: false });
    if (event.type === "content_block_stop") Object.assign(blocks[event.index] ?? {}, { complete: true });
    // The next attempt sends new blocks.
    if (event.type === "attempt_failed") blocks = [];
  };
}

/** Returns whether an event is a valid piece of an open block: of its text, its thinking or its input. */
function isValidPiece(event: unknown, blocks: readonly BegunBlock[]): boolean {
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

/** Throws if the event lacks fields of its type. An event of an unknown type needs no other field. */
function checkShape(event: unknown, blocks: readonly BegunBlock[]): void {
  const { type, index, message, content_block, delta, usage } = requireObject("an event", event);
  switch (type) {
    case "message_start":
      checkDepth(requireObject("`message` of message_start", message));
      break;
    case "content_block_start":
      if (index !== blocks.length) throw malformedAnswer("a block out of order");
      checkBlock(content_block);
      break;
    case "content_block_delta":
      checkDelta(delta, begunBlock(type, index, blocks));
      break;
    case "content_block_stop":
      begunBlock(type, index, blocks);
      break;
    case "message_delta":
      checkMessageDelta(requireObject("`delta` of message_delta", delta), usage);
      break;
    default:
      requireText("`type` of an event", type);
  }
}

/** Throws a `RangeError` for a value with more levels than can be stored. */
function checkDepth(value: unknown): void {
  toJson(value);
}

function checkMessageDelta({ stop_reason, stop_sequence }: JsonObject, usage: unknown): void {
  checkDepth(usage);
  checkOptionalText("`stop_reason`", stop_reason);
  checkOptionalText("`stop_sequence`", stop_sequence);
}

/** The shape of a known type of block. */
interface BlockShape {
  /** The fields that must be strings. */
  required?: readonly string[];
  /** The fields that must be strings, `null` or missing. */
  optional?: readonly string[];
  /** The known types of deltas that the block may have. */
  deltas: readonly string[];
}

const CALL: BlockShape = { required: ["id", "name"], deltas: ["input_json_delta"] };

/** The shapes of the known types of blocks. */
const BLOCK_SHAPES: ReadonlyMap<string, BlockShape> = new Map<string, BlockShape>([
  ["text", { optional: ["text"], deltas: ["text_delta", "citations_delta"] }],
  ["thinking", { optional: ["thinking", "signature"], deltas: ["thinking_delta", "signature_delta"] }],
  ["redacted_thinking", { required: ["data"], deltas: [] }],
  ["tool_use", CALL],
  ["server_tool_use", CALL],
  ["mcp_tool_use", CALL],
]);

function checkBlock(value: unknown): void {
  const block = requireObject("`content_block`", value);
  checkDepth(block);
  const type = requireText("`type` of a block", block.type);
  const { required = [], optional = [] } = BLOCK_SHAPES.get(type) ?? {};
  for (const field of required) requireText(`\`${field}\` of a ${type} block`, ownField(block, field));
  for (const field of optional) checkOptionalText(`\`${field}\` of a ${type} block`, ownField(block, field));
  if (type === "text") listOrEmpty("`citations`", block.citations).forEach(checkSource);
  // A search has a list of sources as its result. Other server tools may have results that are no list.
  if (type.endsWith("_tool_result") && Array.isArray(block.content)) block.content.forEach(checkSource);
}

/** The fields of a citation or a search result that user interfaces show. */
const SHOWN_FIELDS = ["cited_text", "url", "source", "title", "document_title"];

/** Checks a citation, or one entry of a search result. */
function checkSource(value: unknown): void {
  const source = requireObject("a citation or a part of a result", value);
  for (const field of SHOWN_FIELDS) checkOptionalText(`\`${field}\` of a source`, ownField(source, field));
  // The page number may be missing.
  const page = ownField(source, "start_page_number") ?? 0;
  if (typeof page !== "number") throw wrongKind("`start_page_number` of a source", "a number", page);
}

/** By type of a delta: the field that must be a string. */
const DELTA_FIELDS: ReadonlyMap<string, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "partial_json"],
  ["signature_delta", "signature"],
]);

function checkDelta(value: unknown, block: BegunBlock): void {
  const delta = requireObject("`delta` of content_block_delta", value);
  const type = requireText("`type` of a delta", delta.type);
  const field = DELTA_FIELDS.get(type);
  // A delta of an unknown type passes.
  if (field === undefined && type !== "citations_delta") return;
  if (block.complete) throw malformedAnswer(`a ${type} of a block that is complete`);
  // A block of an unknown type may have any deltas.
  const { deltas } = BLOCK_SHAPES.get(block.type) ?? {};
  if (deltas?.includes(type) === false) throw malformedAnswer(`a ${type} of a ${block.type} block`);
  if (field === undefined) checkCitation(delta.citation);
  else requireText(`\`${field}\` of ${type}`, ownField(delta, field));
}

function checkCitation(value: unknown): void {
  checkDepth(requireObject("`citation` of citations_delta", value));
  checkSource(value);
}

/** Returns the block with this index. Throws if it has not begun. */
function begunBlock(type: string, index: unknown, blocks: readonly BegunBlock[]): BegunBlock {
  const isIndex = Number.isInteger(index) && (index as number) >= 0;
  const block = isIndex ? blocks.at(index as number) : undefined;
  if (block === undefined) throw malformedAnswer(`${type} of a block that has not begun`);
  return block;
}

/** Returns a field of the object itself; `undefined` for an inherited one. */
function ownField(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the value if it is an object. Otherwise throws an error in which `name` names the value. */
function requireObject(name: string, value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrongKind(name, "an object", value);
}

/** Returns the value if it is a string. Otherwise throws an error in which `name` names the value. */
function requireText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw wrongKind(name, "a text", value);
}

/** Returns a list; an empty one for a missing value. Throws for any other value. */
function listOrEmpty(name: string, value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw wrongKind(name, "a list", value);
}

/** Throws if a value is neither a string nor missing. */
function checkOptionalText(name: string, value: unknown): void {
  if (value !== undefined && value !== null) requireText(name, value);
}
