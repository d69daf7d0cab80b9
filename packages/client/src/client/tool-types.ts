import type { Json } from "@pawl/core";
import type { ToolPhase, ViewMessage, ViewPart } from "@pawl/core/view";

/**
 * The types of an agent's tools, keyed by the tool's name: `input` is what the model passes, `result` what
 * `execute` returns, as JSON. `ToolTypesOf<typeof agent>` of `@pawl/core/view` has them. If the page has no
 * access to the agent's type, write them for all its tools.
 *
 * Nothing validates them on the page. A result may have another type if a hook changed it, if it was
 * redacted, or if an earlier version of the tool made it. For a tool that
 * asks the user, it is the answer until `execute` has returned.
 *
 * @example
 * ```ts
 * import { useAgent } from "@pawl/client/react";
 *
 * type Tools = { weather: { input: { city: string }; result: { celsius: number } } };
 *
 * function useTemperatures(): string[] {
 *   const { messages } = useAgent<{}, Tools>({ url: "/api/coach" });
 *   const parts = messages.flatMap((message) => message.parts);
 *   return parts.flatMap((part) =>
 *     part.type === "tool" && part.toolName === "weather" && part.phase === "done"
 *       ? [`${part.arguments.city}: ${part.result.celsius} °C`]
 *       : [],
 *   );
 * }
 * ```
 */
export type ToolTypes<T> = { readonly [Name in keyof T]: { input: unknown; result: unknown } };

/** The type of tools if you declare none: every input and result is JSON. */
export type AnyTools = Readonly<Record<string, { input: Json; result: Json }>>;

// An agent may have hundreds of tools. Interfaces compute the types of their fields when a page reads them.

/** The fields of a call that are the same for all tools. */
export interface CallFields
  extends Omit<Extract<ViewPart, { type: "tool" }>, "toolName" | "phase" | "arguments" | "result"> {}

/** A call of a tool that succeeded: `arguments` and `result` have the tool's types. */
export interface DoneToolPart<Name, Types> extends CallFields {
  toolName: Name;
  phase: "done";
  /** The input of the call, as the model wrote it. */
  arguments: Types["input" & keyof Types];
  /** What the tool returned, as JSON. */
  result: Types["result" & keyof Types];
}

/** A call of a tool that is running, waits for an answer, failed or was skipped. Its input may be invalid. */
export interface OpenToolPart<Name> extends CallFields {
  toolName: Name;
  phase: Exclude<ToolPhase, "done">;
  /** The input of the call, as the model wrote it. */
  arguments: Json;
  result?: Json;
}

/**
 * A call of a tool, or of the tool `Name`. Once its `phase` is `done`, `arguments` and `result` have the
 * tool's types.
 */
export type TypedToolPart<T, Name extends keyof T = keyof T> =
  | OpenToolPart<Name>
  | (Name extends unknown ? DoneToolPart<Name, T[Name]> : never);

/** A part of a message, with typed calls if the tools are declared. */
export type TypedPart<T> = string extends keyof T
  ? ViewPart
  : Exclude<ViewPart, { type: "tool" }> | TypedToolPart<T>;

/** A message, with typed calls if the tools are declared. */
export interface TypedMessage<T> extends Omit<ViewMessage, "parts"> {
  /** The message's parts, in the order in which they arrived. */
  parts: TypedPart<T>[];
}
