import { checkOptions, kindOf, type OptionKinds } from "../base/check-options.ts";
import { PawlError } from "../base/errors.ts";
import type { Hook, RunContext } from "./hook.ts";
import type { PlannedToolCall } from "./tool-change.ts";

/** Options of `permissions()`. */
export interface PermissionOptions<Deps = unknown> {
  /**
   * The names of the allowed tools for each type of session. A session's type is the mode that a tool has
   * set, or else its `metadata.type`.
   */
  allow: { readonly [type: string]: readonly string[] };
  /** The names of the allowed tools in sessions of any other type, or without a type. Default: none. */
  otherwise?: readonly string[];
  /**
   * Checks a call of an allowed tool, e.g. its input. To deny the call, return the reason as a sentence for
   * the model.
   */
  check?(call: PlannedToolCall, context: RunContext<Deps>): string | undefined | Promise<string | undefined>;
}

const OPTIONS: OptionKinds<PermissionOptions> = { allow: "object!", otherwise: "list", check: "function" };

/**
 * Lets a tool run only if it is allowed for the session's type: the mode that a tool has set, or else
 * `metadata.type`. If the call is refused, the model is told which tools are allowed. All tools are sent to
 * the model in every session, so the cached prompt stays valid when the mode changes.
 *
 * @throws PawlError `config` for unknown, missing and invalid options.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, permissions, runtime, tool } from "@pawl/core";
 * import { strictModel } from "@pawl/testing";
 * import * as z from "zod";
 *
 * const save = tool({
 *   name: "save",
 *   description: "Saves a note.",
 *   input: z.object({ text: z.string() }),
 *   execute: () => "ok",
 * });
 * const model = strictModel({
 *   script: [{ tools: [{ name: "save", input: { text: "x" } }] }, { text: "I may not." }],
 * });
 * const pawl = runtime({
 *   agents: [
 *     agent({
 *       name: "a",
 *       model,
 *       instructions: "Help.",
 *       tools: [save],
 *       hooks: [permissions({ allow: { talk: [], work: ["save"] } })],
 *     }),
 *   ],
 *   store: memoryStore(),
 * });
 * const { actions } = await pawl.run("a", { userId: "u", input: "Save it", metadata: { type: "talk" } })
 *   .result;
 * console.log(actions[0]?.result); // "save" is not allowed in "talk". …
 * ```
 */
export function permissions<Deps = unknown>(options: PermissionOptions<Deps>): Hook<Deps> {
  checkOptions("permissions()", options, OPTIONS, { instead: { deny: "Use `check`." } });
  const { allow, otherwise = [], check } = options;
  for (const [type, names] of Object.entries(allow)) {
    if (!Array.isArray(names))
      throw new PawlError(
        "config",
        `\`allow["${type}"]\` of permissions() must be a list of tool names; got ${kindOf(names)}.`,
      );
  }
  return {
    name: "permissions",
    guards: true,
    beforeTool: async (call, context) => {
      const { type } = context;
      const hasOwnList = type !== undefined && Object.hasOwn(allow, type);
      const allowed = (hasOwnList ? allow[type] : undefined) ?? otherwise;
      const { name } = call.tool;
      if (!allowed.includes(name)) {
        const hint = allowed.length === 0 ? "No tool is." : `Allowed are: ${allowed.join(", ")}.`;
        return { deny: `"${name}" is not allowed${type === undefined ? "" : ` in "${type}"`}. ${hint}` };
      }
      const reason = await check?.(call, context);
      return reason === undefined ? undefined : { deny: reason };
    },
  };
}
