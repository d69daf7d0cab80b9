import type { ContentBlock, JsonObject } from "@pawl/core";
import { digest } from "../../base/digest.ts";
import {
  asBlocks,
  isObject,
  type ParsedRequest,
  type PlacedBlock,
  turnsOf,
} from "../../base/wire-request.ts";

/**
 * The content of a thinking block's signature. The signature contains everything that is needed to check it,
 * so a restarted simulator can.
 */
interface Seal {
  model: string;
  id: string;
  /** Id of the thinking block before this one when this one was made; `null` if there was none. */
  prev: string | null;
  /** How many thinking blocks the request had before this one when this one was made. */
  before: number;
  /** Hash of system, tools and every earlier block that is not thinking. */
  base: string;
  /** Hash of the text that the client received. */
  text: string;
  /** The block's position in a group of adjacent thinking blocks, from 0. */
  at: number;
  /** The number of blocks in the group. */
  of: number;
}

/**
 * A thinking block of a request, with the content of its signature. `seal` is `undefined` if this simulator
 * did not make the signature.
 */
export interface FoundThinking extends PlacedBlock {
  seal: Seal | undefined;
  base: string;
  /** Whether the block is in the latest turn of the assistant. */
  latest: boolean;
}

export type { Seal };

/** The hash of a request up to its end, and the request's thinking blocks. */
export interface PrefixWalk {
  /** The hash after the last block. */
  base: string;
  thinking: FoundThinking[];
}

/** Hashes a request in the order in which the model reads it: system and tools first, then each block. */
export function walkPrefix(request: ParsedRequest, secret: string): PrefixWalk {
  const tools = request.tools ?? [];
  const opening = hashOf([
    asBlocks(request.system ?? []).map(meaningOf),
    tools.filter((tool) => tool.defer_loading !== true).map(meaningOf),
  ]);
  const deferred = tools.filter((tool) => tool.defer_loading === true);
  const turns = turnsOf(request.messages);
  const lastAssistant = turns.findLastIndex((turn) => turn.role === "assistant");
  const walk: PrefixWalk = { base: opening, thinking: [] };
  for (const [index, { role, blocks }] of turns.entries()) {
    for (const placed of blocks) {
      if (isThought(placed.block)) {
        const seal = openSeal(signatureOf(placed.block), secret);
        walk.thinking.push({ ...placed, seal, base: walk.base, latest: index === lastAssistant });
      } else {
        walk.base = extend(walk.base, role, placed.block, deferred);
      }
    }
  }
  return walk;
}

/**
 * Returns a reply's blocks with a signature on each thinking block that had none. A signature covers the
 * request and the blocks before its own.
 */
export function sealReply(
  request: ParsedRequest,
  blocks: readonly ContentBlock[],
  secret: string,
): ContentBlock[] {
  if (!blocks.some(isThought)) return [...blocks];
  const walk = walkPrefix(request, secret);
  const earlier = readable(walk.thinking, request.model);
  const deferred = (request.tools ?? []).filter((tool) => tool.defer_loading === true);
  let base = walk.base;
  let prev = earlier.at(-1)?.seal?.id ?? null;
  let before = earlier.length;
  return blocks.map((block, index) => {
    if (!isThought(block)) {
      base = extend(base, "assistant", block, deferred);
      return block;
    }
    const text = hashOf(block.thinking ?? null);
    const row = rowAround(blocks, index);
    const id = hashOf([base, prev, text, row.at]).slice(0, 24);
    const seal: Seal = { model: request.model, id, prev, before, base, text, ...row };
    prev = id;
    before += 1;
    const field = block.type === "thinking" ? "signature" : "data";
    return typeof block[field] === "string" && block[field] !== ""
      ? block
      : { ...block, [field]: closeSeal(seal, secret) };
  });
}

/** Returns the thinking blocks that a model can read. The API silently drops those of other models. */
export function readable(thinking: readonly FoundThinking[], model: string): FoundThinking[] {
  return thinking.filter(({ seal }) => seal?.model === model);
}

/** Returns the hash of the text that the client received of a thinking block. */
export function seenText(block: ContentBlock): string {
  return hashOf(block.thinking ?? null);
}

export function isThought(block: ContentBlock): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

function signatureOf(block: ContentBlock): unknown {
  return block.type === "thinking" ? block.signature : block.data;
}

function rowAround(blocks: readonly ContentBlock[], index: number): { at: number; of: number } {
  let first = index;
  let last = index;
  while (first > 0 && isThought(blocks[first - 1] as ContentBlock)) first -= 1;
  while (last + 1 < blocks.length && isThought(blocks[last + 1] as ContentBlock)) last += 1;
  return { at: index - first, of: last - first + 1 };
}

function closeSeal(seal: Seal, secret: string): string {
  const payload = btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(seal))));
  return `${payload}.${mac(payload, secret)}`;
}

function openSeal(signature: unknown, secret: string): Seal | undefined {
  if (typeof signature !== "string") return undefined;
  const dot = signature.indexOf(".");
  const payload = signature.slice(0, dot);
  if (dot < 0 || signature.slice(dot + 1) !== mac(payload, secret)) return undefined;
  const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Seal;
}

function mac(payload: string, secret: string): string {
  return digest(JSON.stringify([secret, payload]));
}

/**
 * Returns the hash of the prompt with one more block. A deferred tool is added to the hash where the
 * conversation first refers to it.
 */
function extend(base: string, role: string, block: ContentBlock, deferred: readonly JsonObject[]): string {
  const used =
    deferred.length === 0 ? [] : deferred.filter((tool) => refersTo(block, String(tool.name))).map(meaningOf);
  return hashOf([base, role, meaningOf(block), ...used]);
}

function refersTo(block: ContentBlock, name: string): boolean {
  if (block.type === "tool_use") return block.name === name;
  if (block.type === "tool_reference") return block.tool_name === name;
  const inner = isObject(block.content) ? block.content.tool_references : block.content;
  return Array.isArray(inner) && inner.some((part) => refersTo(part as ContentBlock, name));
}

/**
 * Returns the parts of a block or tool that a signature covers. Leaves out cache breakpoints, fields with
 * their default and the query of an image's URL. The order of the block's fields does not matter, but the
 * order within a tool's input does.
 */
export function meaningOf(block: JsonObject): unknown {
  const fields = Object.entries(block)
    .filter(([key, value]) => key !== "cache_control" && value !== null && !isDirectCaller(key, value))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.map(([key, value]) => {
    if (key === "content" && Array.isArray(value))
      return [key, value.map((part) => (isObject(part) ? meaningOf(part) : part))];
    if (key === "source" && isObject(value) && typeof value.url === "string")
      return [key, { ...value, url: value.url.replace(/\?.*$/, "") }];
    return [key, value];
  });
}

function isDirectCaller(key: string, value: unknown): boolean {
  return key === "caller" && isObject(value) && value.type === "direct";
}

export function hashOf(value: unknown): string {
  return digest(JSON.stringify(value));
}
