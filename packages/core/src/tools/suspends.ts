import type { Json, JsonObject } from "../base/json.ts";
import type { Schema } from "../schema/schema.ts";
import type { Expiry } from "./expiry.ts";

// The first branch spares the compiler a costly comparison of zod's schemas.
/** The type of a schema, or a type error for anything else. */
export type AnswerSchema<A> = A &
  ([A] extends [{ readonly _zod: unknown; readonly toJSONSchema: unknown }]
    ? unknown
    : A extends Schema
      ? unknown
      : Schema);

/** The `answer` of a tool that asks nothing. */
// Its own field tells it apart: without `strictNullChecks`, every schema would take `Schema<undefined>`.
export interface NoAnswer extends Schema<undefined> {
  readonly "~asks": false;
}

/**
 * The question that a tool asks the user. The call waits for the answer, for days if necessary, and the
 * process may end meanwhile. `Kind` is the question's kind as a type, `Payload` the type of its data.
 */
export interface Suspends<Input, Answer, Kind extends string = string, Payload extends Json = Json> {
  /** The schema that an answer must match. */
  answer: AnswerSchema<Answer>;
  /** The kind of question. Clients use it to choose an input control. Default: the tool's name. */
  kind?: Kind;
  /** Returns the data that the client shows with the question. Default: the call's input. */
  payload?(input: Input): Payload;
  /** When an unanswered question gets a default answer, and which one. Default: never. */
  expires?: Expiry;
}

/** The fields of a question's event that come from the definition of its tool. */
export interface StoredQuestion {
  /** The JSON Schema of an answer. */
  answer_schema: JsonObject;
  /** When the question gets its default answer: at a time, or `after_ms` milliseconds after it was stored. */
  expires?: { at?: string; after_ms?: number; default: Json };
}
