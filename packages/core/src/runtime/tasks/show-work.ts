import type { Json, JsonObject } from "../../base/json.ts";
import type { SessionEvent } from "../../log/store/live-event.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { TaskWork } from "../../loop/leg/task-types.ts";
import { follow } from "../../readers/follow.ts";
import { type CallState, openRun } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";

/** The type of the parts that show a sub-agent's calls. */
const CALL_PART = "data-agent-call";

/** The task whose work is shown. */
interface ShownTask {
  /** The id of the call or the task that the sub-agent works on. */
  id: string;
  /** The caller's call with which the work is shown. */
  call: CallState;
  /** The sub-agent's name. */
  agent: string;
  /** The sub-agent's session. */
  sessionId: string;
}

/**
 * Shows the work on a task to readers of the calling session, as far as they may see it. Returns a function
 * that ends this; `undefined` if nothing is to be ended.
 */
export async function showTask(
  host: Host,
  leg: Leg,
  { call: { callId: id }, agent: { name: agent }, shown }: TaskWork,
  session_id: string,
): Promise<(() => Promise<void>) | undefined> {
  if (shown === undefined) return undefined;
  const { callId: call_id, toolName: tool_name } = shown.with;
  leg.readers.live.agents.set(id, { tool_name, agent, session_id, ...(id !== call_id && { call_id }) });
  leg.readers.touch();
  if (shown.what === "text") return undefined;
  return await showWork(host, leg, { id, call: shown.with, agent, sessionId: session_id });
}

/**
 * Shows the calls of a sub-agent to readers of the calling session: as progress of the caller's call, and as
 * parts of the caller's log, so that they are there after a reload. Returns a function that ends this once
 * all calls of the log are shown.
 */
async function showWork(host: Host, leg: Leg, task: ShownTask): Promise<() => Promise<void>> {
  const { callOutput } = await leg.parts.load();
  const output = callOutput(leg, task.call);
  const shown = await shownPhases(leg, task.call.callId);
  const progress = (value: JsonObject) => output.progress({ value, json: value }, { conflate: false });
  // A reader that waited for the store would miss the progress of short calls.
  const stored: Promise<void>[] = [];
  const show = (event: SessionEvent) => {
    // The call may have got its result without the sub-agent, e.g. because its time was up.
    if (leg.life.lost || task.call.result !== undefined || openRun(leg.log.state) === undefined) return;
    const { agent } = task;
    if (event.type === "tool_progress")
      progress({ agent, tool_name: event.data.tool_name, data: event.data.data });
    if (event.type !== "tool_started" && event.type !== "tool_result") return;
    const { call_id, tool_name, status } = event.data;
    const phase = event.type === "tool_started" ? "start" : event.data.success ? "done" : "error";
    const id = partId(task.id, call_id);
    const before = shown.get(id) ?? [];
    if (before.includes(phase)) return;
    shown.set(id, [...before, phase]);
    const data = { agent, tool_name, call_id, phase, ...(status !== undefined && { message: status }) };
    progress({ agent, tool_name, phase, ...(status !== undefined && { message: status }) });
    stored.push(output.emit({ type: CALL_PART, id, data }, data));
    stored.at(-1)?.catch(() => undefined);
  };
  const end = new AbortController();
  const following = (async () => {
    for await (const event of follow(host, task.sessionId, { signal: end.signal })) show(event);
  })().catch(() => undefined);
  return async () => {
    end.abort();
    await following;
    const types = ["tool_started", "tool_result"] as const;
    for await (const event of host.store.read(task.sessionId, { types })) show(event);
    await Promise.allSettled(stored);
    await output.end();
  };
}

const partId = (callId: string, ownId: string) => `${callId}:${ownId}`.slice(0, 200);

/** Returns the phases of the sub-agent's calls that earlier processes have shown, by their parts' ids. */
async function shownPhases(leg: Leg, callId: string): Promise<Map<string, Json[]>> {
  const phases = new Map<string, Json[]>();
  for await (const { data } of leg.run.read({ types: ["data_part"] })) {
    if (data.type !== CALL_PART || data.call_id !== callId) continue;
    const { phase = null } = data.data as { [field: string]: Json };
    const { id = "" } = data;
    phases.set(id, [...(phases.get(id) ?? []), phase]);
  }
  return phases;
}
