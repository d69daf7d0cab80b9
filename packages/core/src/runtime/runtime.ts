import { follow } from "../readers/follow.ts";
import { trackBegin } from "./begin/beginning.ts";
import { getOrCreateSession } from "./begin/new-session.ts";
import type { Runtime, RuntimeOptions } from "./begin/runtime-types.ts";
import { checkCall, checkDrain, checkId, checkSweep, limitOfStart } from "./checks/check-calls.ts";
import { checkRuntimeOptions } from "./checks/check-runtime.ts";
import { lazyUserFiles } from "./later/lazy-user-files.ts";
import type { Run } from "./leg/run-handle.ts";
import { makeHost } from "./make-host.ts";
import { agentNamed, beginOrContinue, sessionOfUser } from "./run/begin-run.ts";
import { followAndResume } from "./run/follow-and-resume.ts";
import { makeRun } from "./run/make-run.ts";
import { drain, ownWork, sweepOnce, waitAtMost } from "./wakes/own-work.ts";

/**
 * Makes a runtime, which runs agents and stores their logs in one store. Any number of processes may use the
 * same store. Only one of them works on a session at a time; if it dies, another process continues its runs.
 *
 * @throws PawlError `config` if an option is unknown or invalid, e.g. if `store` is not an `EventStore`, or
 * if two agents have the same name. In `times`, `leaseTtlMs` and `pollMs` must be whole numbers from 1,
 * `handOverAfterMs` a number from 1, and `abortGraceMs` a number from 0.
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
 * const run = pawl.run(greeter, { userId: "ada", input: "Hi" });
 * for await (const text of run.textStream) console.log(text); // Hello, Ada.
 * const { sessionId, stop } = await run.result;
 * console.log(stop.type); // end_turn
 *
 * const { messages } = await pawl.view(sessionId, { userId: "ada" });
 * console.log(messages.length); // 2
 * ```
 */
export function runtime<Deps, Name extends string = string>(
  options: RuntimeOptions<Deps, Name>,
): Runtime<Name> {
  checkRuntimeOptions(options);
  const host = makeHost(options as RuntimeOptions<Deps>);
  const background = ownWork(host);
  // No other process can serve an engine in this process's memory, so this one does without `start()`.
  if (options.engine === undefined) background.serveEngine();
  const ownedSession = async (method: OwnedCall, sessionId: string, options: { userId: string }) => {
    checkCall(method, sessionId, options);
    return await sessionOfUser(host, sessionId, options.userId);
  };
  return {
    agents: host.agents,
    store: host.store,
    files: host.files ?? lazyUserFiles(undefined, host.clock),
    run: (agent, options) =>
      makeRun(host, trackBegin(host, beginOrContinue(host, agent, options)), options?.signal) as Run<never>,
    stop: async (sessionId, options) => {
      const session = await ownedSession("stop", sessionId, options);
      const { requestStop } = await loadLater();
      await requestStop(host, session, agentNamed(host, session.agent));
    },
    view: async (sessionId, options) => {
      const session = await ownedSession("view", sessionId, options);
      const { viewOf } = await loadLater();
      return await viewOf(host, session);
    },
    enterRead: async (options) => {
      const { enterRead } = await loadLater();
      return await enterRead(host, options);
    },
    follow: (sessionId, options = {}) => {
      checkCall("follow", sessionId, options);
      const { resume = false, ...from } = options;
      return resume ? followAndResume(host, sessionId, from) : follow(host, sessionId, from);
    },
    startContextAt: async (sessionId, options) => {
      const session = await ownedSession("startContextAt", sessionId, options);
      const { startContextAt } = await loadLater();
      return await startContextAt(host, session, agentNamed(host, session.agent), options.fromSeq);
    },
    redact: async (sessionId, seq, options) => {
      const session = await ownedSession("redact", sessionId, options);
      const { redact } = await loadLater();
      await redact(host, session, agentNamed(host, session.agent), seq, options.throughSeq);
    },
    fork: async (sessionId, options) => {
      const session = await ownedSession("fork", sessionId, options);
      const { fork } = await loadLater();
      return await fork(host, session, options.atSeq ?? session.lastSeq);
    },
    getOrCreateSession: async (agent, userId) => {
      checkId("getOrCreateSession()", "the id of the user", userId);
      return await getOrCreateSession(host, agentNamed(host, agent).name, userId);
    },
    recover: async (sessionId, options = {}) => {
      checkCall("recover", sessionId, options);
      const { recoverSession } = await loadLater();
      const recovering = recoverSession(host, sessionId, options.signal);
      const { outcome, afterMs } = await trackBegin(host, recovering);
      return { outcome, ...(afterMs !== undefined && { afterMs }) };
    },
    sweep: async (options = {}) => {
      checkSweep(options);
      return await sweepOnce(host, options);
    },
    start: (options = {}) => background.start(limitOfStart(options)),
    drain: async (options = {}) => {
      checkDrain(options);
      const stopped = background.stop();
      await drain(host, options.timeoutMs ?? 30_000);
      await waitAtMost(host.clock, 2 * host.abortGraceMs, stopped);
    },
  };
}

/** Loads the code of methods that most processes never call. It is in a chunk of its own. */
const loadLater = () => import("./later/index.ts");

/** The methods that only the owner of a session may call. */
type OwnedCall = Exclude<Parameters<typeof checkCall>[0], "follow" | "recover">;
