import { withinDeadline } from "../../base/deadline.ts";
import { hideInError } from "../../base/hide-in-error.ts";
import { hideTextsOf } from "../../base/hide-texts.ts";
import { isEqualJson, type JsonObject } from "../../base/json.ts";
import { lazy } from "../../base/once.ts";
import type { StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { LegAccess } from "../../loop/leg/leg-access.ts";
import type { LegLife } from "../../loop/leg/leg-life.ts";
import { lacksCredentials } from "../../loop/loop.ts";
import type { RunState } from "../../session/state.ts";
import type { Callers, CallersLeg, OwnAccess, SessionCredentials } from "./callers.ts";
import type { CallerOptions, Host } from "./host.ts";

/**
 * Makes the access of a caller. The first call of `makeDeps` calls the runtime's option `deps` with this
 * caller and these credentials.
 */
export function newAccess(
  host: Host,
  session: Session,
  { caller = {}, credentials }: CallerOptions,
): OwnAccess {
  const access: { -readonly [part in keyof OwnAccess]: OwnAccess[part] } = {
    caller,
    credentials,
    deps: undefined,
    hasDeps: false,
    makeDeps: lazy(() => {
      const setDeps = (deps: unknown) => {
        access.deps = deps;
        access.hasDeps = true;
        return deps;
      };
      try {
        const returned = host.deps(session, { caller, credentials });
        // A value that is not a promise sets `hasDeps` before this function returns.
        return isThenable(returned) ? returned.then(setDeps) : Promise.resolve(setDeps(returned));
      } catch (error) {
        return Promise.reject(error);
      }
    }),
  };
  return access;
}

/**
 * Returns the caller as it is stored: texts of the credentials are replaced. `undefined` without a caller.
 */
export function storedCaller({ caller, credentials }: CallerOptions): JsonObject | undefined {
  return caller && hideTextsOf(credentials)(caller);
}

/**
 * Returns the access for the open run that this process continues. Its caller is the run's. It has the
 * request's credentials only if the request has the same caller or none. Otherwise the token of one workspace
 * would act for another one. Without an open run, returns the access of the request.
 */
export function accessTo(
  host: Host,
  session: Session,
  request: CallerOptions,
  run: Pick<RunState, "caller"> | undefined,
): OwnAccess {
  if (run === undefined) return newAccess(host, session, request);
  const { caller } = run;
  const isSameCaller = request.caller === undefined || isEqualJson(storedCaller(request), caller);
  return newAccess(host, session, { caller, credentials: isSameCaller ? request.credentials : undefined });
}

/**
 * Returns the caller and credentials that apply after `answers`, which are in the order of the log. A new
 * caller never gets the credentials of the caller before. It has those of its own answer, or none if another
 * process received them.
 */
export async function callerAfter(
  { caller: firstCaller, credentials: firstCredentials }: CallerOptions & { caller: JsonObject },
  answers: readonly StoredOf<"tool_answered">[],
  received: Pick<SessionCredentials, "of">,
): Promise<CallerOptions & { caller: JsonObject }> {
  let caller = firstCaller;
  let credentials = firstCredentials;
  for (const { seq, data } of answers) {
    const ofAnswer = data.credentials === true ? await received.of(seq) : undefined;
    const isNewCaller = data.caller !== undefined && !isEqualJson(data.caller, caller);
    credentials = ofAnswer ?? (isNewCaller ? undefined : credentials);
    caller = data.caller ?? caller;
  }
  return { caller, credentials };
}

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Makes the access of the caller in `asked`, and waits for its dependencies. Returns `undefined` if the leg
 * already has this caller and these credentials. Rejects with the error of `deps`. If the run lacks
 * credentials, the error is ignored: the run then only asks for them or ends.
 */
export async function makeRenewedAccess(
  host: Host,
  { session, life, log, access: { caller, credentials } }: CallersLeg,
  asked: CallerOptions & { caller: JsonObject },
): Promise<OwnAccess | undefined> {
  if (asked.credentials === credentials && isEqualJson(asked.caller, caller)) return undefined;
  const access = newAccess(host, session, asked);
  const deps = withinDeadline(life, access.makeDeps());
  await (lacksCredentials({ log, access: asked }) ? deps.catch(() => undefined) : deps);
  return access;
}

/**
 * Makes the access of a leg, which `renew()` may replace by that of another caller. Calls `changed` after
 * each replacement. `life` is a function because the leg's life is made after its access.
 */
export function accessOfLeg(
  callers: Callers,
  initial: OwnAccess,
  { session, log }: Pick<CallersLeg, "session" | "log">,
  life: () => LegLife,
  changed: () => Promise<void>,
): LegAccess {
  let current = initial;
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
