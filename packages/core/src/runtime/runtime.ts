import type { Agent } from "../agent/agent.ts";
import { systemClock } from "../base/clock.ts";
import { messageOf, PawlError } from "../base/errors.ts";
import type { EventStore } from "../log/event-store.ts";
import type { Session } from "../log/session-row.ts";
import { follow } from "../readers/follow.ts";
import { localTail } from "../readers/local-tail.ts";
import { sessionWatches } from "../readers/session-watch.ts";
import type { BlobStore } from "../stores/blob-store.ts";
import { retryingStore } from "../stores/retrying-store.ts";
import { UPCASTERS, type Upcasters, upcastingStore } from "../stores/upcast.ts";
import { withBlobs } from "../stores/with-blobs.ts";
import { fork } from "./at-rest/fork.ts";
import { redact } from "./at-rest/redact.ts";
import { startContextAt } from "./at-rest/start-context.ts";
import { viewOf } from "./at-rest/view-of.ts";
import type { Begun } from "./begin/begin.ts";
import { beginRetry } from "./begin/begin-retry.ts";
import { beginWithAnswers } from "./begin/begin-with-answers.ts";
import { beginWithMessage } from "./begin/begin-with-message.ts";
import { checkedKnowledge, checkRunOptions } from "./begin/check-run-options.ts";
import { getOrCreateSession, newSession } from "./begin/new-session.ts";
import type { RetryRunOptions, RunOptions, Runtime, RuntimeOptions } from "./begin/runtime-types.ts";
import { requestStop } from "./begin/stop.ts";
import { checkCall, checkDrain, checkText } from "./check-calls.ts";
import { checkRuntimeOptions } from "./check-runtime.ts";
import { drain } from "./drain.ts";
import type { Host } from "./leg/host.ts";
import { makeRun } from "./make-run.ts";
import { regularSweeps, sweep } from "./sweep.ts";
import { delegateCall } from "./tasks/delegate.ts";
import { openTasks } from "./tasks/open-tasks.ts";

/**
 * Makes a runtime, which runs agents and stores their logs in one store. Any number of processes may use the
 * same store. Only one of them works on a session at a time; if it dies, another process continues its runs.
 *
 * @throws PawlError `config` if two agents have the same name, `store` is not an `EventStore`, `deps` is not
 * a function, `leaseTtlMs` or `pollMs` is not a whole number from 1, or `abortGraceMs` is not a number from
 * 0.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello, Ada." }]), // in an app e.g. claude("claude-sonnet-5-5")
 *   instructions: "Greet the user.",
 * });
 * const pawl = runtime({ agents: [greeter], store: memoryStore() });
 *
 * const run = pawl.run("greeter", { userId: "ada", input: "Hi" });
 * for await (const text of run.textStream) console.log(text); // Hello, Ada.
 * const { sessionId, stop } = await run.result;
 * console.log(stop.type); // end_turn
 *
 * const { messages } = await pawl.view(sessionId, { userId: "ada" });
 * console.log(messages.length); // 2
 * ```
 */
export function runtime<Deps>(options: RuntimeOptions<Deps>): Runtime {
  checkRuntimeOptions(options);
  return checkedRuntime(options);
}

function checkedRuntime<Deps>({
  agents,
  store,
  deps = () => undefined as Deps,
  tail = localTail(),
  leaseTtlMs = 10_000,
  abortGraceMs = 1_000,
  newId = () => crypto.randomUUID(),
  clock = systemClock,
  pollMs = 1_000,
  storeRetryMs = [50, 250],
  onError = (error) => console.error(`pawl: ${messageOf(error)}`),
  upcasters = {},
  blobs,
}: RuntimeOptions<Deps>): Runtime {
  const byName = new Map(agents.map((agent) => [agent.name, agent as Agent]));
  const log = layered(store, blobs, upcasters, storeRetryMs);
  const host: Host = {
    agents: byName,
    store: log,
    tail,
    watches: sessionWatches({ store: log, tail, pollMs }),
    legs: new Map(),
    setbacks: new Map(),
    begins: new Set(),
    holder: newId(),
    leaseTtlMs,
    abortGraceMs,
    pollMs,
    draining: false,
    over: new AbortController(),
    report: onError,
    deps,
    tasks: {
      run: (leg, delegated) => delegateCall(host, leg, delegated),
      open: (leg, run) => openTasks(host, leg, run),
    },
    newId,
    clock,
  };
  const sweeps = regularSweeps(host);
  const asked = async (method: OwnedCall, sessionId: string, options: { userId: string }) => {
    checkCall(method, sessionId, options);
    return await ownSession(host, sessionId, options.userId);
  };
  return {
    agents: byName,
    store: host.store,
    run: (agent, options) => makeRun(host, counted(host, begin(host, agent, options))),
    stop: async (sessionId, options) => {
      const session = await asked("stop", sessionId, options);
      await requestStop(host, session, agentNamed(host, session.agent));
    },
    view: async (sessionId, options) => await viewOf(host, await asked("view", sessionId, options)),
    follow: (sessionId, options = {}) => {
      checkCall("follow", sessionId, options);
      return follow(host, sessionId, options);
    },
    startContextAt: async (sessionId, options) => {
      const session = await asked("startContextAt", sessionId, options);
      return await startContextAt(host, session, agentNamed(host, session.agent), options.fromSeq);
    },
    redact: async (sessionId, seq, options) => {
      const session = await asked("redact", sessionId, options);
      await redact(host, session, agentNamed(host, session.agent), seq);
    },
    fork: async (sessionId, options) => {
      const session = await asked("fork", sessionId, options);
      return await fork(host, session, options.atSeq ?? session.lastSeq);
    },
    getOrCreateSession: async (agent, userId) => {
      checkText("getOrCreateSession()", "the id of the user", userId);
      return await getOrCreateSession(host, agentNamed(host, agent).name, userId);
    },
    sweep: () => sweep(host),
    start: sweeps.start,
    drain: async (options = {}) => {
      checkDrain(options);
      sweeps.stop();
      await drain(host, options.timeoutMs ?? 30_000);
    },
  };
}

/** The methods that only the owner of a session may call. */
type OwnedCall = Exclude<Parameters<typeof checkCall>[0], "follow">;

/** Wraps the store so that it loads blobs, converts events of older formats, and retries failed appends. */
function layered(
  store: EventStore,
  blobs: BlobStore | undefined,
  upcasters: Upcasters,
  retryMs: readonly number[],
): EventStore {
  const whole = blobs === undefined ? store : withBlobs(store, blobs);
  return retryingStore(upcastingStore(whole, { ...UPCASTERS, ...upcasters }), retryMs);
}

/** Keeps work in `host.begins` until it settles. */
function counted<T>(host: Host, work: Promise<T>): Promise<T> {
  host.begins.add(work);
  const forget = () => host.begins.delete(work);
  work.then(forget, forget);
  return work;
}

async function begin(host: Host, agentName: string, options: RunOptions | RetryRunOptions): Promise<Begun> {
  const agent = agentNamed(host, agentName);
  const { userId, sessionId, input } = options;
  if (host.draining) throw new PawlError("draining", "The server is about to restart. Please try again.");
  checkRunOptions(options);
  if (input === undefined) {
    if (sessionId === undefined || sessionId === "")
      throw new PawlError("invalid_input", "`answers` and `retry` need a `sessionId`.");
    const session = notExpired(await ownSession(host, sessionId, userId, agent));
    if (options.retry === undefined) return await beginWithAnswers(host, session, agent, options);
    return await beginRetry(host, { session, agent, runId: options.retry, signal: options.signal });
  }
  const knowledge = options.knowledge?.map(checkedKnowledge);
  const session = notExpired(
    sessionId === undefined
      ? await newSession(host, agent.name, options)
      : await ownSession(host, sessionId, userId, agent),
  );
  const { clientMessageId, signal, params } = options;
  const whenBusy = agent.whenBusy ?? options.whenBusy ?? "reject";
  const incoming = { session, agent, message: input, knowledge, params, clientMessageId, signal, whenBusy };
  return await beginWithMessage(host, incoming);
}

function agentNamed(host: Host, name: string): Agent {
  const agent = host.agents.get(name);
  if (agent === undefined) throw new PawlError("not_found", `There is no agent "${name}".`);
  return agent;
}

/** Returns the session. Throws `invalid_input` if it has expired. */
function notExpired(session: Session): Session {
  if (session.status === "expired") throw new PawlError("invalid_input", "This session has expired.");
  return session;
}

/**
 * Returns the session if it belongs to this user and agent. Otherwise throws `not_found`, as if it did not
 * exist.
 */
async function ownSession(host: Host, id: string, userId: string, agent?: Agent): Promise<Session> {
  const session = await host.store.sessions.get(id);
  const own = session?.userId === userId && (agent === undefined || session.agent === agent.name);
  if (session === undefined || !own) throw new PawlError("not_found", "There is no such session.");
  return session;
}
