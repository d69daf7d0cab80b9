import { type JsonObject, jsonSchema, type Tool, tool } from "@pawl/core";
import { McpFailure } from "../base/failure.ts";
import { callerOf } from "../base/user.ts";
import type { ToolLists } from "./list.ts";
import { toolNameOf } from "./names.ts";
import { askToSignIn, notSignedIn, type SignInAsker } from "./sign-in-question.ts";

/**
 * Returns the tool with which a model asks the user to sign in to a server. It is always there, because the
 * server's own tools may be unknown until the user has signed in, and tools must not change during a run.
 */
export function signInTool<Deps>({ options, pool }: SignInAsker<Deps>, lists: ToolLists<Deps>): Tool<Deps> {
  const { name } = options;
  const made = tool({
    name: toolNameOf(name, "sign_in"),
    description: `Asks the user to sign in to "${name}". Use it if the user wants something from "${name}" and is not signed in there, e.g. if its other tools are missing.`,
    input: jsonSchema<JsonObject>({ type: "object", properties: {} }),
    category: `mcp::${name}`,
    idempotent: true,
    repeatable: true,
    execute: async (_, context) => {
      if (context.answered?.value === false) throw notSignedIn(name, false);
      try {
        await lists.of(await pool.of(callerOf(context as never)));
      } catch (error) {
        if (!(error instanceof McpFailure) || error.code !== "mcp_unauthorized") throw error;
        return await askToSignIn({ options, pool }, context as never, error);
      }
      return `The user is signed in to "${name}". Tools of it that were missing are there from the user's next message on.`;
    },
  });
  return made as unknown as Tool<Deps>;
}
