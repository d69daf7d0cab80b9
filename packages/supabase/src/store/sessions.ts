import { type EventStore, PawlError, type Session } from "@pawl/core";
import { checkNames, isName, jsonbText, type RecoverableOptions } from "@pawl/core/store";
import { call, listOf, type Row, type RpcClient } from "../rpc/rpc.ts";
import { toSession } from "./rows.ts";

/** Implements {@link EventStore.sessions}. */
export function sessions(client: RpcClient): EventStore["sessions"] {
  return {
    async create({ id, userId, agent, metadata = {} }) {
      checkNames(id, userId, agent);
      const args = { p_id: id, p_user_id: userId, p_agent: agent, p_metadata: jsonbText(metadata) };
      const { session } = await call(client, "pawl_rpc_create_session", args);
      if (session === null) throw new PawlError("conflict", `There is a session "${id}" already.`);
      return toSession(session as Row);
    },

    async get(id) {
      if (!isName(id)) return undefined;
      const { session } = await call(client, "pawl_rpc_session", { p_id: id });
      return session === null ? undefined : toSession(session as Row);
    },

    async list({ userId, agent, status, limit = 50 }) {
      if (!isName(userId) || (agent !== undefined && !isName(agent))) return [];
      const found = await call(client, "pawl_rpc_sessions", {
        p_user_id: userId,
        p_agent: agent ?? null,
        p_status: status === undefined ? null : JSON.stringify(status.filter(isName)),
        p_limit: int(limit),
      });
      return listOf(found, "sessions").map(toSession);
    },
  };
}

/** Implements {@link EventStore.listRecoverable}. */
export async function listRecoverable(
  client: RpcClient,
  { limit, agents, after }: RecoverableOptions,
): Promise<Session[]> {
  const args = {
    p_limit: int(limit),
    p_agents: agents === undefined ? null : JSON.stringify(agents.filter(isName)),
  };
  const found =
    after === undefined
      ? await call(client, "pawl_rpc_recoverable", args)
      : await call(client, "pawl_rpc_recoverable_after", { ...args, p_after: after });
  return listOf(found, "sessions").map(toSession);
}

/** Returns a limit that fits into a Postgres `integer`. The largest integer stands for no limit. */
function int(limit: number): number {
  return Math.min(limit, 2_147_483_647);
}
