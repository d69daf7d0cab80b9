import type { Agent } from "../../agent/agent.ts";
import type { Session } from "../../log/session-row.ts";
import type { EventStore } from "../../log/store/event-store.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import type { AcceptingAgent } from "../../tools/offered-tools.ts";
import type { Host } from "./host.ts";
import { isTaskSession } from "./task-session.ts";

/**
 * Returns the agent that has the conversation of a session: the session's own agent, or the one to which it
 * was handed over. If the runtime lacks that one, the session's own agent continues. Reads the log only if an
 * agent of the runtime has `handOverTo`. Returns `undefined` if the runtime lacks the session's agent.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { speakingAgent } from "@pawl/core/store";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([{ tools: [{ name: "transfer_to_billing", input: {} }] }]);
 * const desk = agent({ name: "desk", model, instructions: "x", handOverTo: { billing: "Invoices." } });
 * const answers = scriptedModel([{ text: "You owe 7 euros." }]);
 * const billing = agent({ name: "billing", model: answers, instructions: "x" });
 * const pawl = runtime({ agents: [desk, billing], store: memoryStore() });
 *
 * const { sessionId: id } = await pawl.run("desk", { userId: "ada", input: "What do I owe?" }).result;
 * console.log((await speakingAgent(pawl, { id, agent: "desk" }))?.name); // billing
 * ```
 */
export async function speakingAgent(
  runtime: { readonly agents: ReadonlyMap<string, Agent>; readonly store: Pick<EventStore, "read"> },
  session: Pick<Session, "id" | "agent">,
): Promise<Agent | undefined> {
  return (await agentsInSession(runtime, session)).speaks;
}

/** Returns the agent of the session's last run, and the one that has the conversation after that run. */
export async function agentsInSession(
  { agents, store }: Parameters<typeof speakingAgent>[0],
  { id, agent }: Pick<Session, "id" | "agent">,
): Promise<{ ran: Agent | undefined; speaks: Agent | undefined }> {
  const own = agents.get(agent);
  if ([...agents.values()].every(({ handOverTo }) => handOverTo === undefined))
    return { ran: own, speaks: own };
  let ran = agent;
  let afterSeq = 0;
  for await (const { type, data, seq } of store.read(id, { types: ["run_started"] })) {
    if (type === "run_started") [ran, afterSeq] = [data.agent, seq];
  }
  let speaks = ran;
  for await (const { type, data } of store.read(id, { afterSeq, types: ["tool_result"] })) {
    if (type === "tool_result") speaks = data.hand_over_to ?? speaks;
  }
  return { ran: agents.get(ran) ?? own, speaks: agents.get(speaks) ?? own };
}

/**
 * Returns the agents that may have the conversation in sessions of this agent: the agent itself, and all
 * agents that a hand-over or several can reach from it.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { speakersOf } from "@pawl/core/store";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const model = scriptedModel([]);
 * const desk = agent({ name: "desk", model, instructions: "x", handOverTo: { billing: "Invoices." } });
 * const billing = agent({ name: "billing", model, instructions: "x" });
 * const pawl = runtime({ agents: [billing, desk], store: memoryStore() });
 * console.log(speakersOf(pawl, "desk").map(({ name }) => name)); // [ 'desk', 'billing' ]
 * ```
 */
export function speakersOf(runtime: { readonly agents: ReadonlyMap<string, Agent> }, agent: string): Agent[] {
  // The set grows while it is read.
  const names = new Set([agent]);
  const speakers: Agent[] = [];
  for (const name of names) {
    const speaker = runtime.agents.get(name);
    if (speaker === undefined) continue;
    speakers.push(speaker);
    for (const target of Object.keys(speaker.handOverTo ?? {})) names.add(target);
  }
  return speakers;
}

/**
 * Returns the name of the open run's agent if the conversation was handed over to it and this runtime lacks
 * it; otherwise `undefined`.
 */
export function lackedAgent({ agents }: Host, session: Session, state: SessionState): string | undefined {
  const name = openRun(state)?.agent;
  if (name === undefined || name === session.agent || isTaskSession(session)) return undefined;
  return agents.has(name) ? undefined : name;
}

/**
 * Returns the agent by whose options offered tools are checked. A page offers its tools with every message,
 * and does not know which agent speaks. So an agent without `clientTools` ignores them if another agent of
 * the conversation accepts them.
 */
export function acceptingAgent(speaker: Agent, speakers: readonly Agent[]): AcceptingAgent {
  return {
    ...speaker,
    hooks: speakers.flatMap(({ hooks }) => hooks),
    resultTags: speakers.flatMap(({ resultTag = [] }) => resultTag),
    clientTools: speakers.some(({ clientTools }) => clientTools),
  };
}
