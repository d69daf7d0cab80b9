import { fieldsOf, listOf, textOf, textsOf } from "./read.ts";

/** The fields that a person writes of an agent. */
export interface AgentDraft {
  name: string;
  description: string;
  instructions: string;
  /** The sources that it may search; all if the field is absent. */
  sources?: readonly string[];
  sharedWith: "workspace" | readonly string[];
}

/** An agent that somebody has made, or that everybody has. */
export interface CustomAgent extends Omit<AgentDraft, "sharedWith"> {
  id: string;
  /** The e-mail address of its owner; `""` for one that everybody has. */
  owner: string;
  sharedWith: "everyone" | "workspace" | readonly string[];
}

/** The server's routes of agents. Each rejects if the server cannot be reached, or the request is refused. */
export interface AgentServer {
  /** Lists the agents that the person may use. */
  agents(signal: AbortSignal): Promise<readonly CustomAgent[]>;
  /** Makes an agent, or changes the one with the id. Resolves to its id. */
  saveAgent(draft: AgentDraft, id?: string): Promise<string>;
  removeAgent(id: string): Promise<void>;
}

/** The reason of a refusal, in words for the user. */
export class Refusal extends Error {}

/** Connects with the routes below `url`, e.g. `/api/search`. */
export function agentServer(url: string, send: typeof fetch): AgentServer {
  const json = async (path: string, init: RequestInit) => {
    const response = await send(`${url}${path}`, init);
    const body = fieldsOf(await response.json().catch(() => undefined));
    if (response.ok) return body;
    const reason = textOf(fieldsOf(body.get("error")).get("message"));
    throw reason === "" ? new Error(`The server answered ${response.status}.`) : new Refusal(reason);
  };
  const headers = { "content-type": "application/json" };
  return {
    agents: async (signal) => listOf((await json("/agents", { signal })).get("agents")).flatMap(agentOf),
    saveAgent: async (draft, id) => {
      const [path, method] = id === undefined ? ["", "POST"] : [`/${encodeURIComponent(id)}`, "PUT"];
      const body = await json(`/agents${path}`, { method, headers, body: JSON.stringify(draft) });
      return textOf(fieldsOf(body.get("agent")).get("id"));
    },
    removeAgent: async (id) =>
      void (await json(`/agents/${encodeURIComponent(id)}`, { method: "DELETE", headers })),
  };
}

function agentOf(value: unknown): CustomAgent[] {
  const agent = fieldsOf(value);
  const text = (field: string) => textOf(agent.get(field));
  if (text("id") === "") return [];
  const shared = agent.get("sharedWith");
  const sources = textsOf(agent.get("sources"));
  return [
    {
      ...{ id: text("id"), owner: text("owner"), name: text("name") || text("id") },
      ...{ description: text("description"), instructions: text("instructions") },
      sharedWith: shared === "everyone" || shared === "workspace" ? shared : textsOf(shared),
      ...(sources.length > 0 && { sources }),
    },
  ];
}
