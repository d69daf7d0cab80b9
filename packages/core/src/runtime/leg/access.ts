import { withinDeadline } from "../../base/deadline.ts";
import { hideInError } from "../../base/hide-in-error.ts";
import { hideTextsOf } from "../../base/hide-texts.ts";
import { isEqualJson, type JsonObject } from "../../base/json.ts";
import { once } from "../../base/once.ts";
import type { StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { LegAccess } from "../../loop/leg/leg.ts";
import type { LegLife } from "../../loop/leg/leg-life.ts";
import { lacksCredentials } from "../../loop/loop.ts";
import type { RunState } from "../../session/state.ts";
import type { Callers, CallersLeg, OwnAccess, SessionCredentials } from "./callers.ts";
import type { AskedBy, Host } from "./host.ts";

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
 * Returns the access for the open run that this process continues: the run's own caller, and the credentials
 * of the request if its caller is the same one or absent. Otherwise one workspace's token would act for
 * another workspace. Without an open run, returns the access of the request.
 */
export function accessTo(
  host: Host,
  session: Session,
  from: AskedBy,
  open: Pick<RunState, "caller"> | undefined,
): OwnAccess {
  if (open === undefined) return newAccess(host, session, from);
  const { caller } = open;
  const isOwn = from.caller === undefined || isEqualJson(storedCaller(from), caller);
  return newAccess(host, session, { caller, credentials: isOwn ? from.credentials : undefined });
}

/**
 * Returns the caller and credentials after these answers, which are in the order of the log. A new caller
 * never gets the credentials of the earlier one: if its own are not in this process, it has none.
 */
export async function askedAfter(
  { caller: first, credentials: held }: AskedBy & { caller: JsonObject },
  answers: readonly StoredOf<"tool_answered">[],
  came: Pick<SessionCredentials, "of">,
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

/**
 * Returns the access of a caller, with its dependencies made; `undefined` if the leg has it already. Rejects
 * with the error of `deps`, unless the run can only ask for credentials or end.
 */
export async function renewed(
  host: Host,
  { session, life, log, access: { caller, credentials } }: CallersLeg,
  asked: AskedBy & { caller: JsonObject },
): Promise<OwnAccess | undefined> {
  if (asked.credentials === credentials && isEqualJson(asked.caller, caller)) return undefined;
  const access = newAccess(host, session, asked);
  const deps = withinDeadline(life, access.makeDeps());
  await (lacksCredentials({ log, access: asked }) ? deps.catch(() => undefined) : deps);
  return access;
}

/** Makes the access of a leg. `changed` is called once it is that of another caller. */
export function accessOfLeg(
  callers: Callers,
  first: OwnAccess,
  { session, log }: Pick<CallersLeg, "session" | "log">,
  life: () => LegLife,
  changed: () => Promise<void>,
): LegAccess {
  let current = first;
  return {
    get caller() {
      return current.caller;
    },
    get credentials() {
      return current.credentials;
    },
    get deps() {
      return current.deps;
    },
    get hasDeps() {
      return current.hasDeps;
    },
    makeDeps: () => current.makeDeps(),
    get hasNewCaller() {
      return callers.hasNew;
    },
    renew: () =>
      callers.renew({ session, life: life(), log, access: current }, async (next) => {
        current = next;
        await changed();
      }),
    accessOf: callers.ofMessage,
    hide: callers.hide,
    hideInError: (error) => hideInError(error, callers.hide),
  };
}
