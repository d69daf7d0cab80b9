import type { Json } from "@pawl/core";

/** The fields of a request, other than its messages, that clients may fill in. */
interface Beside {
  tools?: Json;
  context?: Json;
  state?: Json;
  forwardedProps?: Json;
}

const UNREAD: { readonly [field in keyof Beside]-?: string } = {
  tools:
    'AG-UI clients send frontend tools, which the agent cannot call: it needs `clientTools: true`. Without it, a frontend tool has an effect only if the agent has a tool with runsIn: "client" or `suspends` under the same name.',
  context:
    'AG-UI clients send `context`, which the agent does not read. handler({ extra: { fields: ["context"], read } }) reads it.',
  state:
    'AG-UI clients send `state`, which the agent does not read. handler({ extra: { fields: ["state"], read } }) reads it.',
  forwardedProps:
    'AG-UI clients send `forwardedProps`, which the agent does not read. handler({ extra: { fields: ["forwardedProps"], read } }) reads them.',
};

/** Returns a warning for the developer about each of these fields that the client has filled in. */
export function unreadIn(input: Beside): string[] {
  return (Object.keys(UNREAD) as (keyof Beside)[]).flatMap((field) =>
    isEmpty(input[field]) || (field === "state" && isOwnState(input.state)) ? [] : [UNREAD[field]],
  );
}

/** Returns whether a state has only the output that the agent has put there. */
function isOwnState(state: Json | undefined): boolean {
  return typeof state === "object" && Object.keys(state ?? {}).join() === "output";
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Returns the names of frontend tools. */
export function toolNames(tools: Json | undefined): string[] {
  const all = Array.isArray(tools) ? tools : [];
  return all.flatMap((tool) => {
    const { name } = tool !== null && typeof tool === "object" && !Array.isArray(tool) ? tool : {};
    return typeof name === "string" ? [name] : [];
  });
}

/**
 * The name of the only tool in CopilotKit's requests for dynamic suggestions. Such a request has a separate
 * thread.
 */
export const SUGGEST = "copilotkitSuggest";

export const NO_SUGGESTIONS =
  "This agent generates no suggestions, because frontend tools are not run here. Give CopilotKit a fixed list of suggestions instead.";
