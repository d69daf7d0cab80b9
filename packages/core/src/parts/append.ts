import { PawlError } from "../base/errors.ts";
import { invalidInput } from "../base/invalid-input.ts";
import type { Json } from "../base/json.ts";
import { MOST_TAGS } from "../context/own-tags.ts";
import { checkAppendable } from "../hooks/check-appendable.ts";
import type { AppendableEvent, NewEvent } from "../log/event.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { openRun } from "../session/state.ts";

/** The longest payload of an event that a tool appends, as JSON, in UTF-16 code units. */
const MOST_EVENT_CHARS = 1_000_000;

/**
 * Stores an event of a hook or a tool. `json` is that of its data, see `Given`. Resolves to `false` if its
 * key is stored already.
 *
 * @throws PawlError `invalid_input` for events that a hook or tool may not store
 */
export async function appendEvent(
  leg: Leg,
  whose: "hook" | "tool",
  event: AppendableEvent,
  json: Json | undefined,
): Promise<boolean> {
  if (whose === "tool") return await appendOnce(leg, whose, checkedEvent(event, json));
  if (openRun(leg.log.state) === undefined)
    throw new Error("The run has ended, so a hook can append nothing more.");
  checkAppendable(whose, event);
  return await appendOnce(leg, whose, { ...event, data: json } as AppendableEvent);
}

/** Checks an event of a tool, and returns it with its data as JSON. */
function checkedEvent(event: AppendableEvent, json: Json | undefined): AppendableEvent {
  if ((event as { type?: unknown } | null | undefined)?.type === "artifact")
    throw invalidInput("A tool stores an artifact with `context.createArtifact()`.");
  checkAppendable("tool", event);
  const { type, key } = event;
  if (json === undefined) throw invalidInput("The data of an event must be JSON.");
  const { length } = JSON.stringify(json);
  if (length > MOST_EVENT_CHARS)
    throw invalidInput(
      `The data of an event must have at most ${MOST_EVENT_CHARS} characters; got ${length}.`,
    );
  return { type, data: json, ...(key !== undefined && { key }) } as AppendableEvent;
}

/**
 * Stores an event of a hook or a tool. Resolves to `false` if its key is stored already, so that code which
 * runs again after a crash stores it once.
 */
async function appendOnce(leg: Leg, whose: string, event: AppendableEvent): Promise<boolean> {
  checkAppendable(whose, event);
  checkTagHere(leg, event);
  return await addOnce(leg, event);
}

/** Stores an event, and others with it. Resolves to `false` if its key is stored already. */
export async function addOnce(leg: Leg, event: NewEvent, others: readonly NewEvent[] = []): Promise<boolean> {
  // Pawl's own hooks are called while events are held. If another process has stored something first, the
  // barrier rejects, because the hook has seen a state that is void.
  await leg.log.barrier();
  try {
    await leg.log.add([event, ...others]);
    return true;
  } catch (error) {
    if (event.key !== undefined && PawlError.is(error, "key_taken")) return false;
    throw error;
  }
}

/** Checks that this agent and session can use the event's tag. */
function checkTagHere({ log, run: { agent } }: Leg, event: AppendableEvent): void {
  const tag = event.type === "note" || event.type === "knowledge" ? event.data.tag?.toLowerCase() : undefined;
  if (tag === undefined) return;
  if (tag === agent.resultTag?.toLowerCase())
    throw invalidInput(`\`tag\` must not be "${tag}", which is the agent's resultTag.`);
  const { ownTags } = log.state;
  if (!ownTags.has(tag) && ownTags.size >= MOST_TAGS)
    throw invalidInput(
      `A session can use at most ${MOST_TAGS} tags of your own; "${tag}" would be one more.`,
    );
}
