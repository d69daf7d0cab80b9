import { invalidInput } from "../base/invalid-input.ts";
import { addedReport, type CallReport } from "./call-report.ts";
import type { CallSettings } from "./call-tool-types.ts";
import type { ToolContext } from "./tool.ts";

/** A tool's context outside of a run, with the facts that the tool has reported. */
export interface OutsideContext {
  readonly context: ToolContext<never>;
  /** Returns the facts that the tool has reported so far. */
  readonly report: () => CallReport;
  /** Ends the call: from now on, `context.report()` throws. */
  close(): void;
}

/**
 * Makes the context of a call outside of a run. There is no log, so methods that store or read events throw a
 * PawlError `invalid_input`.
 */
export function outsideContext(
  name: string,
  options: CallSettings & { deps?: unknown },
  signal: AbortSignal,
  newId: () => string,
): OutsideContext {
  const { userId, caller = {}, credentials, params = {}, deps } = options;
  const idempotencyKey = options.idempotencyKey ?? newId();
  let report: CallReport = {};
  let isClosed = false;
  const needsSession = (method: string, hint = "") =>
    invalidInput(
      `\`context.${method}()\` needs a session, but "${name}" was called outside of a run.${hint}`,
    );
  const context: ToolContext<never> = {
    sessionId: "",
    runId: "",
    userId,
    params,
    caller,
    credentials,
    callId: options.callId ?? idempotencyKey,
    idempotencyKey,
    deps: deps as never,
    signal,
    answer: undefined,
    answered: undefined,
    type: undefined,
    progress: () => undefined,
    emit: async () => {
      throw needsSession("emit");
    },
    report: (facts) => {
      if (isClosed) throw invalidInput("The call has its result already, so its tool can add nothing more.");
      report = addedReport(report, facts);
    },
    append: async () => {
      throw needsSession("append");
    },
    ask: () => {
      throw needsSession("ask", " Ask where the agent runs, e.g. in a hook.");
    },
    wait: () => {
      throw needsSession("wait");
    },
    // biome-ignore lint/correctness/useYield: it only throws
    read: async function* () {
      throw needsSession("read");
    },
    askModel: async () => {
      throw needsSession("askModel", " Use `askModel()` of @pawl/core, and report its `costUsd`.");
    },
    runAgent: async () => {
      throw needsSession("runAgent");
    },
    createArtifact: () => {
      throw needsSession("createArtifact");
    },
    artifact: async () => {
      throw needsSession("artifact");
    },
    completeSession: () => {
      throw needsSession("completeSession");
    },
    setMode: () => {
      throw needsSession("setMode");
    },
  };
  return {
    context,
    report: () => report,
    close: () => {
      isClosed = true;
    },
  };
}
