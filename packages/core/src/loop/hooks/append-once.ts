import { PawlError } from "../../base/errors.ts";
import { checkAppendable } from "../../hooks/check-appendable.ts";
import type { Leg } from "../../leg/leg.ts";
import type { AppendableEvent } from "../../log/appendable-event.ts";

/**
 * Stores an event of a hook or a tool. Resolves to `false` if its key is stored already, so that code which
 * runs again after a crash stores it once.
 *
 * @param whose `hook` or `tool`
 * @throws PawlError `invalid_input` for events that a hook or tool may not store
 */
export async function appendOnce(leg: Leg, whose: string, event: AppendableEvent): Promise<boolean> {
  checkAppendable(whose, event);
  try {
    await leg.log.append([event]);
    return true;
  } catch (error) {
    if (event.key !== undefined && PawlError.is(error, "key_taken")) return false;
    throw error;
  }
}
