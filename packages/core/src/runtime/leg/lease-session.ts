import type { Agent } from "../../agent/agent.ts";
import { loadToContinue, stateOf } from "../../fold/load.ts";
import type { StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { SessionToOpen } from "../../log/store/event-store.ts";
import { SNAPSHOT_VERSION } from "../../log/store/snapshot.ts";
import { openSession } from "../../stores/open-session.ts";
import { accessTo, askedAfter, newAccess, renewed } from "./access.ts";
import type { Callers, OwnAccess } from "./callers.ts";
import type { AskedBy, BegunBy, Host } from "./host.ts";
import { type LeasedParts, type LeasedSession, newLeasedSession } from "./leased-session.ts";
import { sessionCredentials } from "./session-credentials.ts";

/**
 * Acquires the session's lease and loads its state. Returns `undefined` if the lease is taken. The lease is
 * renewed until the leg is over. With `onlyEnds`, the agent stands in for one that is gone and only ends the
 * run, so it is no change of the agent.
 */
export async function leaseSession(
  host: Host,
  session: Session,
  agent: Agent,
  { onlyEnds = false, ...from }: BegunBy & { onlyEnds?: boolean } = {},
): Promise<LeasedSession | undefined> {
  const { store, leaseTtlMs: ttlMs } = host;
  const { id, userId } = session;
  const holder = newHolder(host, from);
  const parts = { session, agent, from, onlyEnds };
  const opening = from.opensOnce === true ? host.storeOnce : store;
  const opened = await opening.open?.({
    id,
    userId,
    agent: session.agent,
    holder,
    ttlMs,
    snapshot: SNAPSHOT_VERSION,
  });
  // `open` grants no lease for a session that has expired, but an open run of it has to be ended.
  if (opened !== undefined && opened.session.status !== "expired") {
    const { lease, session: row } = opened;
    return lease && (await loadLeased(host, { ...parts, lease, row }, () => stateOf(store, opened)));
  }
  const lease = await store.acquire(id, holder, ttlMs);
  if (lease === undefined) return undefined;
  const load = async () => {
    const row = (session.wakeAt === null ? undefined : await store.sessions.get(id)) ?? session;
    return { state: await loadToContinue(store, id), snapshotSeq: undefined, row };
  };
  return await loadLeased(host, { ...parts, lease, row: session }, load);
}

/**
 * Opens a session by its id: checks its owner, acquires its lease and loads its state, in one call of the
 * store. Creates the session if `create` is set. Returns `undefined` if the user has no such session. Its
 * `leased` is `undefined` if the lease is taken, and if the session has expired or belongs to another agent.
 */
export async function leaseSessionOf(
  host: Host,
  wanted: Pick<SessionToOpen, "id" | "userId" | "create">,
  agent: Agent,
  from: BegunBy,
): Promise<{ session: Session; leased: LeasedSession | undefined } | undefined> {
  const holder = newHolder(host, from);
  const wants = { agent: agent.name, holder, ttlMs: host.leaseTtlMs, snapshot: SNAPSHOT_VERSION };
  const opened = await openSession(host.store, { ...wanted, ...wants });
  if (opened === undefined) return undefined;
  const { session, lease } = opened;
  const parts = lease && { session, agent, lease, from, onlyEnds: false, row: session };
  return { session, leased: parts && (await loadLeased(host, parts, () => stateOf(host.store, opened))) };
}

type Loaded = Pick<LeasedParts, "state" | "snapshotSeq">;
type Row = Partial<Pick<LeasedParts, "row">>;

/**
 * Returns a name for the holder of a lease that no other holder has. If the engine lets one worker at a time
 * continue a session, all workers have one name, so that each takes the lease of the one before it at once.
 */
function newHolder(host: Host, { isWoken }: BegunBy): string {
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

/** Makes the callers of a session that the request of `from` has opened. */
export function callersOf(host: Host, session: Session, from: AskedBy): Callers {
  const credentials = sessionCredentials(host.clock, from.credentials);
  const answers: StoredOf<"tool_answered">[] = [];
  let next: { seq: number; access: OwnAccess } | undefined;
  const callers: Callers = {
    ...credentials,
    ofRun: (open) => accessTo(host, session, from, open),
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
      const taken = [...answers];
      const access = await renewed(host, leg, await askedAfter(leg.access, taken, credentials));
      if (access !== undefined) await use(access);
      answers.splice(0, taken.length);
    },
    ofMessage: async ({ seq, data: { caller, credentials: has } }) => {
      if (next?.seq === seq) return next.access;
      const own = has === true ? await credentials.of(seq) : undefined;
      next = { seq, access: newAccess(host, session, { caller, credentials: own }) };
      return next.access;
    },
    ofNextRun: () => next?.access ?? newAccess(host, session, {}),
    close: () => {
      // The next lease of this process may have begun.
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
