import type { Agent } from "../../agent/agent.ts";
import { delay } from "../../base/clock.ts";
import type { Leg, OpenTask } from "../../leg/leg.ts";
import type { Session } from "../../log/session-row.ts";
import type { CallState, RunState } from "../../session/state.ts";
import { recover } from "../begin/begin.ts";
import { storeStopRequest } from "../begin/stop.ts";
import type { Host } from "../leg/host.ts";
import { childAgent, childName, taskSession } from "./child-session.ts";

/** Returns the sub-agents' tasks that are still open when the run ends. */
export async function openTasks(host: Host, leg: Leg, run: RunState): Promise<readonly OpenTask[]> {
  const tasks: OpenTask[] = [];
  for (const call of run.calls.filter(mayBeOpen)) {
    const agent = agentFor(leg.agent, call);
    const session = await taskSession(host, leg.session, call.callId, call.toolName);
    if (session !== undefined && session.openRun !== null) {
      tasks.push({ end: (signal) => endTask(host, session, agent, signal) });
    }
  }
  return tasks;
}

/** Returns the agent that ends a call's task. */
function agentFor(caller: Agent, { toolName, started }: CallState): Agent {
  const delegate = caller.tools.get(toolName)?.delegate;
  if (delegate !== undefined) return childAgent(delegate, caller.name, toolName, started?.slice ?? {});
  // This version of the caller no longer has the sub-agent. Any agent can end a run that is stopped.
  const own = { name: childName(caller.name, toolName), tools: new Map(), hooks: [], stopWhen: [] };
  const { userData: _, ...rest } = caller;
  return { ...rest, ...own, checkpointWhen: [], whenBusy: "reject" };
}

/**
 * Returns whether a call's task may still be open. It is over if the call succeeded with the sub-agent's last
 * text. Any other result may have been made without the sub-agent.
 */
function mayBeOpen({ started, result }: CallState): boolean {
  if (started?.slice === undefined) return false;
  return result === undefined || !result.data.success || result.data.skipped !== undefined;
}

async function endTask(host: Host, session: Session, agent: Agent, signal: AbortSignal): Promise<void> {
  await storeStopRequest(host, session.id);
  while ((await host.store.sessions.get(session.id))?.openRun != null) {
    const active = host.legs.get(session.id) ?? (await recover(host, session, agent));
    if (active !== undefined) await active.done;
    // A dead process may still hold the lease for a moment.
    else await delay(host.clock, Math.min(host.pollMs, 100), signal);
    signal.throwIfAborted();
  }
}
