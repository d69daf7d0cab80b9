import { type ContentBlock, type JsonObject, REDACTED, type SessionEvent, type StoredOf } from "@pawl/core";
import { isDataPartName } from "@pawl/core/inspect";
import { isOutcomeUnknown } from "@pawl/core/tools";

const SILENT = "This did not work.";

/** The public result of a call that was cut off. Its own text may have the tool's error. */
const UNKNOWN = "It is not known whether this took effect.";

/**
 * Which content of a session clients may read.
 *
 * - `public`: everything that is not meant for the model or the operator
 * - `all`: everything
 * - `{ knowledge: ["goals"] }`: like `public`, with the text of knowledge from these sources
 */
export type Expose = "public" | "all" | { readonly knowledge: readonly string[] };

/** The names under which events of extensions are parts of messages, by the events' types. */
export type EventParts = { readonly [type: string]: `data-${string}` };

/** Where a handler's files are, and which events of extensions it shows. */
export interface Shows {
  /** The path at which the handler is mounted. */
  readonly basePath?: string | undefined;
  readonly parts?: EventParts | undefined;
}

/** Which content of a session clients may read, and how. */
export interface Shown extends Shows {
  readonly expose?: Expose | undefined;
}

/**
 * Returns an event without the content that is meant for the model or the operator. Keeps the event's place,
 * type and shape. Adds the path of each file as its `url`, which views and dialects show. An event of an
 * extension with a name in `parts` becomes a `data_part`. Removes:
 *
 * - the system prompt and the tools' descriptions, also what has changed about them
 * - summaries, notes, and the text of knowledge (its source stays)
 * - what was wrong with an output
 * - what only the model's API can read, e.g. the sealed pages of its web search
 * - the `content` of a tool's result, which only the model reads
 * - a tool's input as changed by hooks, unless pages may have it (`input_for: "all"`)
 * - a model's answers to hooks and tools (`context.askModel`)
 * - what the application says about the user (`RunOptions.caller`), and the tools that a client offers
 * - the messages and causes of failures, also of tools, because they may name hosts, queries or keys. When
 *   the model is asked again, and that the outcome of a call is unknown, stays.
 */
export function publicEvent<E extends SessionEvent>(event: E, shown?: Shown): E;
export function publicEvent(given: SessionEvent, shown: Shown = {}): SessionEvent {
  const { expose = "public", basePath, parts } = shown;
  const name = parts && new Map(Object.entries(parts)).get(given.type);
  if (name !== undefined) return asPart(given, name);
  const event = withFileUrls(given, basePath);
  if (expose === "all") return event;
  switch (event.type) {
    case "prefix":
      return { ...event, data: { prefix_id: event.data.prefix_id, system: [], tools: [] } };
    case "agent_changed":
      return { ...event, data: { ...event.data, tools: { removed: [], changed: [] } } };
    case "checkpoint": {
      const { summary: _, ...data } = event.data;
      return { ...event, data };
    }
    case "output":
      return withoutProblem(event);
    case "assistant_message":
      return { ...event, data: { ...event.data, content: event.data.content.map(withoutSeals) } };
    case "note":
      return { ...event, data: { ...event.data, text: "" } };
    case "knowledge": {
      const { source } = event.data;
      const isShown = expose !== "public" && expose.knowledge.includes(source);
      return isShown ? event : { ...event, data: { source, data: "" } };
    }
    case "spending": {
      const { answer: _, ...data } = event.data;
      return { ...event, data };
    }
    case "run_started":
    case "user_message":
    case "tool_answered":
      return withoutCaller(event);
    case "task_started":
      // The application writes the key, and may put content into it.
      return { ...event, data: { ...event.data, key: "" } };
    case "tool_started":
    case "tool_suspended":
      return withoutInput(event);
    case "error":
      return {
        ...event,
        data: {
          code: event.data.code,
          message: "Something went wrong.",
          stack: null,
          context: retryIn(event.data.context),
        },
      };
    case "tool_result": {
      const { content, ...data } = event.data;
      if (!data.success) {
        const result = isOutcomeUnknown(data.result) ? UNKNOWN : SILENT;
        return { ...event, data: { ...data, result } };
      }
      return content === undefined ? event : { ...event, data };
    }
    default:
      return event;
  }
}

/** Yields events as their user may see them, see {@link publicEvent}. */
export async function* publicEvents<E extends SessionEvent>(
  events: AsyncIterable<E>,
  shown?: Shown,
): AsyncGenerator<E, void, undefined> {
  for await (const event of events) yield publicEvent(event, shown);
}

/** Returns when the model is asked again, of the context of its failure; `null` if it is not. */
function retryIn(context: unknown): JsonObject | null {
  const { will_retry, retry_in_ms } = Object(context);
  return will_retry === true && typeof retry_in_ms === "number" ? { will_retry, retry_in_ms } : null;
}

function withoutProblem(event: StoredOf<"output">): SessionEvent {
  return event.data.problem === undefined ? event : { ...event, data: { ...event.data, problem: "" } };
}

/** Fields that only the model's API can read. The results of its web search consist mostly of these. */
const SEALS = ["encrypted_content", "encrypted_index"];

function withoutSeals(block: ContentBlock): ContentBlock {
  const mayHaveSome = block.type.endsWith("_tool_result") || Object.hasOwn(block, "citations");
  if (!mayHaveSome) return block;
  return JSON.parse(JSON.stringify(block, (name, part) => (SEALS.includes(name) ? undefined : part)));
}

function withFileUrls(event: SessionEvent, basePath = ""): SessionEvent {
  if (event.type !== "user_message" && event.type !== "tool_result") return event;
  if (event.data.files === undefined) return event;
  const files = event.data.files.map((file) => ({ ...file, url: `${basePath}/files/${file.id}` }));
  return { ...event, data: { ...event.data, files } } as SessionEvent;
}

/** Returns an event of an extension as a part. Its data are `{}` if it was redacted. */
function asPart(event: SessionEvent, type: string): SessionEvent {
  const isRedacted = Object.keys(Object(event.data)).length === 0;
  return {
    ...event,
    type: "data_part",
    data: { type, data: isRedacted ? REDACTED : event.data },
  } as SessionEvent;
}

function withoutInput(event: StoredOf<"tool_started" | "tool_suspended">): SessionEvent {
  const { input, input_for, state: _, about: __, ...data } = event.data as Asked;
  const shown = input_for === "all" ? { ...data, input, input_for } : data;
  return { ...event, data: shown } as SessionEvent;
}

type Asked = StoredOf<"tool_started">["data"] & Pick<StoredOf<"tool_suspended">["data"], "state">;

type Hidden = Pick<StoredOf<"user_message">["data"], "caller" | "credentials" | "client_tools">;

/** Removes what the application says about the user, e.g. roles, and the tools that a client offers. */
function withoutCaller(event: StoredOf<"run_started" | "user_message" | "tool_answered">): SessionEvent {
  const { caller: _, credentials: __, client_tools: ___, ...data } = event.data as Hidden;
  if (Object.keys(data).length === Object.keys(event.data).length) return event;
  return { ...event, data } as SessionEvent;
}

/** How the option `parts` is checked. */
export const PARTS: { readonly mustBe: string; is(value: unknown): boolean } = {
  mustBe:
    'e.g. { "acme.plan": "data-plan" }, the types of your events, and the names of their parts, as `emit()` takes them',
  is: (parts) =>
    // Neither a list nor a Map.
    Object.prototype.toString.call(parts) === "[object Object]" &&
    Object.entries(Object(parts)).every(([type, name]) => /.\../.test(type) && isDataPartName(name)),
};

/** How the option `expose` is checked. */
export const EXPOSE: { readonly mustBe: string; is(value: unknown): boolean } = {
  mustBe: '"public", "all" or e.g. { knowledge: ["goals"] }, the sources whose text clients may read',
  is: (expose) => {
    if (expose === "public" || expose === "all") return true;
    const sources: unknown = (expose as { knowledge?: unknown } | null)?.knowledge;
    return Array.isArray(sources) && sources.every((source) => typeof source === "string");
  },
};
