import type { Json, JsonObject } from "../../base/json.ts";
import type { SessionEvent } from "../../log/store/live-event.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import { follow } from "../../readers/follow.ts";
import { type CallState, openRun } from "../../session/state.ts";
import type { Host } from "../leg/host.ts";

/** The type of the parts that show a sub-agent's calls. */
const CALL_PART = "data-agent-call";

/** The task whose work is shown. */
interface ShownTask {
  call: CallState;
  /** The sub-agent's name. */
  agent: string;
  /** The sub-agent's session. */
  sessionId: string;
}

/**
 * Shows the calls of a sub-agent to readers of the calling session: as progress of the caller's call, and as
 * parts of the caller's log, so that they are there after a reload. Returns a function that ends this once
 * all calls of the log are shown.
 */
export async function showWork(host: Host, leg: Leg, task: ShownTask): Promise<() => Promise<void>> {
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
    const before = shown.get(call_id) ?? [];
    if (before.includes(phase)) return;
    shown.set(call_id, [...before, phase]);
    const data = { agent, tool_name, call_id, phase, ...(status !== undefined && { message: status }) };
    progress({ agent, tool_name, phase, ...(status !== undefined && { message: status }) });
    stored.push(output.emit({ type: CALL_PART, id: partId(task.call.callId, call_id), data }, data));
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

/** Returns the phases of the sub-agent's calls that earlier processes have shown, by the calls' ids. */
async function shownPhases(leg: Leg, callId: string): Promise<Map<string, Json[]>> {
  const phases = new Map<string, Json[]>();
  for await (const { data } of leg.run.read({ types: ["data_part"] })) {
    if (data.type !== CALL_PART || data.call_id !== callId) continue;
    const { call_id, phase = null } = data.data as { [field: string]: Json };
    const id = String(call_id);
    phases.set(id, [...(phases.get(id) ?? []), phase]);
  }
  return phases;
}
