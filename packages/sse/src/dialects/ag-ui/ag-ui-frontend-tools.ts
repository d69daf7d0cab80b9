import type { Json, JsonObject, Question, RunOptions } from "@pawl/core";

/** Tools as a run gets them from its client. */
type Offered = NonNullable<RunOptions["clientTools"]>;

/**
 * Returns the frontend tools of a request that the agent does not have itself, as the run gets them. A page
 * also names the agent's own tools that it runs or answers; those stay the agent's.
 */
export function offeredIn(tools: Json | undefined, own: ReadonlySet<string>): Offered {
  const all = Array.isArray(tools) ? tools : [];
  return all.flatMap((tool) => {
    const { name, description, parameters } = Object(tool) as JsonObject;
    if (typeof name === "string" && own.has(name)) return [];
    // Core checks the rest, and says what is wrong with it.
    return [
      {
        name: name as string,
        ...(description !== undefined && { description: description as string }),
        ...(isSchema(parameters) && { inputSchema: parameters as JsonObject }),
      },
    ];
  });
}

/** Without parameters, clients send nothing, `null` or an empty object. */
function isSchema(parameters: Json | undefined): boolean {
  return parameters !== undefined && parameters !== null && Object.keys(Object(parameters)).length > 0;
}

/**
 * Returns whether a question is a call that a frontend tool of the page runs. Such a call is sent without a
 * result and without an interrupt. The tool of a sub-agent is no such tool: the page knows its call by
 * another name.
 */
export function isFrontendCall({ clientTool, toolName }: Question): boolean {
  return clientTool === toolName;
}
