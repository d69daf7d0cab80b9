import type { Json } from "@pawl/core";

/** Fields that clients send besides their messages. */
interface Beside {
  tools?: Json;
  context?: Json;
  state?: Json;
  forwardedProps?: Json;
}

const UNREAD: { readonly [field in keyof Beside]-?: string } = {
  tools:
    "AG-UI clients send frontend tools, which the agent cannot call. Only one that has the name of a tool of the agent with `suspends` has an effect: it answers that tool's questions.",
  context:
    'AG-UI clients send `context`, which the agent does not read. handler({ extra: { fields: ["context"], read } }) reads it.',
  state:
    'AG-UI clients send `state`, which the agent does not read. handler({ extra: { fields: ["state"], read } }) reads it.',
  forwardedProps:
    'AG-UI clients send `forwardedProps`, which the agent does not read. handler({ extra: { fields: ["forwardedProps"], read } }) reads them.',
};

/** Returns a warning for the developer about each field that is not empty. */
export function unreadIn(input: Beside): string[] {
  return (Object.keys(UNREAD) as (keyof Beside)[]).flatMap((field) =>
    isEmpty(input[field]) ? [] : [UNREAD[field]],
  );
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Names of frontend tools. */
export function toolNames(tools: Json | undefined): string[] {
  const all = Array.isArray(tools) ? tools : [];
  return all.flatMap((tool) => {
    const { name } = tool !== null && typeof tool === "object" && !Array.isArray(tool) ? tool : {};
    return typeof name === "string" ? [name] : [];
  });
}

/** The only tool of a CopilotKit request for dynamic suggestions, which comes on its own thread. */
export const SUGGEST = "copilotkitSuggest";

export const NO_SUGGESTIONS =
  "This agent generates no suggestions, because frontend tools are not run here. Give CopilotKit a fixed list of suggestions instead.";
