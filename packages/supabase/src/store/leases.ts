import { type AcquiredLease, checkNames, isName, type Lease, noSession } from "@pawl/core/store";
import { call, type RpcClient } from "../rpc/rpc.ts";
import { acquiredAt } from "./rows.ts";

/** Implements {@link EventStore.acquire}. */
export async function acquire(
  client: RpcClient,
  sessionId: string,
  holder: string,
  ttlMs: number,
): Promise<AcquiredLease | undefined> {
  checkNames(holder);
  if (!isName(sessionId)) throw noSession(sessionId);
  const args = { p_session_id: sessionId, p_holder: holder, p_ttl_ms: ttlMs };
  const { epoch, known, at } = await call(client, "pawl_rpc_acquire", args);
  if (known !== true) throw noSession(sessionId);
  return epoch === null ? undefined : { sessionId, holder, epoch: Number(epoch), acquiredAt: acquiredAt(at) };
}

/** Implements {@link EventStore.renew}. */
export async function renew(client: RpcClient, lease: Lease, ttlMs: number): Promise<boolean> {
  if (!isName(lease.sessionId) || !isName(lease.holder)) return false;
  const { renewed } = await call(client, "pawl_rpc_renew", { ...argsOf(lease), p_ttl_ms: ttlMs });
  return renewed === true;
}

/** Implements {@link EventStore.release}. */
export async function release(client: RpcClient, lease: Lease): Promise<void> {
  if (!isName(lease.sessionId) || !isName(lease.holder)) return;
  await call(client, "pawl_rpc_release", argsOf(lease));
}

function argsOf({ sessionId, holder, epoch }: Lease): Record<string, unknown> {
  return { p_session_id: sessionId, p_holder: holder, p_epoch: epoch };
}
