import type { Agent } from "../agent.ts";
import { PawlError } from "../errors.ts";
import type { NewEvent, StoredEvent, StoredOf } from "../events/event.ts";
import { REDACTED } from "../events/redacted.ts";
import type { Session } from "../events/session-row.ts";
import type { Host } from "../host.ts";
import { isToolUse } from "../model/content.ts";
import { atRest } from "../session/at-rest.ts";
import type { SessionState } from "../session/state.ts";
import { userDataBlock } from "./user-data.ts";

/**
 * Takes back what the event `seq` says, together with the events that say the same: calls and questions of an answer,
 * the answer behind a result. What precedes later answers changes by it, so a new prefix begins.
 *
 * @throws PawlError `invalid_input` for an event that the model does not read, `session_busy` while a run is open.
 */
export async function redact(host: Host, session: Session, agent: Agent, seq: number): Promise<void> {
  await atRest(host, session, agent, async (state) => {
    const log: StoredEvent[] = [];
    for await (const event of host.store.read(session.id)) log.push(event);
    const target = log[seq - 1];
    const found = target === undefined ? [] : sameText(log, target);
    if (found.length === 0) throw new PawlError("invalid_input", "There is nothing to redact in this event.");
    const events = found.map((event): NewEvent => ({ type: "redaction", data: nameOf(event) }));
    return { result: undefined, events: [...events, ...newPrefix(state, target?.type, host.newId())] };
  });
}

const TARGETS: readonly string[] = [
  "user_message",
  "assistant_message",
  "tool_result",
  "knowledge",
  "artifact",
  "note",
  "checkpoint",
  "prefix",
];

/** The event and those that repeat it; none if it says nothing. */
function sameText(log: readonly StoredEvent[], target: StoredEvent): StoredEvent[] {
  if (!TARGETS.includes(target.type)) return [];
  if (target.type === "prefix") return log.filter(({ type }) => type === "prefix");
  const calls = target.type === "assistant_message" ? target.data.content.filter(isToolUse) : [];
  const asking = new Set(calls.map(({ id }) => id));
  return log.filter((event) => {
    if (event === target) return true;
    if (event.type === "tool_call" || event.type === "tool_suspended") return asking.has(event.data.call_id);
    if (event.type === "tool_started")
      return event.data.input !== undefined && asking.has(event.data.call_id);
    return (
      event.type === "tool_answered" &&
      target.type === "tool_result" &&
      event.data.call_id === target.data.call_id
    );
  });
}

/** What is redacted, so that a reader that sees only this event knows where to look. */
function nameOf(event: StoredEvent): StoredOf<"redaction">["data"] {
  const { seq, type: of } = event;
  if (event.type === "assistant_message") return { seq, of, attempt: event.data.attempt };
  return "call_id" in (event.data as object)
    ? { seq, of, call_id: (event.data as { call_id: string }).call_id }
    : { seq, of };
}

function newPrefix({ prefix }: SessionState, of: string | undefined, prefix_id: string): NewEvent[] {
  if (prefix === undefined) return [];
  const { system, tools } = prefix;
  const blocks =
    of === "prefix" && system.length > 1 ? [...system.slice(0, 1), userDataBlock(REDACTED)] : system;
  return [{ type: "prefix", data: { prefix_id, system: blocks, tools } }];
}
