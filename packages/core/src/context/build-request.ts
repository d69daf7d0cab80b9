import { PawlError } from "../base/errors.ts";
import { deepFreeze } from "../base/freeze.ts";
import type { JsonObject } from "../base/json.ts";
import { sha256, sha256AtOnce } from "../base/sha256.ts";
import { centsFromUsd } from "../base/usd.ts";
import type { AnswerLimit } from "../log/budget.ts";
import type { EventData } from "../log/event-data.ts";
import { storedAnswerLimit } from "../log/stored-budget.ts";
import { type ContentBlock, isText, isThinking, type Message } from "../model/content.ts";
import type { ModelRequest, ToolChoice } from "../model/model-client.ts";
import { costUsd, noUsage, type Pricing } from "../model/pricing.ts";
import type { ContextEntry, KeptList, KeptParts, RequestPrefix } from "../session/context-entry.ts";
import { openRun, type SessionState } from "../session/state.ts";
import { admitted } from "./admit.ts";
import { toMessages } from "./message-cache.ts";
import { isPaused } from "./server-calls.ts";

/** The prompt of a request: the prefix and all context of the log. */
export interface Prompt {
  prefix: RequestPrefix;
  entries: ContextEntry[];
  /** `seq` of the last event that the prompt covers. */
  uptoSeq: number;
  /** The length of the prompt as JSON, in characters. Images and PDFs count by an estimate. */
  chars: number;
  kept: KeptParts;
}

/** The fields of an `llm_request` event that do not come from the prompt. */
interface RequestParams {
  model: string;
  maxTokens: number;
  toolChoice?: ToolChoice;
  wanted?: ToolChoice;
  outputFormat?: JsonObject;
  tools?: readonly string[];
  estimatedTokens: number;
  pricing?: Pricing | undefined;
  limitedBy?: AnswerLimit | undefined;
  role?: string | undefined;
}

/**
 * Returns the prompt of the next request of the session's open run.
 *
 * @throws PawlError `context` if the log has nothing to send.
 */
export function promptOf(state: SessionState): Prompt {
  if (state.lastSeq === 0) throw new PawlError("context", "Cannot build context: no events in session");
  const { prefix, lastSeq: uptoSeq } = state;
  const entries = admitted(state, uptoSeq);
  if (prefix === undefined || (entries.at(-1)?.role !== "user" && !isPaused(state))) {
    throw new PawlError("context", "Cannot build context: nothing for the model to answer");
  }
  const chars = entries.reduce((sum, entry) => sum + entry.chars, prefix.chars);
  return { prefix, entries, uptoSeq, chars, kept: state.kept };
}

/** Builds the request for a prompt. Within one prefix, each request extends the previous one. */
export function requestOf(
  { prefix, entries, kept }: Prompt,
  { maxTokens, toolChoice, outputFormat }: Pick<RequestParams, "maxTokens" | "toolChoice" | "outputFormat">,
): ModelRequest {
  const request = {
    system: prefix.system,
    tools: prefix.tools,
    messages: toMessages(entries, kept.messages),
    maxTokens,
    ...(toolChoice !== undefined && { toolChoice }),
    ...(outputFormat !== undefined && { outputFormat }),
  };
  return withCacheBreakpoints(request, kept);
}

/** Returns the payload of the `llm_request` event for a prompt. */
export async function requestEvent(
  state: SessionState,
  { prefix, entries, uptoSeq, chars }: Prompt,
  { model, maxTokens, toolChoice, wanted, tools, outputFormat: format, ...rest }: RequestParams,
): Promise<EventData["llm_request"]> {
  const { estimatedTokens, pricing, limitedBy, role } = rest;
  const run = openRun(state);
  const text = hashedText(state, prefix, entries);
  const hash = sha256AtOnce(text) ?? (await sha256(text));
  return {
    model,
    prompt: { prefix_id: prefix.id, upto_seq: uptoSeq, hash },
    params: {
      max_tokens: maxTokens,
      ...(toolChoice !== undefined && { tool_choice: toolChoice }),
      ...(wanted !== undefined && { hook_choice: wanted }),
      ...(tools !== undefined && { tools: [...tools] }),
      ...(format !== undefined && { output_format: true as const }),
    },
    estimated_tokens: estimatedTokens,
    chars,
    ...(pricing !== undefined && {
      estimated_cost_cents: centsFromUsd(costUsd({ ...noUsage, inputTokens: estimatedTokens }, pricing)),
    }),
    ...(limitedBy !== undefined && { limited_by: storedAnswerLimit(limitedBy) }),
    turn: (run?.turns ?? 0) + 1,
    ...(run?.openRequest !== undefined && { again: run.openRequest }),
    ...(role !== undefined && { role }),
  };
}

/**
 * Returns the text whose hash identifies a prompt. It consists of the previous request's hash and the entries
 * that are new. Without a previous request, the prefix takes the place of its hash.
 */
function hashedText(
  { hashed }: SessionState,
  { system, tools, outputFormat }: RequestPrefix,
  entries: readonly ContextEntry[],
): string {
  const newEntries = entries.slice(hashed.entries).map(({ role, blocks }) => ({ role, blocks }));
  const prefixParts = [system, tools, ...(outputFormat === undefined ? [] : [outputFormat])];
  const base = hashed.hash === "" ? JSON.stringify(prefixParts) : hashed.hash;
  return base + JSON.stringify(newEntries);
}

const CACHE_BREAKPOINT = { cache_control: { type: "ephemeral" } } as const;

/**
 * Sets up to four cache breakpoints. Each marks the end of a part that the API can cache:
 *
 * - the last tool,
 * - the system prompt,
 * - the user data, if there is a second system block,
 * - the last block of the last user message.
 *
 * An unused breakpoint goes to the last block of the previous user message, so that a turn with many blocks
 * still finds the previous request in the cache.
 *
 * The API accepts no breakpoint on thinking or empty text, so an earlier block gets the breakpoint.
 */
export function withCacheBreakpoints(
  request: ModelRequest,
  kept: Pick<KeptParts, "system" | "tools">,
): ModelRequest {
  const system = withBreakpoints(request.system, kept.system, (index, last) => index === 0 || index === last);
  const tools = withBreakpoints(request.tools, kept.tools, (index, last) => index === last);
  const used = Math.min(system.length, 2) + Math.min(tools.length, 1);
  return {
    ...request,
    system,
    tools,
    messages: withUserBreakpoints(request.messages, Math.min(2, 4 - used)),
  };
}

/**
 * Returns a frozen copy of a list with breakpoints. Reuses the copy in `kept` for the same list, because the
 * requests of a prefix share their lists.
 */
function withBreakpoints<T extends object>(
  list: readonly T[],
  kept: KeptList,
  hasBreakpoint: (index: number, last: number) => boolean,
): T[] {
  if (kept.list !== list) {
    const last = list.length - 1;
    const copy = list.map((part, index) =>
      hasBreakpoint(index, last) ? { ...part, ...CACHE_BREAKPOINT } : part,
    );
    kept.list = list;
    kept.withBreakpoints = deepFreeze(copy);
  }
  return kept.withBreakpoints as T[];
}

/** Sets a breakpoint on each of the last `count` user messages. */
function withUserBreakpoints(messages: readonly Message[], count: number): Message[] {
  const copy = [...messages];
  let remaining = count;
  for (let index = copy.length - 1; index >= 0 && remaining > 0; index -= 1) {
    const message = copy[index] as Message;
    if (message.role !== "user") continue;
    copy[index] = { ...message, content: withLastBreakpoint(message.content) };
    remaining -= 1;
  }
  return copy;
}

/** Sets a breakpoint on the last block that may have one. */
function withLastBreakpoint(content: readonly ContentBlock[]): ContentBlock[] {
  const last = content.findLastIndex((block) => !isThinking(block) && !(isText(block) && block.text === ""));
  return content.map((block, index) => (index === last ? { ...block, ...CACHE_BREAKPOINT } : block));
}
