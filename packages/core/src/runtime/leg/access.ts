import { withinDeadline } from "../../base/deadline.ts";
import { hideTextsOf } from "../../base/hide-texts.ts";
import { isEqualJson, type JsonObject } from "../../base/json.ts";
import { once } from "../../base/once.ts";
import type { Access, Leg } from "../../leg/leg.ts";
import type { StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import { lacksCredentials } from "../../loop/loop.ts";
import type { AskedBy, HeldCredentials, Host } from "./host.ts";

/** An access that also has its dependencies, once they are made. */
export interface OwnAccess extends Access {
  /** The value that the runtime's `deps` returned; `undefined` until `makeDeps` has settled. */
  readonly deps: unknown;
}

/** Returns the access of a caller: its `deps` are made for that caller and its credentials alone. */
export function newAccess(host: Host, session: Session, { caller = {}, credentials }: AskedBy): OwnAccess {
  const access: { -readonly [part in keyof OwnAccess]: OwnAccess[part] } = {
    caller,
    credentials,
    deps: undefined,
    hasDeps: false,
    makeDeps: once(() => {
      const take = (deps: unknown) => {
        access.deps = deps;
        access.hasDeps = true;
        return deps;
      };
      try {
        const made = host.deps(session, { caller, credentials });
        return isThenable(made) ? made.then(take) : Promise.resolve(take(made));
      } catch (error) {
        return Promise.reject(error);
      }
    }),
  };
  return access;
}

/** Returns a caller as it is stored: without the credentials, which it may repeat. */
export function storedCaller({ caller, credentials }: AskedBy): JsonObject | undefined {
  return caller && hideTextsOf(credentials)(caller);
}

/**
 * Returns the access for an open run that this process continues: the run's own caller, and the credentials
 * of the request if its caller is the same one or absent. Otherwise one workspace's token would act for
 * another workspace.
 */
export function accessToOpen(host: Host, session: Session, from: AskedBy, caller: JsonObject): OwnAccess {
  const isOwn = from.caller === undefined || isEqualJson(storedCaller(from), caller);
  return newAccess(host, session, { caller, credentials: isOwn ? from.credentials : undefined });
}

/** Returns whether an answer came with a caller or credentials. */
export function namesCaller({ data }: StoredOf<"tool_answered">): boolean {
  return data.caller !== undefined || data.credentials === true;
}

/**
 * Returns the caller and credentials after these answers, which are in the order of the log. A new caller
 * never gets the credentials of the earlier one: if its own are not in this process, it has none.
 */
async function askedAfter(
  { caller: first, credentials: held }: AskedBy & { caller: JsonObject },
  answers: readonly StoredOf<"tool_answered">[],
  came: HeldCredentials,
): Promise<AskedBy & { caller: JsonObject }> {
  let caller = first;
  let credentials = held;
  for (const { seq, data } of answers) {
    const brought = data.credentials === true ? await came.of(seq) : undefined;
    const isOther = data.caller !== undefined && !isEqualJson(data.caller, caller);
    credentials = brought ?? (isOther ? undefined : credentials);
    caller = data.caller ?? caller;
  }
  return { caller, credentials };
}

function isThenable(made: unknown): made is Promise<unknown> {
  return typeof (made as { then?: unknown } | null | undefined)?.then === "function";
}

/** The accesses of the runs that queued messages start. */
interface NextAccesses {
  /** Returns the access of the run that a message starts. */
  of(message: StoredOf<"user_message">): Promise<OwnAccess>;
  /** Returns what `of` last returned. */
  last(): OwnAccess;
}

/**
 * Makes the accesses of the next runs of a session. Each has only the caller and credentials of its message.
 */
export function accessesOf(host: Host, session: Session, held: HeldCredentials): NextAccesses {
  let last: { seq: number; access: OwnAccess } | undefined;
  return {
    of: async ({ seq, data: { caller, credentials } }) => {
      if (last?.seq === seq) return last.access;
      const own = credentials === true ? await held.of(seq) : undefined;
      last = { seq, access: newAccess(host, session, { caller, credentials: own }) };
      return last.access;
    },
    last: () => last?.access ?? newAccess(host, session, {}),
  };
}

/**
 * Returns the access after these answers, with its dependencies made; `undefined` if nothing has changed.
 * Rejects with the error of `deps`, unless the run can only ask for credentials or end.
 */
export async function renewed(
  host: Host,
  { session, life, log, caller, credentials }: Leg,
  answers: readonly StoredOf<"tool_answered">[],
  held: HeldCredentials,
): Promise<OwnAccess | undefined> {
  const asked = await askedAfter({ caller, credentials }, answers, held);
  if (asked.credentials === credentials && isEqualJson(asked.caller, caller)) return undefined;
  const access = newAccess(host, session, asked);
  const deps = withinDeadline(life, access.makeDeps());
  await (lacksCredentials({ log, credentials: asked.credentials }) ? deps.catch(() => undefined) : deps);
  return access;
}
