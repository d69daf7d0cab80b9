import type { Hook } from "../hooks/hook.ts";
import type { Schema } from "../schema/schema.ts";
import { tool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentOptions } from "./agent.ts";

/** The tag in which the model reads the instructions of a role. */
export const ROLE_TAG = "role";

/** Returns the name of the tool that hands the conversation over to a role. */
export function transferTo(role: string): string {
  return `transfer_to_${role}`;
}

/**
 * Returns the tools of the agent and its roles, and the function `tools`, if there is one: it then returns
 * all of them. Each role that another one names in `to` gets a tool for the hand-over.
 */
export function toolsIn<Deps>({ tools = [], roles = {} }: Pick<AgentOptions<Deps>, "tools" | "roles">): {
  tools: readonly Tool<Deps>[];
  toolsFor?: Extract<AgentOptions<Deps>["tools"], (...given: never) => unknown>;
} {
  const all = Object.entries(roles);
  const targets = new Set(all.flatMap(([, { to = [] }]) => to));
  const transfers = all.flatMap(([name, { description = "" }]) =>
    targets.has(name) ? transferTool<Deps>(name, description) : [],
  );
  const added = [...new Set(all.flatMap(([, role]) => role.tools ?? [])), ...transfers];
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

function transferTool<Deps>(role: string, description: string): Tool<Deps> {
  return tool({
    name: transferTo(role),
    description: `Hands the conversation over to the role "${role}". ${description}`.trim(),
    input: NO_INPUT,
    // Only the result counts, and the same role may be called again.
    idempotent: true,
    repeatable: true,
    execute: (_input, { setMode }) => {
      setMode(role);
      return `The role "${role}" continues.`;
    },
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

/** Returns the hook that protects the tag of roles, and lets only the first transfer of a turn run. */
export function rolesHooks(roles: object | undefined): Hook[] {
  if (roles === undefined) return [];
  const transfers = Object.keys(roles).map(transferTo);
  const beforeTool: Hook["beforeTool"] = ({ tool: { name }, callId }, { run: { turn } }) => {
    if (!transfers.includes(name)) return undefined;
    const first = turn?.calls.find(
      ({ toolName }) => transfers.includes(toolName) && turn.tools?.includes(toolName),
    );
    if (first === undefined || first.callId === callId) return undefined;
    return { result: `Not run: "${first.toolName}" came first in this turn.`, skipped: "surplus" };
  };
  return [{ name: "roles", tags: [ROLE_TAG], beforeTool }];
}
