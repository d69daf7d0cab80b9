import { HttpAgent as Agent1, runHttpRequest, transformHttpEventStream } from "@ag-ui/client";
import { HttpAgent as Agent0 } from "@ag-ui/client-0.0.59";
import type { Served } from "./served.ts";

export interface AgMessage {
  id: string;
  role: string;
  content?: string;
  toolCalls?: { id: string; function: { name: string; arguments: string } }[];
  toolCallId?: string;
}

export interface Interrupt {
  id: string;
  reason: string;
  toolCallId?: string;
  responseSchema?: unknown;
  metadata?: Record<string, unknown>;
}

/** What both versions' agents have in common. */
export interface Agent {
  messages: AgMessage[];
  pendingInterrupts: Interrupt[];
  threadId: string;
  addMessage(message: AgMessage): void;
  setMessages(messages: AgMessage[]): void;
  runAgent(parameters?: { runId?: string; resume?: object[] }, subscriber?: object): Promise<unknown>;
  connectAgent(parameters?: object): Promise<unknown>;
  abortRun(): void;
}

/** Comes back by `GET /runs/:id/stream`, as the README says. */
class ComingBack extends Agent1 {
  protected override connect(input: Parameters<Agent1["run"]>[0]) {
    const url = `${this.url}/${encodeURIComponent(input.threadId)}/stream`;
    return transformHttpEventStream(runHttpRequest(() => fetch(url, { headers: this.headers })));
  }
}

/** The real agent of one version. */
export function httpAgent(
  version: "0.0.59" | "1.0",
  served: Served,
  { threadId = crypto.randomUUID() as string, as = "ada" } = {},
): Agent {
  const options = { url: `${served.url}/runs`, threadId, headers: { authorization: `Bearer ${as}` } };
  const made = version === "1.0" ? new ComingBack(options) : new Agent0(options);
  return made as unknown as Agent;
}

/** Says something and waits for what comes of it; resolves to the events of the run. */
export async function say(
  agent: Agent,
  content: string,
  parameters: { resume?: object[] } = {},
): Promise<{ type: string }[]> {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
  return await run(agent, parameters);
}

/** Runs, and resolves to the events; rejects as the agent does. */
export async function run(agent: Agent, parameters: { resume?: object[] } = {}): Promise<{ type: string }[]> {
  const events: { type: string }[] = [];
  await agent.runAgent(parameters, {
    onEvent: ({ event }: { event: { type: string } }) => {
      events.push(event);
    },
  });
  return events;
}

/** The messages in short. */
export function talk({ messages }: Agent): string[] {
  return messages.map(({ role, content, toolCalls }) => {
    const calls = (toolCalls ?? []).map((call) => `${call.function.name}(${call.function.arguments})`);
    return [role, ...(content === undefined || content === "" ? [] : [content]), ...calls].join(" ");
  });
}
