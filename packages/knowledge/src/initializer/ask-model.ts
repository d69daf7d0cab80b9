import {
  addUsage,
  addUsd,
  type ContentBlock,
  centsFromUsd,
  costUsd,
  type EventData,
  longestAnswer,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  type Pricing,
  promptTokens,
  type RawUsage,
  type Usage,
  usageFromWire,
  writtenLength,
} from "@pawl/core";
import { SELECT } from "./selection.ts";

/** What all attempts at an answer have cost so far; also that of one that failed or was given up. */
export interface Bill {
  model: string;
  pricing: Pricing | undefined;
  usage: Usage;
  costUsd: number;
  /** The attempt under way. */
  open: RawUsage;
}

export function newBill({ id, pricing }: ModelClient): Bill {
  return { model: id, pricing, usage: noUsage, costUsd: 0, open: {} };
}

/** The bill as the log has it. */
export function spendingOf(bill: Bill): Omit<EventData["spending"], "by"> {
  const { model, usage, costUsd: usd } = charged(bill);
  return {
    model,
    tokens: {
      prompt: usage.inputTokens,
      completion: usage.outputTokens,
      cached: usage.cacheReadTokens,
      cache_write: usage.cacheWriteTokens,
      cache_write_1h: usage.cacheWrite1hTokens ?? 0,
      total: promptTokens(usage) + usage.outputTokens,
    },
    cost_cents: centsFromUsd(usd),
  };
}

function charged(bill: Bill): Bill {
  const { open, pricing, usage } = bill;
  const fresh = usageFromWire(open);
  const cost = pricing === undefined ? 0 : costUsd(fresh, pricing);
  return { ...bill, usage: addUsage(usage, fresh), costUsd: addUsd(bill.costUsd, cost), open: {} };
}

/** What the model has said: its choice, in whatever form, or nothing that can be read. */
export interface Said {
  answer: unknown;
  isRefusal: boolean;
}

interface Block {
  start: ContentBlock;
  pieces: string[];
}

/** By their index, which nobody has to believe. */
type Blocks = Map<number, Block>;

/** Asks, and reads the answer to its end. The bill is kept up to date on the way. */
export async function askModel(
  model: ModelClient,
  request: ModelRequest,
  { signal, bill }: { signal: AbortSignal; bill: Bill },
): Promise<Said> {
  const blocks: Blocks = new Map();
  let stop: string | null = null;
  let chars = 0;
  const maxChars = longestAnswer(request.maxTokens);
  for await (const event of model.stream(request, { signal })) {
    // Whoever was given up on may go on talking.
    signal.throwIfAborted();
    takeUsage(bill, event);
    if (event.type === "message_delta") stop = event.delta.stop_reason ?? stop;
    if (event.type === "attempt_failed") {
      chars = 0;
      blocks.clear();
      stop = null;
    }
    chars += takeBlock(blocks, event);
    // A model that runs past max_tokens is cut; it is charged for all of them.
    if (chars > maxChars) {
      bill.open.output_tokens = request.maxTokens;
      break;
    }
  }
  return { answer: answerIn(blocks), isRefusal: stop === "refusal" };
}

function takeUsage(bill: Bill, event: ModelEvent): void {
  if (event.type === "message_start") bill.open = { ...event.message.usage };
  if (event.type === "message_delta") {
    const said = Object.entries(event.usage ?? {}).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    Object.assign(bill.open, Object.fromEntries(said));
  }
  if (event.type !== "attempt_failed") return;
  Object.assign(bill, charged(bill));
  if (event.model === undefined) return;
  bill.model = event.model;
  bill.pricing = event.pricing;
}

/** Returns how many characters it adds to the answer. Every block counts for some, even an empty one. */
function takeBlock(blocks: Blocks, event: ModelEvent): number {
  switch (event.type) {
    case "content_block_start":
      blocks.set(event.index, { start: event.content_block, pieces: [] });
      return 4;
    case "content_block_delta": {
      const { text, partial_json, thinking } = event.delta;
      blocks.get(event.index)?.pieces.push(text ?? partial_json ?? "");
      return (text?.length ?? writtenLength(partial_json ?? "")) + (thinking?.length ?? 0);
    }
  }
  return 0;
}

/** The input of the call, or else the JSON in the text. Half of either is no JSON. */
function answerIn(blocks: Blocks): unknown {
  const all = [...blocks.values()];
  const call = all.find(({ start }) => start.type === "tool_use" && start.name === SELECT);
  if (call !== undefined) return call.pieces.length === 0 ? call.start.input : parsed(call.pieces.join(""));
  const texts = all.filter(({ start }) => start.type === "text");
  return jsonIn(texts.map(({ start, pieces }) => `${start.text ?? ""}${pieces.join("")}`).join("\n"));
}

/** Models without tools put words or a fence around it, and some think aloud before. */
function jsonIn(text: string): unknown {
  const said = text.slice(text.lastIndexOf("</think>") + 1);
  const fence = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(said)?.[1];
  const braces = said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1);
  return parsed(fence ?? "") ?? parsed(braces);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
