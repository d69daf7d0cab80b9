import type { Session } from "../../log/session-row.ts";
import type { RecoverableOptions } from "../../log/store/event-store.ts";
import type { Host } from "../leg/host.ts";

/** The number of recoverable sessions that are listed at a time. */
export const PAGE = 100;

/**
 * Lists the recoverable sessions of this runtime's agents, page by page and each one once. Adds their ids to
 * `seen`. The first page has the sessions that were not updated for the longest time.
 *
 * Sessions that were listed may stay recoverable, e.g. while they wait for a place. So the other pages go by
 * the ids: the rows of all pages are about as many as there are sessions.
 */
export async function* recoverablePages(
  { store, agents }: Host,
  seen: Set<string>,
): AsyncGenerator<readonly Session[], void, undefined> {
  const list = (options: Partial<RecoverableOptions>) =>
    store.listRecoverable({ limit: PAGE, agents: [...agents.keys()], ...options });
  const unseen = (listed: readonly Session[]) => {
    const fresh = listed.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    return fresh;
  };
  const oldest = await list({});
  if (oldest.length === 0) return;
  yield unseen(oldest);
  let repeated = 0;
  // Only the sessions of the first page are listed twice. If there are more, the store ignores `after`.
  for (let after = ""; repeated <= PAGE; ) {
    const listed = await list({ after });
    const last = listed.at(-1);
    if (last === undefined) return;
    after = last.id;
    const fresh = unseen(listed);
    repeated += listed.length - fresh.length;
    yield fresh;
  }
  for (;;) {
    // Sessions that were seen are listed again, so the page has extra room for them.
    const fresh = unseen(await list({ limit: PAGE + seen.size }));
    if (fresh.length === 0) return;
    yield fresh;
  }
}
