import { type Hook, PawlError, promptTokens, type RunContext } from "@pawl/core";
import { reservationIdOf } from "../base/reservation-id.ts";
import type { Held } from "./backend-answers.ts";
import type { BackendClient } from "./backend-client.ts";
import { BackendDown, BackendRefusal, UNREACHABLE } from "./backend-errors.ts";
import { importedAnswer } from "./import-session.ts";
import { chargedTo, type LoggedRun, loggedRuns, RUN_EVENTS } from "./logged-runs.ts";
import { runMessages } from "./run-messages.ts";

const SPENT =
  "Your token budget has no room left for this request. It is filled again at the start of the next month.";

/** How long the final charge may take, in milliseconds. A run ends without its hooks after five seconds. */
const SETTLE_MS = 4_000;

/** Stop types of runs that have answered. The messages of all others are partial. */
const ANSWERED: ReadonlySet<string> = new Set(["end_turn", "turn_limit", "max_tokens", "refusal"]);

/**
 * Settles a run's tokens with the backend. Before each turn it charges what the log says was used; while the
 * run works, it renews the reservation; a run that waits gives the rest back; and at the end, in any process,
 * it charges the whole use and records the messages. All of it may be repeated.
 */
export function tokenBudget(backend: BackendClient): Hook {
  const renewals = timers();
  const use = async (context: RunContext) => ({
    reservation_id: reservationIdOf(context.userId, await requestOf(context)),
    tokens_used: usedBy(context),
  });
  return {
    name: "token-budget",
    idempotent: true,
    beforeTurn: async (_plan, context) => {
      if (importedAnswer(context.run) !== undefined) return undefined;
      const now = await held(backend, context).catch(ifDown);
      if (now === undefined) return { stop: { type: "error", message: UNREACHABLE } };
      if (!now.held || now.tokens_used >= now.estimated_tokens)
        return { stop: { type: "quota_exceeded", message: SPENT } };
      // The run was stopped in the meantime, so `afterRun` may already have been called.
      if (context.signal.aborted && !goesOnElsewhere(context.signal)) await backend.abort(await use(context));
      else renewals.begin(context, now.ttl_ms / 3, async () => await backend.renew(await use(context)));
      return undefined;
    },
    onSuspend: async (context) => {
      renewals.end(context.runId);
      await backend.abort(await use(context)).catch(ignoreUnknown);
    },
    afterRun: async ({ stop }, context) => {
      renewals.end(context.runId);
      if (importedAnswer(context.run) !== undefined) return;
      const logged = await loggedRun(context);
      const messages = runMessages(logged.events);
      const begun_at = logged.begunAt;
      const isWhole = ANSWERED.has(stop.type) && messages.length > 0;
      await settled(async () => {
        const used = await use(context);
        if (isWhole) await backend.record({ ...used, session_id: context.sessionId, messages, begun_at });
        else await backend.abort({ ...used, partial_messages: messages, begun_at, final: true });
        for (const requestId of answeredToo(logged))
          await backend
            .abort({
              reservation_id: reservationIdOf(context.userId, requestId),
              tokens_used: 0,
              final: true,
            })
            .catch(ignoreUnknown);
      });
    },
  };
}

/** Returns all tokens of a run's prompts and answers, over all its legs. */
export function usedBy({ run: { usage } }: Pick<RunContext, "run">): number {
  return Math.round(promptTokens(usage) + usage.outputTokens);
}

/** Returns the id of the request that a run is charged to, see {@link chargedTo}. */
async function requestOf({ read, run: { seq, runId, params } }: RunContext): Promise<string> {
  const [start] = await Array.fromAsync(read({ types: ["run_started"], afterSeq: seq - 1, limit: 1 }));
  return start?.type === "run_started" ? chargedTo(start.data, params) : runId;
}

/** Charges the run's use and returns its reservation. A run that began without a preflight makes one now. */
async function held(backend: BackendClient, context: RunContext): Promise<Held> {
  const { userId, sessionId } = context;
  const request_id = await requestOf(context);
  const reservation_id = reservationIdOf(userId, request_id);
  const use = { reservation_id, tokens_used: usedBy(context), again: true };
  try {
    return await backend.renew(use);
  } catch (error) {
    if (!isUnknown(error)) throw error;
  }
  const [message = "…"] = (await Array.fromAsync(context.read({ types: ["user_message"] })))
    .flatMap((event) => (event.type === "user_message" ? [event.data.message] : []))
    .slice(-1);
  const request = {
    message: message.slice(0, 10_000),
    new_session_id: sessionId,
    request_id,
  };
  try {
    await backend.preflightFor(userId, request);
  } catch (error) {
    if (error instanceof BackendRefusal && error.status === 402)
      return { held: false, tokens_used: 0, estimated_tokens: 0, ttl_ms: 0 };
    throw error;
  }
  return await backend.renew(use);
}

/** Returns the run as the log has it. */
async function loggedRun({ read, runId }: RunContext): Promise<LoggedRun> {
  const found = loggedRuns(await Array.fromAsync(read({ types: RUN_EVENTS }))).find(
    (one) => one.runId === runId,
  );
  if (found === undefined) throw new PawlError("store_unavailable", "The log does not have the run.");
  return found;
}

/** Returns the ids of other requests that this run answered: their reservations are not needed any more. */
function answeredToo({ events, requestId }: LoggedRun): string[] {
  const ids = events.flatMap((event) =>
    event.type === "user_message" ? [event.data.params?.request_id] : [],
  );
  return ids.flatMap((id) => (typeof id === "string" && id !== requestId ? [id] : []));
}

/**
 * Waits for the final charge. If the backend cannot be reached, or is slow, the run stays open: it is
 * recovered and charged later.
 */
async function settled(work: () => Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new BackendDown("it is too slow")), SETTLE_MS);
  try {
    await Promise.race([work(), late.promise]);
  } catch (error) {
    // A run that ended before its first reservation owes nothing.
    if (isUnknown(error)) return;
    throw new PawlError("store_unavailable", "The run's use could not be charged.", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof BackendRefusal && error.status === 404;
}

/** The user may try again later, so this is no failure of the program. */
function ifDown(error: unknown): undefined {
  if (!(error instanceof BackendDown)) throw error;
}

function ignoreUnknown(error: unknown): void {
  if (!isUnknown(error)) throw error;
}

function goesOnElsewhere({ reason }: AbortSignal): boolean {
  return PawlError.is(reason, "fenced") || PawlError.is(reason, "draining");
}

/** Repeats work for each run until it leaves this process. */
function timers() {
  const running = new Map<string, () => void>();
  const end = (runId: string) => running.get(runId)?.();
  const begin = (
    { runId, signal }: Pick<RunContext, "runId" | "signal">,
    everyMs: number,
    work: () => Promise<unknown>,
  ) => {
    end(runId);
    // A renewal that fails is repeated at the next interval, and before the next turn.
    const timer = setInterval(() => void work().catch(() => undefined), everyMs);
    timer.unref();
    const over = () => {
      clearInterval(timer);
      signal.removeEventListener("abort", over);
      if (running.get(runId) === over) running.delete(runId);
    };
    running.set(runId, over);
    signal.addEventListener("abort", over, { once: true });
    if (signal.aborted) over();
  };
  return { begin, end };
}
