import { checkNames, isName, jsonbText, type OpenedSession, type SessionToOpen } from "@pawl/core/store";
import { call, listOf, type Row, type RpcClient } from "../rpc/rpc.ts";
import { toEvent, toSession } from "./rows.ts";

/** Implements {@link EventStore.open}. */
export async function open(
  client: RpcClient,
  { id, userId, agent, create, holder, ttlMs, afterSeq = 0 }: SessionToOpen,
): Promise<OpenedSession | undefined> {
  checkNames(holder);
  if (create !== undefined) checkNames(id, userId, agent);
  if (!isName(id) || !isName(userId) || !isName(agent)) return undefined;
  const opened = await call(client, "pawl_rpc_open", {
    p_id: id,
    p_user_id: userId,
    p_agent: agent,
    p_metadata: create === undefined ? null : jsonbText(create.metadata ?? {}),
    p_holder: holder,
    p_ttl_ms: ttlMs,
    p_after_seq: afterSeq,
  });
  const { session, epoch } = opened;
  if (session === null) return undefined;
  const lease = epoch === null ? undefined : { sessionId: id, holder, epoch: Number(epoch) };
  const events = listOf(opened, "events").map((row) => toEvent(id, row));
  return { session: toSession(session as Row), lease, events };
}
