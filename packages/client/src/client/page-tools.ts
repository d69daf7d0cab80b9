import type { Json, JsonObject, Question, Schema } from "@pawl/core";
import type { Phase } from "../state/agent-state.ts";
import type { AnyTools } from "./tool-types.ts";

/**
 * A tool that this page runs for the agent. `Input` is the type of its input, `Result` that of its result.
 *
 * - For a tool that the agent declares with `runsIn: "client"`, give only `execute`.
 * - With a `description`, the page offers the tool with each message. The agent must allow that
 *   (`clientTools`).
 */
export interface PageTool<Input = Json, Result = Json> {
  /** The description for the model: what the tool does and when to use it. */
  description?: string;
  /**
   * The input of a tool that the page offers: JSON Schema, or a schema that describes itself as JSON Schema,
   * e.g. of zod. Such a schema also checks the input before `execute`. Default: an object of any fields.
   */
  input?: JsonObject | Schema;
  /**
   * Runs the tool. The model reads the result, which is JSON. Throw to fail the call: the model reads the
   * error's message.
   *
   * May run more than once for a call: on two devices, or again after a reload. Use `callId` as the key of an
   * effect that must happen once. `signal` aborts when the result is no longer needed: the run was stopped,
   * the user sent a message instead, or another page has answered.
   */
  execute(input: Input, context: { callId: string; signal: AbortSignal }): Result | Promise<Result>;
}

/** The tools of a page by name. `T` are the types of the agent's tools. */
export type PageTools<T = AnyTools> = {
  readonly [Name in keyof T]?: PageTool<
    T[Name]["input" & keyof T[Name]],
    // A tool without an `output` takes any JSON.
    [T[Name]["result" & keyof T[Name]]] extends [null] ? Json : T[Name]["result" & keyof T[Name]]
  >;
};

/** Options with a page's tools. The tools may differ each time the option is read. */
export interface WithTools {
  readonly tools?: object | undefined;
}

/** Returns this page's tool for a question; `undefined` if a person or another page answers it. */
export function ownTool({ tools }: WithTools, { clientTool = "" }: Question): PageTool | undefined {
  return tools && Object.hasOwn(tools, clientTool) ? (tools as PageTools)[clientTool] : undefined;
}

/** Returns whether this page offers tools of its own. */
export function offers({ tools = {} }: WithTools): boolean {
  return Object.values(tools).some(({ description }: PageTool) => description !== undefined);
}

/** Returns the state without the calls that this page runs, because the user is not asked. */
export function withoutOwn<S extends { pending: Question[]; phase: Phase }>(state: S, from: WithTools): S {
  const pending = state.pending.filter((question) => !ownTool(from, question));
  if (pending.length === state.pending.length) return state;
  const isRunning = state.phase === "suspended" && pending.length === 0;
  return { ...state, pending, phase: isRunning ? "toolExecuting" : state.phase };
}
