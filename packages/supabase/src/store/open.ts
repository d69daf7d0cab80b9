import {
  checkNames,
  checkText,
  isName,
  jsonbText,
  type OpenedSession,
  type SessionToOpen,
  type Snapshot,
} from "@pawl/core/store";
import { call, listOf, type Row, type RpcClient } from "../rpc/rpc.ts";
import { acquiredAt, toEvent, toSession } from "./rows.ts";

/** Implements {@link EventStore.open}. */
export async function open(
  client: RpcClient,
  { id, userId, agent, create, holder, ttlMs, afterSeq = 0, snapshot: version }: SessionToOpen,
): Promise<OpenedSession | undefined> {
  checkNames(holder);
  if (create !== undefined) checkNames(id, userId, agent);
  if (!isName(id) || !isName(userId) || !isName(agent)) return undefined;
  const answer = await call(client, "pawl_rpc_open_session", {
    p_id: id,
    p_user_id: userId,
    p_agent: agent,
    p_metadata: create === undefined ? null : jsonbText(create.metadata ?? {}),
    p_holder: holder,
    p_ttl_ms: ttlMs,
    p_after_seq: afterSeq,
    p_snapshot: version ?? null,
  });
  const { opened, seq, state, at } = answer as {
    opened: Row;
    seq: number | null;
    state: string;
    at: unknown;
  };
  const { session, epoch } = opened;
  if (session === null) return undefined;
  const lease =
    epoch === null ? undefined : { sessionId: id, holder, epoch: Number(epoch), acquiredAt: acquiredAt(at) };
  const events = listOf(opened, "events").map((row) => toEvent(id, row));
  return {
    session: toSession(session as Row),
    lease,
    events,
    ...(seq !== null && { snapshot: { seq, state } }),
  };
}

/** Implements {@link EventStore.saveSnapshot}. */
export async function saveSnapshot(
  client: RpcClient,
  sessionId: string,
  { version, seq, state }: Snapshot,
): Promise<void> {
  if (!isName(sessionId)) return;
  checkNames(version);
  checkText(state);
  await call(client, "pawl_rpc_save_snapshot", {
    p_session_id: sessionId,
    p_version: version,
    p_seq: seq,
    p_state: state,
  });
}
