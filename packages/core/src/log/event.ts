import type { Json, JsonInput } from "../base/json.ts";
import type { EventData } from "./event-data.ts";

/** An event type of core. */
export type EventType = keyof EventData;

/**
 * The type of an extension's event: it contains a dot. Core stores and delivers such events without
 * interpreting them.
 */
export type ExtensionType = `${string}.${string}`;

/** Optional fields of an event, besides its type and payload. */
export interface EventEnvelope {
  /**
   * A name that is unique in its session: a second append with the same key is refused. Give a key to events
   * that may happen only once. Pawl's own keys: `result:<assistantSeq>:<callId>`,
   * `answer:<assistantSeq>:<callId>`, `message:<clientMessageId>`, `end:<runId>`, `effect:<runId>:<name>`,
   * `retry:<runId>`, `ask:<runId>:<hook or call>:<key>`.
   */
  key?: string;
  /** How long the reported operation took, in milliseconds. */
  durationMs?: number;
}

/** An event to append. */
export type NewEvent =
  | { [T in EventType]: { type: T; data: EventData[T] } & EventEnvelope }[EventType]
  | ({ type: ExtensionType; data: Json } & EventEnvelope);

/**
 * The events that a hook may store: `knowledge`, `artifact`, `note`, extension events, and `spending` (usage
 * and cost of a model that the hook called without `context.askModel`).
 */
export type AppendableEvent =
  | Extract<NewEvent, { type: "knowledge" | "artifact" | "note" | "spending" }>
  | ({ type: ExtensionType; data: JsonInput } & EventEnvelope);

/** The fields that the store adds to an event. */
export interface StoredEnvelope {
  sessionId: string;
  /** The event's number within the session: 1, 2, 3 … without gaps. */
  seq: number;
  /** Version of the payload's shape. */
  v: number;
  /** When the event was stored, by the store's clock: ISO 8601, UTC. */
  at: string;
}

/** An event of the log. Narrow it by `type`. */
export type StoredEvent = NewEvent & StoredEnvelope;

/** A stored event of one type. */
export type StoredOf<T extends EventType> = Extract<StoredEvent, { type: T }>;

/** A stored event of the types that `read({ types })` names. */
export type ReadEvent<T extends EventType | ExtensionType> = T extends EventType
  ? StoredOf<T>
  : StoredEvent & { type: T };

/** Which events `EventStore.read()` returns. Default: all. */
export interface ReadOptions<T extends EventType | ExtensionType = EventType | ExtensionType> {
  /** Only events after this `seq`. */
  afterSeq?: number;
  /** Only events of these types. */
  types?: readonly T[];
  /** The most events to return. Default: no limit. */
  limit?: number;
}

/**
 * The current version of every payload. A process does not run a session whose log has an event of a newer
 * version. Since version 2, a `spending` with `attempt` says that a lost answer was charged. A process of
 * version 1 would charge it again.
 */
// Raise it and `SNAPSHOT_VERSION` if an older process would continue a changed log wrongly, e.g. charge
// twice.
export const EVENT_VERSION = 2;

/** A table of functions by event type. Each gets the event's data and one further argument. */
export type ByType<R, Extra = undefined> = {
  readonly [T in EventType]?: (data: EventData[T], extra: Extra) => R;
};

/** Calls the table's function for the event's type. Returns `undefined` if the table has none. */
export function callByType<R, Extra>(table: ByType<R, Extra>, event: NewEvent, extra: Extra): R | undefined {
  const { type, data } = event;
  return Object.hasOwn(table, type) ? table[type as EventType]?.(data as never, extra) : undefined;
}

/** The event types that the model reads. */
export const contextTypes: readonly EventType[] = [
  "user_message",
  "assistant_message",
  "tool_result",
  "knowledge",
  "artifact",
  "note",
  "output",
];
