import type { Agent } from "../../agent/agent.ts";
import { loadToContinue, stateOf } from "../../fold/load.ts";
import type { StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { SessionToOpen } from "../../log/store/event-store.ts";
import { SNAPSHOT_VERSION } from "../../log/store/snapshot.ts";
import { openSession } from "../../stores/open-session.ts";
import { accessTo, callerAfter, makeRenewedAccess, newAccess } from "./access.ts";
import type { Callers, OwnAccess } from "./callers.ts";
import type { CallerOptions, Host, LegOptions } from "./host.ts";
import { type LeasedParts, type LeasedSession, newLeasedSession } from "./leased-session.ts";
import { sessionCredentials } from "./session-credentials.ts";

/**
 * Acquires the session's lease and loads its state. Returns `undefined` if the lease is taken. The lease is
 * renewed until the leg is over. `onlyEnds` means that `agent` only ends the run of an agent that the runtime
 * lacks. Then no change of the agent is logged.
 */
export async function leaseSession(
  host: Host,
  session: Session,
  agent: Agent,
  { onlyEnds = false, ...from }: LegOptions & { onlyEnds?: boolean } = {},
): Promise<LeasedSession | undefined> {
  const { store, leaseTtlMs: ttlMs } = host;
  const { id, userId } = session;
  const holder = newHolder(host, from);
  const parts = { session, agent, from, onlyEnds };
  const openingStore = from.opensOnce === true ? host.storeOnce : store;
  const opened = await openingStore.open?.({
    id,
    userId,
    agent: session.agent,
    holder,
    ttlMs,
    snapshot: SNAPSHOT_VERSION,
  });
  // `open` grants no lease for an expired session. An open run of it has to be ended, so `acquire` grants it.
  if (opened !== undefined && opened.session.status !== "expired") {
    const { lease, session: row } = opened;
    return lease && (await loadLeased(host, { ...parts, lease, row }, () => stateOf(store, opened)));
  }
  const lease = await store.acquire(id, holder, ttlMs);
  if (lease === undefined) return undefined;
  const load = async () => {
    // If the run waits for a time, the row is read again: only the current one says whether it still waits.
    const row = (session.wakeAt === null ? undefined : await store.sessions.get(id)) ?? session;
    return { state: await loadToContinue(store, id), snapshotSeq: undefined, row };
  };
  return await loadLeased(host, { ...parts, lease, row: session }, load);
}

/**
 * Opens a session by its id: checks its owner, acquires its lease and loads its state, in one call of the
 * store. Creates the session if `create` is set. Returns `undefined` if the user has no such session. The
 * result has no `leased` if the lease is taken, or if the session has expired or belongs to another agent.
 */
export async function leaseSessionOf(
  host: Host,
  target: Pick<SessionToOpen, "id" | "userId" | "create">,
  agent: Agent,
  from: LegOptions,
): Promise<{ session: Session; leased: LeasedSession | undefined } | undefined> {
  const holder = newHolder(host, from);
  const options = { agent: agent.name, holder, ttlMs: host.leaseTtlMs, snapshot: SNAPSHOT_VERSION };
  const opened = await openSession(host.store, { ...target, ...options });
  if (opened === undefined) return undefined;
  const { session, lease } = opened;
  const parts = lease && { session, agent, lease, from, onlyEnds: false, row: session };
  return { session, leased: parts && (await loadLeased(host, parts, () => stateOf(host.store, opened))) };
}

type Loaded = Pick<LeasedParts, "state" | "snapshotSeq">;
type Row = Partial<Pick<LeasedParts, "row">>;

/**
 * Returns the name under which a lease is acquired. It is unique for each lease. If an exclusive engine has
 * woken the session, all workers use one name. A worker can then take over an earlier worker's lease at once.
 */
function newHolder(host: Host, { isWoken }: LegOptions): string {
  if (host.engine?.isExclusive && isWoken) return "engine";
  return `${host.holder()}/${host.newId()}`;
}

/** Makes a leased session with the state that `load` returns. Releases the lease on failure. */
async function loadLeased(
  host: Host,
  parts: Omit<LeasedParts, "host" | "callers" | keyof Loaded>,
  load: () => Promise<Loaded & Row>,
): Promise<LeasedSession> {
  const { session, lease, from } = parts;
  const callers = callersOf(host, session, from);
  try {
    return newLeasedSession({ ...parts, ...(await load()), host, callers });
  } catch (error) {
    callers.close();
    await host.store.release(lease).catch(() => undefined);
    throw error;
  }
}

/**
 * Makes the `Callers` of a session, and registers them in the host. The request `from` opened the session.
 */
export function callersOf(host: Host, session: Session, from: CallerOptions): Callers {
  const credentials = sessionCredentials(host.clock, from.credentials);
  const answers: StoredOf<"tool_answered">[] = [];
  /** The access of the newest queued message. */
  let queued: { seq: number; access: OwnAccess } | undefined;
  const callers: Callers = {
    ...credentials,
    ofRun: (run) => accessTo(host, session, from, run),
    note: (event) => {
      if (event.type === "run_started") answers.length = 0;
      if (event.type === "tool_answered" && namesCaller(event)) answers.push(event);
    },
    get hasNew() {
      return answers.length > 0;
    },
    forget: () => {
      answers.length = 0;
    },
    renew: async (leg, use) => {
      // More answers may arrive while this waits. They stay for the next call.
      const known = [...answers];
      const access = await makeRenewedAccess(host, leg, await callerAfter(leg.access, known, credentials));
      if (access !== undefined) await use(access);
      answers.splice(0, known.length);
    },
    ofMessage: async ({ seq, data: { caller, credentials: hasCredentials } }) => {
      if (queued?.seq === seq) return queued.access;
      const own = hasCredentials === true ? await credentials.of(seq) : undefined;
      queued = { seq, access: newAccess(host, session, { caller, credentials: own }) };
      return queued.access;
    },
    ofNextRun: () => queued?.access ?? newAccess(host, session, {}),
    close: () => {
      // This process may have acquired the next lease already, with other callers.
      if (host.callers.get(session.id) === callers) host.callers.delete(session.id);
    },
  };
  host.callers.set(session.id, callers);
  return callers;
}

/** Returns whether an answer came with a caller or credentials. */
function namesCaller({ data }: StoredOf<"tool_answered">): boolean {
  return data.caller !== undefined || data.credentials === true;
}
