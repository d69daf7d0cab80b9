import type { ContentBlock, Json } from "@pawl/core";
import type { RawUsage } from "@pawl/core/model";
import { digest } from "../../base/digest.ts";
import { mediaTokens } from "../../base/media.ts";
import type { ModelLimits } from "../../base/model-limits.ts";
import { isObject, type ParsedRequest } from "../../base/wire-request.ts";

type Ttl = "5m" | "1h";

/** One block of the prompt. Blocks are in the order tools, system, messages. */
interface Segment {
  /** Hash of the prompt up to and including this block. */
  key: string;
  /** Number of tokens of the prompt up to and including this block. */
  tokens: number;
  /** The lifetime in the block's `cache_control`, if it has one. */
  ttl: Ttl | undefined;
}

/** The usage of one prompt, as far as the cache decides it. */
export interface CachePlan {
  usage: RawUsage;
  /**
   * Makes the prefixes that this prompt has written to the cache readable for later requests. Call it when
   * the answer begins.
   */
  commit(): void;
}

/** The prompt cache of a simulator. */
export interface PromptCache {
  /** Returns what a request reads from the cache and writes to it. `now` is in milliseconds since 1970. */
  plan(request: ParsedRequest, limits: ModelLimits, now: number): CachePlan;
}

const lifetimeMs: { readonly [ttl in Ttl]: number } = { "5m": 300_000, "1h": 3_600_000 };
/** How many blocks before a breakpoint are searched for a cached prefix, including the breakpoint's own. */
const lookback = 20;

/**
 * Creates a prompt cache that works like the Messages API's.
 *
 * - Caches prefixes that end at a breakpoint and have at least the model's minimum length.
 * - Finds cached prefixes that end up to 20 blocks before a breakpoint.
 * - Keeps a prefix for its TTL from the start of the last request that used it.
 * - A change of tools, system or messages invalidates everything after it. `tool_choice`, `thinking`,
 *   `output_config` and the presence of images count as part of the messages, and `speed` as part of the
 *   system.
 */
export function promptCache(): PromptCache {
  const entries = new Map<string, { ttl: Ttl; expires: number }>();
  const alive = (key: string, now: number): boolean => (entries.get(key)?.expires ?? 0) > now;
  const touch = (key: string, now: number, ttl?: Ttl): void => {
    const entry = entries.get(key);
    const life = entry !== undefined && entry.expires > now ? entry.ttl : (ttl ?? entry?.ttl);
    if (life !== undefined) entries.set(key, { ttl: life, expires: now + lifetimeMs[life] });
  };
  return {
    plan(request, limits, now) {
      const prompt = segmentsOf(request);
      const breakpoints = breakpointsOf(request, prompt, limits);
      const hit = Math.max(
        -1,
        ...breakpoints.map((breakpoint) => lookBack(prompt, breakpoint.index, (key) => alive(key, now))),
      );
      const total = prompt.at(-1)?.tokens ?? 0;
      return {
        usage: billed(prompt, breakpoints, hit, total),
        commit() {
          const read = prompt[hit];
          if (read !== undefined) touch(read.key, now);
          for (const { index, ttl } of breakpoints) touch((prompt[index] as Segment).key, now, ttl);
          if (entries.size > 50_000)
            for (const key of [...entries.keys()].slice(0, 25_000)) entries.delete(key);
        },
      };
    },
  };
}

/**
 * Returns an estimate of the tokens of a part of a prompt: a quarter of the characters of its JSON, rounded
 * up.
 *
 * @example
 * ```ts
 * import { estimateTokens } from "@pawl/testing";
 *
 * console.log(estimateTokens("Do I need an umbrella?")); // 6
 * ```
 */
export function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

/** Returns the number of tokens of the whole prompt. */
export function promptSize(request: ParsedRequest): number {
  return segmentsOf(request).at(-1)?.tokens ?? 0;
}

interface Breakpoint {
  index: number;
  ttl: Ttl;
}

function breakpointsOf(
  request: ParsedRequest,
  prompt: readonly Segment[],
  limits: ModelLimits,
): Breakpoint[] {
  const breakpoints: Breakpoint[] = [];
  for (const [index, { ttl, tokens }] of prompt.entries())
    if (ttl !== undefined && tokens >= limits.minCacheTokens) breakpoints.push({ index, ttl });
  const last = prompt.length - 1;
  const auto = ttlOf(request.cache_control);
  if (
    auto !== undefined &&
    breakpoints.at(-1)?.index !== last &&
    (prompt[last]?.tokens ?? 0) >= limits.minCacheTokens
  )
    breakpoints.push({ index: last, ttl: auto });
  return breakpoints;
}

function lookBack(prompt: readonly Segment[], from: number, alive: (key: string) => boolean): number {
  for (let index = from; index >= 0 && index > from - lookback; index -= 1)
    if (alive((prompt[index] as Segment).key)) return index;
  return -1;
}

function billed(
  prompt: readonly Segment[],
  breakpoints: readonly Breakpoint[],
  hit: number,
  total: number,
): RawUsage {
  const upTo = (index: number): number => (index < 0 ? 0 : (prompt[index] as Segment).tokens);
  const end = Math.max(hit, breakpoints.at(-1)?.index ?? -1);
  const hour = Math.max(hit, breakpoints.findLast((breakpoint) => breakpoint.ttl === "1h")?.index ?? -1);
  return {
    input_tokens: total - upTo(end),
    cache_creation_input_tokens: upTo(end) - upTo(hit),
    cache_read_input_tokens: upTo(hit),
    cache_creation: {
      ephemeral_5m_input_tokens: upTo(end) - upTo(hour),
      ephemeral_1h_input_tokens: upTo(hour) - upTo(hit),
    },
  };
}

function segmentsOf(request: ParsedRequest): Segment[] {
  const segments: Segment[] = [];
  let key = request.model;
  let tokens = 0;
  const add = (label: string, block: Json): void => {
    const text = JSON.stringify(block, (name, value: unknown) =>
      name === "cache_control" ? undefined : value,
    );
    key = digest(`${key}\n${label}\n${text}`);
    tokens += Math.ceil(text.length / 4 + mediaTokens(block));
    segments.push({ key, tokens, ttl: isObject(block) ? ttlWithin(block) : undefined });
  };
  for (const tool of request.tools ?? []) add("tool", tool);
  key += `|${request.speed ?? "standard"}`;
  const system = request.system ?? [];
  for (const block of typeof system === "string" ? [system] : system) add("system", block);
  key += `|${JSON.stringify([request.tool_choice, request.thinking, request.output_config])}${hasImage(request)}`;
  for (const { role, content } of request.messages)
    for (const block of typeof content === "string" ? [content] : content) add(role, block);
  return segments;
}

function hasImage(request: ParsedRequest): boolean {
  return request.messages.some(
    ({ content }) => typeof content !== "string" && content.some((block) => block.type === "image"),
  );
}

/** Returns the lifetime in the `cache_control` of a block, or in the last one inside a tool result. */
function ttlWithin(block: { [key: string]: Json }): Ttl | undefined {
  const own = ttlOf(block.cache_control);
  if (own !== undefined || block.type !== "tool_result" || !Array.isArray(block.content)) return own;
  return block.content
    .map((part) => ttlOf((part as ContentBlock).cache_control))
    .findLast((ttl) => ttl !== undefined);
}

function ttlOf(control: unknown): Ttl | undefined {
  if (!isObject(control)) return undefined;
  return control.ttl === "1h" ? "1h" : "5m";
}
