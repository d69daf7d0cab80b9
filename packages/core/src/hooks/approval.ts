import { toJson } from "../base/json.ts";
import { jsonSchema } from "../tools/schema.ts";
import type { Hook, PlannedToolCall, RunContext } from "./hook.ts";

/** Options of `approval()`. */
export interface ApprovalOptions<Deps = unknown> {
  /** Unique among the agent's hooks. */
  name?: string;
  /**
   * The calls that need a yes: the names of their tools, which the agent must have, or a look at each call.
   */
  when:
    | readonly string[]
    | ((call: PlannedToolCall, context: RunContext<Deps>) => boolean | Promise<boolean>);
}

/** What an approval is answered with. */
export interface ApprovalAnswer {
  approved: boolean;
  /** For the model, where it was not. */
  reason?: string;
}

const answer = jsonSchema<ApprovalAnswer>({
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
  additionalProperties: false,
});

/**
 * Asks the user before a tool runs. The call waits, across processes and days, as a question of the kind
 * `approval` whose payload is `{ tool, input }`; the answer is an {@link ApprovalAnswer}. What was shown is
 * what runs: put this hook behind those that change inputs.
 *
 * @example
 * ```ts
 * import { agent, approval, memoryStore, runtime, tool } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const remove = tool({
 *   name: "remove",
 *   description: "Removes a file.",
 *   input: z.object({ path: z.string() }),
 *   execute: () => "gone",
 * });
 * const model = strictModel({
 *   script: [{ tools: [{ name: "remove", input: { path: "/a" } }] }, { text: "Done." }],
 * });
 * const pawl = runtime({
 *   agents: [
 *     agent({
 *       name: "a",
 *       model,
 *       instructions: "Help.",
 *       tools: [remove],
 *       hooks: [approval({ when: ["remove"] })],
 *     }),
 *   ],
 *   store: memoryStore(),
 * });
 * const { sessionId, pending } = await pawl.run("a", { userId: "u", input: "Remove /a" }).result;
 * const [question] = pending;
 * console.log(question?.kind, question?.payload); // approval { tool: "remove", input: { path: "/a" } }
 * const answers = [{ callId: question?.callId ?? "", value: { approved: true } }];
 * console.log((await pawl.run("a", { userId: "u", sessionId, answers }).result).text); // Done.
 * ```
 */
export function approval<Deps = unknown>({ name = "approval", when }: ApprovalOptions<Deps>): Hook<Deps> {
  return {
    name,
    ...(typeof when !== "function" && { tools: when }),
    beforeTool: async (call, context) => {
      if (call.answer !== undefined) {
        const { approved, reason } = call.answer as unknown as ApprovalAnswer;
        if (approved === true) return undefined;
        return { deny: `The user did not approve this call${reason === undefined ? "." : `: ${reason}`}` };
      }
      const needed = typeof when === "function" ? await when(call, context) : when.includes(call.tool.name);
      if (!needed) return undefined;
      return {
        ask: { kind: "approval", payload: { tool: call.tool.name, input: toJson(call.input) }, answer },
      };
    },
  };
}
