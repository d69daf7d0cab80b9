import { checkOptions, kindOf, type OptionKinds } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import { type JsonObject, toJson } from "../base/json.ts";
import { lazyJsonSchema } from "../schema/lazy-json-schema.ts";
import { type Expiry, storedExpiry } from "../tools/expiry.ts";
import type { Tool } from "../tools/tool.ts";
import type { Hook, RunContext } from "./hook.ts";
import type { PlannedToolCall } from "./tool-change.ts";

/** Options of `approval()`. */
export interface ApprovalOptions<Deps = unknown> {
  /** The hook's name, unique among the agent's hooks. Default: "approval". */
  name?: string;
  /**
   * The calls that need approval: tool names, which the agent must have, or a function that decides for each
   * call.
   */
  when:
    | readonly string[]
    | ((call: PlannedToolCall, context: RunContext<Deps>) => boolean | Promise<boolean>);
  /**
   * When an unanswered question gets the answer `default`, e.g. `{ afterMs: 3_600_000, default: { approved:
   * false, reason: "Nobody has answered." } }`. Default: never.
   */
  expires?: Expiry<ApprovalAnswer>;
}

const OPTIONS: OptionKinds<ApprovalOptions> = {
  name: "string",
  when: "any!",
  expires: "object",
};

const INSTEAD = { tools: "Use `when`.", tool: "Use `when`." };

/** The user's answer to a question of the kind `approval`. */
export interface ApprovalAnswer {
  /** Whether the call may run. */
  approved: boolean;
  /** Why the user did not approve the call. The model reads this text. */
  reason?: string;
}

const answer = /* @__PURE__ */ lazyJsonSchema<ApprovalAnswer>({
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
  additionalProperties: false,
});

/**
 * Asks the user for approval before a tool runs. The question has the kind `approval` and the payload `{
 * tool, input }`; the answer is an {@link ApprovalAnswer}. The call waits for days if necessary, and the
 * process may end in the meantime. The payload of a tool with a source, e.g. of an MCP server, also has its
 * `description`, its `annotations` and its `server`, i.e. the source's `name` and `address`.
 *
 * What runs is what was shown, unless a hook after this one changes it. If the input or such a tool has
 * changed when the answer comes, the user is asked again, and the question's `changed` says what has changed.
 *
 * Put this hook after hooks that change inputs, so that the user sees the input with which the tool will run.
 * If such a hook hides its change (`shown: false`), the payload has `"[hidden]"` in place of each value that
 * the model did not write, and of each name that the tool's schema does not have either.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
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
export function approval<Deps = unknown>(options: ApprovalOptions<Deps>): Hook<Deps> {
  checkOptions("approval()", options, OPTIONS, { instead: INSTEAD });
  const { name = "approval", when, expires } = options;
  // Only checks the option. The expiry is converted again when a question is stored.
  if (expires !== undefined) storedExpiry("approval()", expires, answer, "config");
  const expiry = expires && ({ expires: { ...expires, default: toJson(expires.default) } } as const);
  if (typeof when !== "function" && !Array.isArray(when))
    throw new PawlError(
      "config",
      `\`when\` of approval() must be a list of tool names or a function; got ${kindOf(when)}.`,
    );
  return {
    name,
    guards: true,
    ...(typeof when !== "function" && { tools: when }),
    beforeTool: async (call, context) => {
      if (call.answer !== undefined) {
        const { approved, reason } = call.answer as unknown as ApprovalAnswer;
        if (approved === true) return undefined;
        return { deny: `The user did not approve this call${reason === undefined ? "." : `: ${reason}`}` };
      }
      const needsApproval =
        typeof when === "function" ? await when(call, context) : when.includes(call.tool.name);
      if (!needsApproval) return undefined;
      return {
        ask: {
          kind: "approval",
          payload: { tool: call.tool.name, input: toJson(call.input), ...claimsOf(call.tool) },
          answer,
          ...expiry,
        },
      };
    },
  };
}

/** Returns what somebody else says about a tool; nothing for the application's own. */
function claimsOf({ spec: { description }, annotations = {}, source }: Tool): JsonObject {
  if (source === undefined) return {};
  const { name, address } = source;
  return { description, annotations, server: { name, ...(address !== undefined && { address }) } };
}
