import type { Json, JsonOf } from "../base/json.ts";
import type { ApprovalAnswer } from "../hooks/approval.ts";
import type { Infer, InferInput, Schema } from "../schema/schema.ts";
import type { NoAnswer } from "../tools/suspends.ts";

// The compiler instantiates these types for every tool of an agent, so they are written for few
// instantiations. No type is computed before it is read. Type parameters have no constraints: a constraint in
// the branch of a conditional type makes the compiler instantiate its argument again. test/type-cost.test.ts
// measures the cost.

// With `Agent` in its place, the compiler would compare all fields of agents.
/** The type of an agent, as far as the types of its tools and questions need it. */
export interface AnyAgent {
  readonly name: string;
  readonly "~types"?: { output: unknown; tools: unknown };
}

/** The type of the field `~types` of a tool or an agent. At run time, the field has no value. */
export type TypesOf<T> = NonNullable<T["~types" & keyof T]>;

/**
 * The types of an agent's tools, as a union. Contains `{}` if a tool was declared as `Tool<Deps>`. `never` if
 * `A` is not the type of an agent.
 */
export type TypesOfTools<A> = TypesOf<TypesOf<A>["tools" & keyof TypesOf<A>]>;

/** The types of the tools of an agent and of its roles, as a union. `R` is the type of the roles. */
export type WithRoles<Tools, R> = unknown extends R
  ? Tools
  : Tools | (R[keyof R] extends infer Role ? ToolsOfRole<Role> : never);

/** The types of the tools of a role, as a union. */
export type ToolsOfRole<Role> = Role extends { readonly tools: readonly (infer T)[] } ? T : never;

/** The type of `result.output` without an `output`: the results of the tools with `endsRun`, or `unknown`. */
export type OutputOfTools<Tools> = TypesOf<Tools>["output" & keyof TypesOf<Tools>] extends infer Output
  ? [Output] extends [never]
    ? unknown
    : JsonOf<Awaited<Output>>
  : never;

/** The type of `result.output`: that of the schema `output`, if the agent has one. */
export type OutputBy<S, Tools> = unknown extends S ? OutputOfTools<Tools> : JsonOf<Infer<S>>;

/** The type of an agent's output on pages; `Json` if the agent has no `output`. */
export type OutputOf<A> = TypesOf<A>["output" & keyof TypesOf<A>] extends infer Output
  ? [Output] extends [never]
    ? Json
    : unknown extends Output
      ? Json
      : Output
  : never;

/**
 * The types of an agent's tools, keyed by the tool's name: `input` is passed by the model, `result` is
 * returned by `execute`, both as JSON. If the agent's type does not list its tools, e.g. `Agent<Deps>`, each
 * input and result is `Json`.
 *
 * @example
 * ```ts compile
 * import { agent, tool } from "@pawl/core";
 * import type { ToolTypesOf } from "@pawl/core/view";
 * import { scriptedModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const weather = tool({
 *   name: "weather",
 *   description: "The weather in a city.",
 *   input: z.object({ city: z.string() }),
 *   execute: () => ({ celsius: 12 }),
 * });
 * const guide = agent({ name: "guide", model: scriptedModel([]), instructions: "Guide.", tools: [weather] });
 *
 * type Tools = ToolTypesOf<typeof guide>;
 * const result: Tools["weather"]["result"] = { celsius: 12 };
 * ```
 */
export type ToolTypesOf<A> = [TypesOfTools<A>] extends [never]
  ? Readonly<Record<string, { input: Json; result: Json }>>
  : object extends TypesOfTools<A>
    ? Readonly<Record<string, { input: Json; result: Json }>>
    : { readonly [T in TypesOfTools<A> as T["name" & keyof T] & string]: CallTypes<T> };

// An interface and no type literal: `array.map()` searches type literals for type parameters, and would
// compute the types of all tools.
/** The types of one tool's calls, from the tool's types. */
export interface CallTypes<T> {
  /** The input that the model passes. */
  input: JsonOf<InferInput<T["input" & keyof T]>>;
  /** The value that `execute` returns, as JSON. */
  result: JsonOf<Awaited<T["result" & keyof T]>>;
}

/**
 * The types of an agent's questions, keyed by kind: those of its tools, and `approval`. Questions of its
 * hooks and sub-agents are not included: add their types with `&`. If the agent's type does not list its
 * tools, e.g. `Agent<Deps>`, each payload and answer is `Json`.
 *
 * @example
 * ```ts compile
 * import { agent, tool } from "@pawl/core";
 * import type { QuestionTypesOf } from "@pawl/core/view";
 * import { scriptedModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const confirm = tool({
 *   name: "confirm",
 *   description: "Asks the user for a yes or no.",
 *   input: z.object({ question: z.string() }),
 *   suspends: { answer: z.object({ yes: z.boolean() }) },
 * });
 * const guide = agent({ name: "guide", model: scriptedModel([]), instructions: "Guide.", tools: [confirm] });
 *
 * type Questions = QuestionTypesOf<typeof guide>;
 * const payload: Questions["confirm"]["payload"] = { question: "Is it far?" };
 * const answer: Questions["confirm"]["answer"] = { yes: true };
 * const approval: Questions["approval"]["answer"] = { approved: true };
 * ```
 */
export type QuestionTypesOf<A> =
  object extends TypesOfTools<A>
    ? Readonly<Record<string, { payload: Json; answer: Json }>>
    : {
        readonly [T in
          | TypesOfTools<A>
          | {
              kind: "approval";
              payload: { tool: string; input: Json };
              answer: Schema<ApprovalAnswer>;
            } as T["answer" & keyof T] extends NoAnswer
          ? never
          : T["kind" & keyof T] & string]: AskedTypes<T>;
      };

/** The types of one tool's question, from the tool's types. */
export interface AskedTypes<T> {
  /** The data that the question shows: the call's input, unless the tool has a `payload`. */
  payload: [T["payload" & keyof T]] extends [never]
    ? JsonOf<Infer<T["input" & keyof T]>>
    : T["payload" & keyof T];
  /** The answer, as JSON. */
  answer: JsonOf<InferInput<T["answer" & keyof T]>>;
}
