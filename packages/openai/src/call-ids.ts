import { isToolUse, type Message } from "@pawl/core";

/** Ids that every API accepts. Shorter ids do not match, because servers repeat them in later answers. */
const USABLE = /^[a-zA-Z0-9_-]{9,64}$/;

/**
 * Makes a function that returns the id under which a call is stored. Some servers give no ids, number them
 * from the start in every answer, or use characters that other APIs refuse. Such a call gets a new id. The
 * server need not know it, because the next request has both the call and its result.
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
