import { PawlError } from "../../base/errors.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import { MOST_TAGS } from "../../context/own-tags.ts";
import { checkAppendable } from "../../hooks/check-appendable.ts";
import type { Leg } from "../../leg/leg.ts";
import type { AppendableEvent } from "../../log/event.ts";

/**
 * Stores an event of a hook or a tool. Resolves to `false` if its key is stored already, so that code which
 * runs again after a crash stores it once.
 *
 * @param whose `hook` or `tool`
 * @throws PawlError `invalid_input` for events that a hook or tool may not store
 */
export async function appendOnce(leg: Leg, whose: string, event: AppendableEvent): Promise<boolean> {
  checkAppendable(whose, event);
  checkTagHere(leg, event);
  // A hook of Pawl's own may have been called before what is held was stored. Another process may come first,
  // so that the hook has seen what the log does not have.
  await leg.log.barrier();
  try {
    await leg.log.add([event]);
    return true;
  } catch (error) {
    if (event.key !== undefined && PawlError.is(error, "key_taken")) return false;
    throw error;
  }
}

/** Checks that this agent and session can use the event's tag. */
function checkTagHere({ agent, log }: Leg, event: AppendableEvent): void {
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
