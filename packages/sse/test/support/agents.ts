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

export interface AgEvent {
  type: string;
  message?: string;
  code?: string;
  [field: string]: unknown;
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
  runAgent(
    parameters?: { runId?: string; resume?: object[]; tools?: object[] },
    subscriber?: object,
  ): Promise<unknown>;
  connectAgent(parameters?: object, subscriber?: object): Promise<unknown>;
  abortRun(): void;
}

type Input1 = Parameters<Agent1["run"]>[0];
type Input0 = Parameters<Agent0["run"]>[0];

/** Comes back as the README says. */
class ComingBack1 extends Agent1 {
  override connectAgent(...asked: Parameters<Agent1["connectAgent"]>) {
    this.pendingInterrupts = [];
    this.abortController = new AbortController();
    return super.connectAgent(...asked);
  }
  protected override connect(input: Input1) {
    return this.run({ ...input, messages: [] });
  }
}

class ComingBack0 extends Agent0 {
  override connectAgent(...asked: Parameters<Agent0["connectAgent"]>) {
    this.pendingInterrupts = [];
    this.abortController = new AbortController();
    return super.connectAgent(...asked);
  }
  protected override connect(input: Input0) {
    return this.run({ ...input, messages: [] });
  }
}

/** Comes back by `GET /runs/:id/stream`. */
export class Reading extends Agent1 {
  protected override connect(input: Input1) {
    const url = `${this.url}/${encodeURIComponent(input.threadId)}/stream`;
    return transformHttpEventStream(runHttpRequest(() => fetch(url, { headers: this.headers })));
  }
}

export type Version = "0.0.59" | "1.0";

/** The real agent of one version. */
export function httpAgent(
  version: Version,
  served: Pick<Served, "url">,
  { threadId = crypto.randomUUID() as string, as = "ada", messages = [] as AgMessage[] } = {},
): Agent {
  const options = {
    url: `${served.url}/runs`,
    threadId,
    headers: { authorization: `Bearer ${as}` },
    initialMessages: messages as never[],
  };
  const made = version === "1.0" ? new ComingBack1(options) : new ComingBack0(options);
  return made as unknown as Agent;
}

/** A page of the thread that has just been loaded: it has what `GET /runs/:id` has. */
export async function reloaded(version: Version, served: Served, threadId: string): Promise<Agent> {
  const response = await served.ask(`/runs/${encodeURIComponent(threadId)}`);
  const { messages, pendingInterrupts } = (await response.json()) as Pick<
    Agent,
    "messages" | "pendingInterrupts"
  >;
  const agent = httpAgent(version, served, { threadId, messages });
  agent.pendingInterrupts = pendingInterrupts;
  return agent;
}

/** What a page sends beside the messages. */
interface RunParameters {
  resume?: object[];
  tools?: object[];
}

/** Says something and waits for what comes of it; resolves to the events of the run. */
export async function say(agent: Agent, content: string, parameters: RunParameters = {}): Promise<AgEvent[]> {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
  return await run(agent, parameters);
}

/** Runs, and resolves to the events; rejects as the agent does. */
export async function run(agent: Agent, parameters: RunParameters = {}): Promise<AgEvent[]> {
  return await collected((subscriber) => agent.runAgent(parameters, subscriber));
}

/** Connects, and resolves to the events. */
export async function connect(agent: Agent): Promise<AgEvent[]> {
  return await collected((subscriber) => agent.connectAgent({}, subscriber));
}

async function collected(work: (subscriber: object) => Promise<unknown>): Promise<AgEvent[]> {
  const events: AgEvent[] = [];
  await work({
    onEvent: ({ event }: { event: AgEvent }) => {
      events.push(event);
    },
  });
  return events;
}

/** Why the run was refused or failed, if it was. */
export function errorOf(events: readonly AgEvent[]): string | undefined {
  return events.find(({ type }) => type === "RUN_ERROR")?.message;
}

/** The messages in short. */
export function talk({ messages }: Agent): string[] {
  return messages.map(({ role, content, toolCalls }) => {
    const calls = (toolCalls ?? []).map((call) => `${call.function.name}(${call.function.arguments})`);
    return [role, ...(content === undefined || content === "" ? [] : [content]), ...calls].join(" ");
  });
}
