import type { Agent } from "../../agent/agent.ts";
import type { Session } from "../../log/session-row.ts";
import type { Access } from "../../loop/leg/leg-access.ts";
import { handOverTarget } from "../../session/queued.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import { newAccess } from "./access.ts";
import type { Callers, OwnAccess } from "./callers.ts";
import { type Host, noSuchAgent } from "./host.ts";
import { isTaskSession } from "./task-session.ts";

/** A session, its state, and its own agent. */
interface Spoken {
  host: Host;
  session: Session;
  agent: Agent;
  state: SessionState;
}

/** A session whose lease this process holds. */
interface Leased extends Spoken {
  callers: Callers;
}

/**
 * Returns the agent that has the conversation: the session's own, or the one to which a run has handed it
 * over. A run that starts may replace a waiting run that has handed over.
 *
 * If this runtime lacks that agent, reports it once. The session's own agent then starts the next run, and
 * its {@link standIn} ends the open one.
 */
export function speaking({ host, session, agent, state }: Spoken, starts: boolean): Agent {
  const name = (starts ? handOverTarget(state.run) : undefined) ?? state.handedTo?.name ?? agent.name;
  if (name === agent.name || isTaskSession(session)) return agent;
  const other = host.agents.get(name);
  if (other !== undefined) return other;
  if (!host.lacking.has(name)) host.report(noSuchAgent(host, name, ` "${agent.name}" continues.`));
  host.lacking.add(name);
  return starts ? agent : standIn(agent);
}

/** Returns an agent that only ends the run of an agent that is gone: this one without tools and hooks. */
export function standIn({ toolsFor: _, userData: __, ...agent }: Agent): Agent {
  return { ...agent, tools: new Map(), hooks: [] };
}

/** Returns the access of the run that has started in the append which ended the run of `current`. */
export function accessOfNext({ host, session, state, callers }: Leased, current: Access): OwnAccess {
  // A run that starts by a hand-over alone goes on for the same caller. Otherwise it has messages, which no
  // request contains yet.
  const { caller, credentials } = current;
  const isHandedOver = (openRun(state)?.handOvers ?? 0) > 0 && state.queued.length === 0;
  return isHandedOver ? newAccess(host, session, { caller, credentials }) : callers.ofNextRun();
}
