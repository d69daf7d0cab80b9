import { isToolUse, type Message } from "@pawl/core";

/** As a later request can carry it, and not one that is counted up from zero in every answer. */
const USABLE = /^[a-zA-Z0-9_-]{9,64}$/;

/**
 * Says by which id a call is known. Servers leave ids out, begin to count anew with every answer, or put
 * characters into them that other APIs refuse; such a call gets an id of ours. Nobody else has to know it:
 * the next request tells the server both the call and its result.
 */
export function callIds(
  messages: readonly Message[],
  newId: () => string,
): (given: string | undefined) => string {
  const taken = new Set(messages.flatMap(({ content }) => content.filter(isToolUse).map(({ id }) => id)));
  return (given) => {
    const id = given !== undefined && USABLE.test(given) && !taken.has(given) ? given : newId();
    taken.add(id);
    return id;
  };
}
