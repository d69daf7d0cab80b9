import type { Agent } from "../../agent/agent.ts";
import type { Session } from "../../log/session-row.ts";
import type { Access } from "../../loop/leg/leg-access.ts";
import { handOverTarget } from "../../session/queued.ts";
import { openRun, type RunState, type SessionState } from "../../session/state.ts";
import { newAccess } from "./access.ts";
import type { Callers, OwnAccess } from "./callers.ts";
import { type Host, noSuchAgent } from "./host.ts";
import { isTaskSession } from "./task-session.ts";

/** A session whose lease this process holds. `agent` is the session's own. */
interface Leased {
  host: Host;
  session: Session;
  agent: Agent;
  state: SessionState;
  callers: Callers;
}

/**
 * Returns the agent that has the conversation: the session's own, or the one to which a run has handed it
 * over. A run that starts may replace a waiting run that has handed over.
 *
 * @throws PawlError `not_found` if this runtime lacks the agent
 */
export function speaking({ host, session, agent, state }: Leased, starts: boolean): Agent {
  const name = (starts ? handOverTarget(state.run) : undefined) ?? state.agent ?? agent.name;
  if (name === agent.name || isTaskSession(session)) return agent;
  const other = host.agents.get(name);
  if (other === undefined) throw noSuchAgent(host, name);
  return other;
}

/** Returns the access of the run that has started in the append which ended the run of `current`. */
export function accessOfNext({ host, session, state, callers }: Leased, current: Access): OwnAccess {
  // A run that starts by a hand-over alone goes on for the same caller. Otherwise it has messages, which no
  // request contains yet.
  const { caller, credentials } = current;
  const isHandedOver = (openRun(state)?.handOvers ?? 0) > 0 && state.queued.length === 0;
  return isHandedOver ? newAccess(host, session, { caller, credentials }) : callers.ofNextRun();
}

/**
 * Returns the agent of a waiting run that a run of the agent `next` replaces. They differ if the waiting run
 * has handed over.
 */
export function agentOfRun({ agents }: Host, run: RunState, next: Agent): Agent {
  return next.name === run.agent ? next : (agents.get(run.agent) ?? next);
}
