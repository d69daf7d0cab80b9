import type { EventData, Json } from "@pawl/core";
import type {
  AnyAgent,
  CallTypes,
  InferInput,
  JsonOf,
  NoAnswer,
  OutputOf,
  TypesOfTools,
} from "@pawl/core/view";

/**
 * The types of an agent's tools, as the third type argument of the AI SDK's `UIMessage`. Import only the
 * agent's type, so that no code of the server reaches the page.
 *
 * Questions of the agent's hooks and sub-agents are not included: add their types with `&`. If the agent's
 * type does not list its tools, e.g. `Agent<Deps>`, each input and output is `Json`.
 *
 * @example
 * ```ts
 * import type { UIDataOf, UIMetadata, UIToolsOf } from "@pawl/client/ai-sdk";
 * import { agent, tool } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 * import type { UIMessage } from "ai";
 * import * as z from "zod";
 *
 * // On the server. The page has `import type { guide } from "../server/guide.js"`.
 * const weather = tool({
 *   name: "weather",
 *   description: "The weather in a city.",
 *   input: z.object({ city: z.string() }),
 *   execute: () => ({ celsius: 12 }),
 * });
 * const guide = agent({ name: "guide", model: scriptedModel([]), instructions: "Guide.", tools: [weather] });
 *
 * // On the page: useChat<GuideMessage>({ … })
 * type GuideMessage = UIMessage<UIMetadata, UIDataOf<typeof guide>, UIToolsOf<typeof guide>>;
 *
 * function temperature(part: GuideMessage["parts"][number]): number | undefined {
 *   if (part.type !== "tool-weather" || part.state !== "output-available") return undefined;
 *   return part.output.celsius;
 * }
 * ```
 */
export type UIToolsOf<A extends AnyAgent> = [TypesOfTools<A>] extends [never]
  ? Record<string, { input: Json; output: Json }>
  : object extends TypesOfTools<A>
    ? Record<string, { input: Json; output: Json }>
    : { [T in TypesOfTools<A> as T["name" & keyof T] & string]: UIToolTypes<T> };

/** The types of one tool's parts, from the tool's types. */
export interface UIToolTypes<T> {
  /** The input of the call. While the call asks the user, what the question shows. */
  input: CallTypes<T>["input"] | T["payload" & keyof T];
  /** The result of the call, as JSON. On the page that answers a question, first its answer. */
  output:
    | CallTypes<T>["result"]
    | (T["answer" & keyof T] extends NoAnswer ? never : JsonOf<InferInput<T["answer" & keyof T]>>);
}

/** The types of the data parts that `aiSdk()` sends, as the second type argument of `UIMessage`. */
// No interface: the AI SDK requires a type with an index signature.
export type UIDataOf<A extends AnyAgent> = {
  /** The output of an agent with an `output`; `null` until the agent has given a valid one. */
  output: { value: OutputOf<A> | null; final: boolean };
  artifact: EventData["artifact"];
  /** A tool's progress report. Pages get it in `onData` only. */
  "tool-progress": { callId: string; toolName: string; data: Json };
  /** A tool's status text. Pages get it in `onData` only. */
  "tool-status": {
    callId: string;
    toolName: string;
    phase: "start" | "done" | "error" | "skipped";
    message: string;
  };
};

/** The metadata of the messages that `aiSdk()` sends, as the first type argument of `UIMessage`. */
export interface UIMetadata {
  /** When the message was sent or begun: ISO 8601, UTC. Absent on a page that has just sent the message. */
  createdAt?: string;
  /** Id of the model that answered. */
  model?: string;
  usage?: { inputTokens: number; outputTokens: number; totalTokens: number; cachedInputTokens: number };
  /** The cost in US dollars. Absent if the model has no prices. */
  costUsd?: number;
}
