import type { Json } from "@pawl/core";
import type { ToolPhase, ViewMessage, ViewPart } from "@pawl/core/view";

/**
 * The types of an agent's tools, keyed by the tool's name: `input` is what the model passes, `result` what
 * `execute` returns, as JSON. Write them for all tools of your agent.
 *
 * Nothing validates them on the page. A result may have another type if a hook changed it, if it was
 * redacted, if a repeated call was skipped, or if an earlier version of the tool made it. For a tool that
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

/** A call of a tool. Once its `phase` is `done`, `arguments` and `result` have the tool's types. */
export type TypedToolPart<Name, Types extends { input: unknown; result: unknown }> = Omit<
  Extract<ViewPart, { type: "tool" }>,
  "toolName" | "phase" | "arguments" | "result"
> & { toolName: Name } & (
    | { phase: "done"; arguments: Types["input"]; result: Types["result"] }
    | { phase: Exclude<ToolPhase, "done">; arguments: Json; result?: Json }
  );

/** A part of a message, with typed calls if the tools are declared. */
export type TypedPart<T extends ToolTypes<T>> = string extends keyof T
  ? ViewPart
  : Exclude<ViewPart, { type: "tool" }> | { [Name in keyof T]: TypedToolPart<Name, T[Name]> }[keyof T];

/** A message, with typed calls if the tools are declared. */
export interface TypedMessage<T extends ToolTypes<T>> extends Omit<ViewMessage, "parts"> {
  parts: TypedPart<T>[];
}
