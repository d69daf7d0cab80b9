import type { Hook } from "../hooks/hook.ts";
import type { Schema } from "../schema/schema.ts";
import { tool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentOptions } from "./agent.ts";

/** The tag in which the model reads the instructions of a role. */
export const ROLE_TAG = "role";

/** Returns the name of the tool that hands the conversation over to a role or an agent. */
export function transferTo(name: string): string {
  return `transfer_to_${name}`;
}

/**
 * Returns the tools of the agent and its roles, and the function `tools`, if there is one: it then returns
 * all of them. Each role that another one names in `to`, and each agent in `handOverTo`, gets a tool for the
 * hand-over.
 */
export function toolsIn<Deps>({
  tools = [],
  roles = {},
  handOverTo = {},
}: Pick<AgentOptions<Deps>, "tools" | "roles" | "handOverTo">): {
  tools: readonly Tool<Deps>[];
  toolsFor?: Extract<AgentOptions<Deps>["tools"], (...given: never) => unknown>;
} {
  const all = Object.entries(roles);
  const targets = new Set(all.flatMap(([, { to = [] }]) => to));
  const transfers = all.flatMap(([name, { description = "" }]) =>
    targets.has(name) ? roleTransfer<Deps>(name, description) : [],
  );
  const handOvers = Object.entries(handOverTo).map(([name, use]) => agentTransfer<Deps>(name, use));
  const added = [...new Set(all.flatMap(([, role]) => role.tools ?? [])), ...transfers, ...handOvers];
  if (typeof tools !== "function") return { tools: [...tools, ...added] };
  if (added.length === 0) return { tools: [], toolsFor: tools };
  return {
    tools: [],
    toolsFor: async (source) => {
      const own = await tools(source);
      // The runtime refuses anything else.
      return Array.isArray(own) ? [...own, ...added] : own;
    },
  };
}

function roleTransfer<Deps>(role: string, description: string): Tool<Deps> {
  return transferTool("role", role, description, (_input, { setMode }) => {
    setMode(role);
    return `The role "${role}" continues.`;
  });
}

/** Returns the tool that ends the run and hands the conversation over to another agent. */
// The other agent reads the notes of this agent's roles.
function agentTransfer<Deps>(name: string, description: string): Tool<Deps> {
  const result = `The agent "${name}" continues. Earlier notes on roles are void.`;
  return {
    ...transferTool<Deps>("agent", name, description, () => result),
    endsRun: true,
    handsOverTo: name,
  };
}

function transferTool<Deps>(
  kind: "role" | "agent",
  name: string,
  description: string,
  execute: NonNullable<Tool["execute"]>,
): Tool<Deps> {
  return tool({
    name: transferTo(name),
    description: `Hands the conversation over to the ${kind} "${name}". ${description}`.trim(),
    input: NO_INPUT,
    // Only the result counts, and the same role may be called again.
    idempotent: true,
    repeatable: true,
    execute,
  }) as unknown as Tool<Deps>;
}

const EMPTY_OBJECT = () => ({ type: "object", properties: {} });

const NO_INPUT: Schema = {
  "~standard": {
    version: 1,
    vendor: "pawl",
    validate: (value) => ({ value }),
    jsonSchema: { input: EMPTY_OBJECT, output: EMPTY_OBJECT },
  },
};

/**
 * Returns the hook that protects the tag of roles, lets only the first transfer of a turn run, and limits
 * the hand-overs to other agents.
 */
export function rolesHooks(roles: object | undefined, handOverTo: object = {}): Hook[] {
  const transfers = [...Object.keys(roles ?? {}), ...Object.keys(handOverTo)].map(transferTo);
  if (transfers.length === 0) return [];
  const beforeTool: Hook["beforeTool"] = (call, { run }) =>
    transfers.includes(call.tool.name)
      ? import("./hand-overs.ts").then(({ surplusTransfer }) => surplusTransfer(transfers, call, run))
      : undefined;
  return [{ name: "roles", ...(roles && { tags: [ROLE_TAG] }), beforeTool }];
}
