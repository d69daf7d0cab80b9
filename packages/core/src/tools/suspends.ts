import type { Json } from "../base/json.ts";
import type { Expiry } from "./expiry.ts";
import type { Schema } from "./schema.ts";

/**
 * The question that a tool asks the user. The call waits for the answer, for days if necessary, and the
 * process may end meanwhile. `Kind` is the question's kind as a type, `Payload` the type of its data.
 */
export interface Suspends<Input, Answer, Kind extends string = string, Payload extends Json = Json> {
  /** The schema that an answer must match. */
  answer: Answer &
    ([Answer] extends [{ readonly _zod: unknown; readonly toJSONSchema: unknown }]
      ? unknown
      : Answer extends Schema
        ? unknown
        : Schema);
  /** The kind of question. Clients use it to choose an input control. Default: the tool's name. */
  kind?: Kind;
  /** Returns the data that the client shows with the question. Default: the call's input. */
  payload?(input: Input): Payload;
  /** When the question is answered without the user, and with which answer. Default: never. */
  expires?: Expiry;
}
