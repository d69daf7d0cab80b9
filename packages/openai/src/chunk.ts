import { wrongKind } from "@pawl/core/model";

/**
 * The fields of a `chat.completion.chunk` that Pawl reads, once their shape was checked. Servers may leave
 * out any of them, or send `null`; both are absent here.
 */
export interface Chunk {
  id?: string;
  model?: string;
  choices: readonly Choice[];
  usage?: Fields;
  /** The tier by which OpenAI charges the answer. */
  tier?: string;
}

interface Choice {
  index: number;
  delta?: Delta;
  finishReason?: string;
}

export interface Delta {
  content?: string;
  refusal?: string;
  /** The model's reasoning. It is not kept. */
  reasoning: string;
  calls: readonly CallDelta[];
}

/**
 * A piece of a tool call, identified by its index, or else by its id. The first piece has the tool's name.
 */
export interface CallDelta {
  index?: number;
  id?: string;
  name?: string;
  arguments?: string;
  /** Further fields of the call, e.g. Gemini's `extra_content`. The server wants them back with the call. */
  extra?: Fields;
}

/** An object of the server whose fields were not checked. */
export interface Fields {
  readonly [name: string]: unknown;
}

/** The length at which an answer's id and the name of its model are cut, in characters. They are stored. */
const LONGEST_NAME = 1_000;

/** The length at which the reason why an answer has ended is cut, in characters. */
const LONGEST_REASON = 100;

/** A chunk without content. */
export const EMPTY: Chunk = { choices: [] };

/**
 * Reads a chunk by its shape. Fields without meaning for the answer (its id, its model, the usage) are left
 * out if they have another kind.
 *
 * @throws PawlError `model_error` if any other field has another kind than the API's.
 */
export function readChunk(value: unknown): Chunk {
  const { id, model, choices, usage, x_groq, service_tier } = item("a chunk", value);
  // Groq sent the usage here before it had `stream_options`.
  const counts = usage ?? (isFields(x_groq) ? x_groq.usage : undefined);
  return {
    ...(typeof id === "string" && { id: id.slice(0, LONGEST_NAME) }),
    ...(typeof model === "string" && { model: model.slice(0, LONGEST_NAME) }),
    choices: list("`choices`", choices).map(readChoice),
    ...(isFields(counts) && { usage: counts }),
    ...(typeof service_tier === "string" && { tier: service_tier.slice(0, LONGEST_REASON) }),
  };
}

function readChoice(value: unknown): Choice {
  const choice = item("a choice", value);
  // An answer that was not streamed has a message, see `read-json.ts`.
  const delta = object("`delta`", choice.delta ?? choice.message);
  const finishReason = text("`finish_reason`", choice.finish_reason);
  return {
    index: number("`index` of a choice", choice.index) ?? 0,
    ...(delta && { delta: readDelta(delta) }),
    ...(finishReason && { finishReason: finishReason.slice(0, LONGEST_REASON) }),
  };
}

function readDelta({
  content,
  refusal,
  reasoning_content,
  reasoning,
  tool_calls,
  function_call,
}: Fields): Delta {
  const written = readContent(content);
  const refused = text("`refusal`", refusal);
  // Servers use one of these two names.
  const thought = [reasoning_content, reasoning].find((one) => typeof one === "string") ?? "";
  return {
    ...(written.text && { content: written.text }),
    ...(refused && { refusal: refused }),
    reasoning: `${thought}${written.reasoning}`,
    calls: [...list("`tool_calls`", tool_calls).map(readCall), ...legacyCall(function_call)],
  };
}

/** Reads the call of a server that has not more than one, by the name that the field had before 2023-11. */
function legacyCall(function_call: unknown): CallDelta[] {
  const called = object("`function_call`", function_call);
  return called === undefined ? [] : [readCall({ index: 0, function: called })];
}

/** Reads a chunk's text. Some servers send a list of parts, which may also be reasoning. */
function readContent(content: unknown): { text: string; reasoning: string } {
  if (!isList(content)) return { text: text("`content`", content) ?? "", reasoning: "" };
  const read = { text: "", reasoning: "" };
  for (const part of content) {
    const { type, text: written, thinking } = item("a part of `content`", part);
    if (type === "text") read.text += text("`text` of a part", written) ?? "";
    else if (type === "thinking") read.reasoning += readContent(thinking).text;
  }
  return read;
}

function readCall(value: unknown): CallDelta {
  const { index: at, id: given, type: _, function: inner, ...more } = item("a tool call", value);
  const { name: called, arguments: input, ...moreInside } = object("`function` of a tool call", inner) ?? {};
  const index = number("`index` of a tool call", at);
  // Some servers number their calls.
  const id = typeof given === "number" ? `${given}` : text("`id` of a tool call", given);
  const name = text("`name` of a tool call", called);
  // Some servers send the input as an object instead of its JSON.
  const written = isFields(input) ? JSON.stringify(input) : text("`arguments` of a tool call", input);
  const extra = { ...present(more), ...(isEmpty(moreInside) ? {} : { function: present(moreInside) }) };
  return {
    ...(index !== undefined && { index }),
    ...(id && { id }),
    ...(name && { name }),
    ...(written && { arguments: written }),
    ...(!isEmpty(extra) && { extra }),
  };
}

/** Returns the fields that have a value. */
function present(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(present(fields)).length === 0;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value that must be there and be an object. */
function item(what: string, value: unknown): Fields {
  if (isFields(value)) return value;
  throw wrongKind(what, "an object", value);
}

/** Returns a field of the expected kind, and `undefined` for a missing one. */
function field<T>(what: string, expected: string, value: unknown, is: (value: unknown) => value is T) {
  if (value === undefined || value === null) return undefined;
  if (is(value)) return value;
  throw wrongKind(what, expected, value);
}

const object = (what: string, value: unknown) => field(what, "an object", value, isFields);
const text = (what: string, value: unknown) => field(what, "a text", value, isText);
const number = (what: string, value: unknown) => field(what, "a number", value, isNumber);
const list = (what: string, value: unknown) => field(what, "a list", value, isList) ?? [];

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isList = (value: unknown): value is unknown[] => Array.isArray(value);
