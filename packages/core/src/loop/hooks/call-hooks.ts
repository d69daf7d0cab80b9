import { type Deadline, withinDeadline } from "../../base/deadline.ts";
import { PawlError, storeFailed } from "../../base/errors.ts";
import type { Json } from "../../base/json.ts";
import type { Hook, RunContext } from "../../hooks/hook.ts";
import { isLogOnly } from "../../log/log-only.ts";
import type { StopReason } from "../../log/stop-reason.ts";
import type { Leg } from "../leg/leg.ts";
import type { CallOfHook } from "../leg/progress.ts";
import { DECIDE_AGAIN } from "../leg/stored-first.ts";
import type { HookMethod } from "./check-returned.ts";
import { contextOf } from "./context-methods.ts";

/** The stop reason of a run that a failed hook ends. */
export const HOOK_FAILED: StopReason = {
  type: "error",
  message: "Something went wrong. Please try again.",
};

/** A hook that has the method `M`. */
type HookWith<M extends HookMethod> = Hook & Required<Pick<Hook, M>>;

/** Time limit of each call of a hook after its run was decided to end, in milliseconds. */
export const HOOK_AT_END_MS = 5_000;

/** Returns the agent's hooks with this method, in the order in which they are called. */
export function hooksWith<M extends HookMethod>(leg: Leg, method: M): readonly HookWith<M>[] {
  const { byMethod } = leg.once.hooks;
  let hooks = byMethod.get(method);
  if (hooks === undefined) {
    const declared = leg.run.agent.hooks.filter((hook) => hook[method] !== undefined);
    hooks = method.startsWith("after") ? declared.reverse() : declared;
    byMethod.set(method, hooks);
  }
  return hooks as readonly HookWith<M>[];
}

type Method<M extends HookMethod> = NonNullable<Hook[M]>;

/** The arguments of a hook's method before its `context`. */
export type HookArgs<M extends HookMethod> =
  Parameters<Method<M>> extends [...infer G, RunContext] ? G : never;
/** What a hook's method returns or resolves to, if it is not empty. */
type Returned<M extends HookMethod> = NonNullable<Awaited<ReturnType<Method<M>>>>;

/** The outcome of a hook that returned nothing. Callers compare it by identity, and need not await it. */
export const RETURNED_NOTHING: { value?: never; failed?: never } = {};

/** The outcome of a hook's call: its return value, converted by `take`, or that it has failed. */
interface Called<R> {
  value?: R;
  failed?: true;
}

/**
 * Calls one hook and converts its return value with `take`. If the hook or `take` throws, logs the error,
 * notifies `onError` and returns `failed`. Returns {@link RETURNED_NOTHING} if the hook returned nothing, or
 * the run was stopped first. Stores the held events before the call, except for hooks of Pawl's own that only
 * read the log. `answer` is the answer to the hook's question.
 */
// Not async: most hooks return nothing synchronously, e.g. the guards that every agent has. Such calls make
// no promise.
export function callHook<M extends HookMethod, R>(
  leg: Leg,
  hook: Hook,
  method: M,
  args: HookArgs<M>,
  take: (returned: Returned<M>) => R | Promise<R>,
  answer?: Json,
): Called<R> | Promise<Called<R>> {
  const stored = isLogOnly(hook) ? undefined : leg.log.barrier();
  if (stored !== undefined) return stored.then(() => callHook(leg, hook, method, args, take, answer));
  const call: HookCall<M, R> = { hook, method, take, signal: leg.life.signal };
  leg.once.hooks.calling = call;
  try {
    const run = hook[method] as (...args: unknown[]) => MaybeReturned<M>;
    const returned = run.apply(hook, [...args, contextWithAnswer(contextOf(leg, hook), answer)]);
    return returned === undefined || returned === null ? RETURNED_NOTHING : converted(leg, call, returned);
  } catch (cause) {
    return afterFailure(leg, call, cause);
  }
}

/** A call of a hook. `signal` is the leg's signal at its start: the landing turn gets a fresh one. */
interface HookCall<M extends HookMethod, R> extends CallOfHook {
  method: M;
  take(returned: Returned<M>): R | Promise<R>;
  signal: AbortSignal;
}

/** What a hook's method returns, before a promise has settled. */
type MaybeReturned<M extends HookMethod> = Returned<M> | Promise<Returned<M>> | undefined | null;

/**
 * Returns the outcome of a hook that did not return at once. If an agent to which the hook has given a task
 * asks the user, that question is the outcome.
 */
async function converted<M extends HookMethod, R>(
  leg: Leg,
  call: HookCall<M, R>,
  pending: NonNullable<MaybeReturned<M>>,
): Promise<Called<R>> {
  const called = await settled(leg, call, pending);
  const { question } = call;
  return question === undefined ? called : { value: { question } as R };
}

/** Waits for a hook's return value, checks it and converts it. */
async function settled<M extends HookMethod, R>(
  leg: Leg,
  call: HookCall<M, R>,
  pending: NonNullable<MaybeReturned<M>>,
): Promise<Called<R>> {
  try {
    const returned = isPromise(pending) ? await withinDeadline(deadlineOf(leg, call.hook), pending) : pending;
    call.isOver = true;
    if (returned === undefined || returned === null) return RETURNED_NOTHING;
    (await leg.parts.load()).checkReturned(call.method, returned);
    return { value: await call.take(returned) };
  } catch (cause) {
    // Set before the error is reported, so that no question can arrive in between.
    call.isOver = true;
    return await afterFailure(leg, call, cause);
  }
}

/** Returns how long to wait for a hook: until the run is stopped, or the hook's own time is over. */
function deadlineOf({ life }: Leg, { timeoutMs }: Hook): Deadline {
  if (timeoutMs === undefined) return life;
  return { clock: life.clock, signal: life.signal, abortGraceMs: life.abortGraceMs, timeoutMs };
}

/**
 * Logs and reports a hook's failure, and returns `failed`. If the run was stopped, or this process has lost
 * it, reports nothing, and returns `failed` only for a hook that guards. Rethrows errors that only the loop
 * can handle.
 */
async function afterFailure<M extends HookMethod, R>(
  leg: Leg,
  { hook, method, signal, question }: HookCall<M, R>,
  cause: unknown,
): Promise<Called<R>> {
  if (cause === DECIDE_AGAIN || PawlError.is(cause, "fenced") || storeFailed(cause)) throw cause;
  if (question !== undefined) return RETURNED_NOTHING;
  const isCutOff = leg.life.lost || (signal.aborted && cause === signal.reason);
  if (!isCutOff) await (await leg.parts.load()).reportHook(leg, hook, method, cause);
  return isCutOff && !hook.guards ? RETURNED_NOTHING : { failed: true };
}

/** Returns the context with the answer to a hook's question. Its other fields stay up to date. */
function contextWithAnswer(context: RunContext, answer: Json | undefined): RunContext {
  if (answer === undefined) return context;
  const fields = Object.getOwnPropertyDescriptors(context);
  return Object.create(null, { ...fields, answer: { value: answer, enumerable: true } });
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}
