import type { NewEvent } from "../../log/event.ts";
import { isReserved } from "../../log/event-keys.ts";
import type { Leg } from "../../loop/leg/leg.ts";

/**
 * Types of events that must be stored as the model wrote or reads them. The model never reads credentials.
 */
const AS_WRITTEN: ReadonlySet<string> = new Set(["assistant_message", "tool_call", "llm_request"]);

/** Fields of Pawl's own events that refer to something by its name, which must stay. */
const REFERENCES = ["tool_name", "call_id", "by", "agent", "idempotency_key", "child", "run_id", "prefix_id"];

/** Returns an event that repeats no credentials. Pawl's own keys and references stay. */
export function hiddenEvent(event: NewEvent, hide: Leg["hide"]): NewEvent {
  if (AS_WRITTEN.has(event.type)) return event;
  const key = event.key === undefined || isReserved(event.key) ? {} : { key: hide(event.key) };
  const data = hide<unknown>(event.data);
  if (event.type.includes(".")) return { ...event, ...key, data } as NewEvent;
  const kept = Object.entries(event.data as object).filter(([name]) => REFERENCES.includes(name));
  return { ...event, ...key, data: { ...(data as object), ...Object.fromEntries(kept) } } as NewEvent;
}
