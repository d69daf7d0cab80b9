import type { StoredEvent } from "@pawl/core";
import {
  type AppendCall,
  type AppendOptions,
  appendInSql,
  batchText,
  keysOf,
  type NewEvent,
  type Refused,
  tryUntilApplied,
} from "@pawl/core/store";
import { call, listOf, type Row, type RpcClient } from "../rpc/rpc.ts";
import { toEvent } from "./rows.ts";

/** Implements {@link EventStore.append}. */
export async function append(
  client: RpcClient,
  sessionId: string,
  events: readonly NewEvent[],
  options: AppendOptions,
): Promise<readonly StoredEvent[]> {
  const log = {
    append: async (prepared: AppendCall) => {
      const args = appendArgs(prepared);
      const { base, at } = await tryUntilApplied(() => call(client, "pawl_rpc_append", args));
      return base === null ? undefined : { base: Number(base), at: String(at) };
    },
    explain: async (prepared: AppendCall) =>
      await explain(client, sessionId, prepared.appendId, keysOf(prepared)),
  };
  return await appendInSql(log, sessionId, events, options);
}

function appendArgs(prepared: AppendCall): Record<string, unknown> {
  const { heads, payloads } = batchText(prepared);
  return {
    p_session_id: prepared.sessionId,
    p_append_id: prepared.appendId,
    p_version: prepared.version,
    p_size: prepared.events.length,
    p_heads: heads,
    p_payloads: payloads,
    p_lease_epoch: prepared.leaseEpoch,
    p_lease_holder: prepared.leaseHolder,
    p_after_seq: prepared.afterSeq,
    p_release: prepared.release,
    p_patch: prepared.patch,
  };
}

/** Returns why an append was refused; `undefined` if there is no such session. */
async function explain(
  client: RpcClient,
  sessionId: string,
  appendId: string,
  keys: readonly string[],
): Promise<Refused | undefined> {
  const found = await call(client, "pawl_rpc_explain", {
    p_session_id: sessionId,
    p_append_id: appendId,
    p_keys: JSON.stringify(keys),
  });
  const session = found.session as Row | null;
  if (session === null) return undefined;
  return {
    lastSeq: Number(session.last_sequence),
    leaseHolder: session.lease_holder as string | null,
    leaseEpoch: Number(session.lease_epoch),
    before: listOf(found, "before").map((row) => toEvent(sessionId, row)),
    taken: found.taken === null ? undefined : toEvent(sessionId, found.taken as Row),
  };
}
