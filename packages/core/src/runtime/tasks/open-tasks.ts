import type { Agent } from "../../agent/agent.ts";
import { agentOf } from "../../agent/agent-tool.ts";
import { delay } from "../../base/clock.ts";
import { isEqualJson } from "../../base/json.ts";
import { loadState } from "../../fold/load.ts";
import type { Session } from "../../log/session-row.ts";
import { tokensOf } from "../../log/tokens.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { OpenTask, UnchargedUse } from "../../loop/leg/task-types.ts";
import { validateFor } from "../../loop/leg/validate-for.ts";
import { chooseAgent } from "../../parts/tasks.ts";
import type { CallState, RunState } from "../../session/state.ts";
import type { Delegate, Tool } from "../../tools/tool.ts";
import { recover } from "../begin/begin.ts";
import { storeStopRequest } from "../begin/stop.ts";
import type { Host } from "../leg/host.ts";
import { standIn } from "../leg/speaking.ts";
import { isTask } from "../leg/task-session.ts";
import { childAgent, taskSession } from "./child-session.ts";
import { newArtifacts } from "./task-artifacts.ts";
import { spentSince } from "./task-outcome.ts";

/**
 * Returns the sub-agents' tasks that are still open when the run ends, or whose use it was not charged for.
 */
export async function openTasks(host: Host, leg: Leg, run: RunState): Promise<readonly OpenTask[]> {
  const tasks: OpenTask[] = [];
  for (const call of [...run.calls.filter(mayBeOpen), ...run.tasks.filter(({ over }) => !over)]) {
    const session = await taskSession(host, leg.run.session, call.callId, call.toolName);
    if (session === undefined || (session.openRun === null && isCharged(call, session))) continue;
    const slice = call.started?.slice ?? {};
    const chosen = await agentOfCall(leg, call);
    const agent = childAgent(chosen ?? standIn(leg.run.agent), leg.run.agent.name, call.toolName, slice);
    const task = { session, agent, call, onlyEnds: chosen === undefined };
    tasks.push({ call, end: (signal) => endTask(host, leg, task, signal) });
  }
  return tasks;
}

/**
 * Returns the sub-agent that works on a call or a task; `undefined` if the tool or the agent is gone, or
 * another process has begun the task.
 */
async function agentOfCall(leg: Leg, call: CallState): Promise<Agent | undefined> {
  const ofTask = leg.once.tasks.agents.get(call.callId);
  if (ofTask !== undefined) return agentOf(ofTask);
  const tool = leg.run.agent.tools.get(call.toolName);
  const chosen = tool?.delegate && (await chooseAgain(leg, tool, tool.delegate, call).catch(() => undefined));
  return chosen !== undefined && "agent" in chosen ? agentOf(chosen.agent) : undefined;
}

/**
 * Chooses the agent of a call as when the call started; `undefined` if the call's input is no longer valid.
 */
async function chooseAgain(leg: Leg, tool: Tool, delegate: Delegate, call: CallState) {
  if (delegate.fixed !== undefined) return { agent: delegate.fixed };
  const args = call.started?.input ?? call.arguments;
  const input = await validateFor(leg, tool.input, args);
  return input.ok ? await chooseAgent(leg, delegate, call, input.value) : undefined;
}

/**
 * Returns whether a call's task may still be open. It is over if the call succeeded with the sub-agent's last
 * text. Any other result may have been made without the sub-agent.
 */
function mayBeOpen(call: CallState): boolean {
  const { result } = call;
  if (!isTask(call)) return false;
  return result === undefined || !result.data.success || result.data.skipped !== undefined;
}

/** Returns whether the caller was charged for all tokens and costs of the sub-agent's session. */
function isCharged({ charged }: CallState, { usage, costUsd }: Session): boolean {
  return costUsd === charged.costUsd && isEqualJson(tokensOf(usage), tokensOf(charged.usage));
}

/**
 * Stops a task, waits until its run has ended, and returns what the caller's log lacks of it.
 */
async function endTask(
  host: Host,
  leg: Leg,
  { session, agent, call, onlyEnds }: { session: Session; agent: Agent; call: CallState; onlyEnds: boolean },
  signal: AbortSignal,
): Promise<UnchargedUse | undefined> {
  if (session.openRun !== null) await storeStopRequest(host, session.id);
  while ((await host.store.sessions.get(session.id))?.openRun != null) {
    const active = host.atWork.get(session.id) ?? (await recover(host, session, agent, { onlyEnds }));
    if (active !== undefined) await active.done;
    // A dead process may still have the lease for a moment.
    else await delay(host.clock, Math.min(host.pollMs, 100), signal);
  }
  return await unchargedUse(host, leg, { session, call });
}

/** Returns the use of a task and its artifacts that the caller's log lacks; `undefined` without any. */
async function unchargedUse(
  host: Host,
  leg: Leg,
  { session: { id }, call }: { session: Session; call: CallState },
): Promise<UnchargedUse | undefined> {
  const { run } = await loadState(host.store, id);
  if (run === undefined) return undefined;
  const spent = spentSince(call, run);
  const artifacts = await newArtifacts(host, leg, id);
  if (spent.tokens.total === 0 && spent.cost_cents === 0 && artifacts.length === 0) return undefined;
  let model = "";
  for await (const event of host.store.read(id, { types: ["llm_request"] }))
    if (event.type === "llm_request") model = event.data.model;
  return { model, spent, artifacts };
}
