import type { StoredEvent } from "@pawl/core";
import { isName, type ReadOptions, readPages } from "@pawl/core/store";
import { call, listOf, type RpcClient } from "../rpc/rpc.ts";
import { toEvent } from "./rows.ts";

/** Implements {@link EventStore.read}, page by page. */
export function read(
  client: RpcClient,
  sessionId: string,
  options: ReadOptions = {},
): AsyncIterable<StoredEvent> {
  const types = options.types === undefined ? null : JSON.stringify(options.types.filter(isName));
  return readPages(async (afterSeq, limit) => {
    const events: StoredEvent[] = [];
    let more = isName(sessionId);
    // The database returns fewer events than requested if more would be too large for one response.
    while (more && events.length < limit) {
      const page = await call(client, "pawl_rpc_events", {
        p_session_id: sessionId,
        p_after_seq: events.at(-1)?.seq ?? afterSeq,
        p_types: types,
        p_limit: limit - events.length,
      });
      events.push(...listOf(page, "events").map((row) => toEvent(sessionId, row)));
      more = page.more === true;
    }
    return events;
  }, options);
}
