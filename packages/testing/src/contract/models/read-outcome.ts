import { isText, type JsonObject, type ModelClient, type ModelRequest, PawlError } from "@pawl/core";
import { eventCheck, type ModelEvent } from "@pawl/core/model";
import type { DialectOutcome } from "../../dialects/base/dialect.ts";

/** A block of an answer while it arrives. */
interface Block {
  start: { type: string; [field: string]: unknown };
  text: string;
  complete: boolean;
}

/** What a model client made of a response, with the blocks of its answer. */
export interface ReadOutcome extends DialectOutcome {
  blocks: JsonObject[];
}

/** The codes by which the runtime knows why a request was refused: it is too long, or a filter blocks it. */
const RECOVERED: readonly unknown[] = ["context_length_exceeded", "content_filter"];

/** Reads an answer of a client to its end, or to its failure. Rejects if an event is malformed. */
export async function readOutcome(model: ModelClient, request: ModelRequest): Promise<ReadOutcome> {
  const blocks: Block[] = [];
  const check = eventCheck();
  let stop: string | null = null;
  let ended = false;
  let failure: DialectOutcome["failure"];
  const counts = new Map<string, unknown>();
  const count = (usage: object = {}) => {
    for (const [field, value] of Object.entries(usage)) counts.set(field, value);
  };
  try {
    for await (const event of model.stream(request, { signal: new AbortController().signal })) {
      if (ended) throw new Error("The client sent an event after `message_stop`.");
      check(event);
      takeBlock(blocks, event);
      if (event.type === "message_start") count(event.message.usage);
      if (event.type === "message_delta") {
        stop = event.delta.stop_reason ?? stop;
        count(event.usage);
      }
      ended = event.type === "message_stop";
    }
    if (!ended) throw new Error("The client ended an answer without `message_stop`, and did not fail.");
  } catch (error) {
    if (!PawlError.is(error, "model_error")) throw error;
    const { retryable, errorCode } = error.details as { retryable?: boolean; errorCode?: string };
    // Other codes are the server's own.
    failure = {
      retryable: retryable === true,
      ...(RECOVERED.includes(errorCode) && { errorCode: `${errorCode}` }),
    };
  }
  return outcomeOf(blocks, { stop: failure === undefined ? stop : null, counts, failure });
}

function takeBlock(blocks: Block[], event: ModelEvent): void {
  if (event.type === "content_block_start")
    blocks.push({ start: event.content_block, text: "", complete: false });
  const block = "index" in event ? blocks[event.index] : undefined;
  if (block === undefined) return;
  if (event.type === "content_block_delta") block.text += event.delta.text ?? event.delta.partial_json ?? "";
  if (event.type === "content_block_stop") block.complete = true;
}

function outcomeOf(
  all: readonly Block[],
  read: { stop: string | null; counts: ReadonlyMap<string, unknown>; failure: DialectOutcome["failure"] },
): ReadOutcome {
  const blocks = all.map(wholeBlock);
  const text = blocks
    .filter((block) => isText(block as never))
    .map((block) => block.text)
    .join("");
  const calls = blocks.filter((block, at) => block.type === "tool_use" && all[at]?.complete);
  const { counts, failure, stop } = read;
  const tokens = (field: string) => Number(counts.get(field) ?? 0);
  const cached = tokens("cache_read_input_tokens") + tokens("cache_creation_input_tokens");
  return {
    blocks,
    ...(text !== "" && { text }),
    ...(calls.length > 0 && {
      calls: calls.map(({ name, input }) => ({ name: String(name), input: input as JsonObject })),
    }),
    ...(stop !== null && { stop }),
    ...(failure === undefined
      ? { tokens: [tokens("input_tokens") + cached, tokens("output_tokens")] }
      : { failure }),
  };
}

function wholeBlock({ start, text }: Block): JsonObject {
  if (start.type === "tool_use") return { ...start, input: text === "" ? start.input : JSON.parse(text) };
  return start.type === "text" ? { ...start, text: `${start.text ?? ""}${text}` } : (start as JsonObject);
}
