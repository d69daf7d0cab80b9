import { PawlError, type RunContext, toJson } from "@pawl/core";
import { within } from "@pawl/core/tools";
import { fieldsOf } from "../base/text.ts";
import { EVENTS, type FailedEvent } from "../record/events.ts";
import { type ReadRecord, recordReader } from "../record/read-record.ts";
import type { PlanWork } from "../tools/work.ts";
import type { PlanningSource, Settings } from "./options.ts";

/** The settings, and what the hook and the tools share. */
export interface Work<Deps> extends Settings<Deps>, PlanWork<Deps> {}

/** The run that the hook was called for, as it was when the log was read. */
export interface Here<Deps> extends ReadRecord {
  context: RunContext<Deps>;
}

/** The name of the hook. */
export const HOOK = "planning";

/** Adds a reader of records and the list of the caller's agents to the settings. */
export function workOf<Deps>(settings: Settings<Deps>): Work<Deps> {
  const { agents, timeoutMs, report } = settings;
  return {
    ...settings,
    readRun: recordReader(),
    list: async (source) => {
      if (agents === undefined) return { agents: [] };
      try {
        const listed = await within({ signal: source.signal, timeoutMs }, () => agents(source));
        if (!Array.isArray(listed) || !listed.every(isCustomAgent))
          throw new PawlError(
            "config",
            "`agents` of planning() must return a list of { id, name, description, agent }.",
          );
        return { agents: listed };
      } catch (error) {
        report(error, source);
        return { error: { code: codeOf(error), message: "The agents cannot be listed now." } };
      }
    },
  };
}

function isCustomAgent(value: unknown): boolean {
  const { id, name, description, domains = [], agent } = fieldsOf(value);
  const texts = [id, name, description].every((one) => typeof one === "string");
  return texts && Array.isArray(domains) && typeof agent === "object" && agent !== null;
}

/** Returns the argument of the application's functions. */
function sourceOf<Deps>({ context, record }: Here<Deps>, signal: AbortSignal): PlanningSource<Deps> {
  const { sessionId, userId, caller, credentials, deps } = context;
  const message = record.messages.map(({ text }) => text).join("\n\n");
  return { sessionId, userId, caller, credentials, deps, signal, record, message };
}

/**
 * Calls a function of the application. If it fails, reports the error, stores which part failed, and returns
 * `undefined`.
 *
 * @throws the signal's reason if it aborts
 */
export async function attempt<Deps, T>(
  { timeoutMs, report }: Work<Deps>,
  here: Here<Deps>,
  part: FailedEvent["part"],
  work: (source: PlanningSource<Deps>) => T | Promise<T>,
): Promise<T | undefined> {
  const { signal } = here.context;
  try {
    return await within({ signal, timeoutMs }, (limited) => work(sourceOf(here, limited)));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    report(error, here.context);
    await logFailure(here, { part, code: codeOf(error) });
    return undefined;
  }
}

/** Stores that a part of the planning has failed. */
export async function logFailure<Deps>(
  { context, record }: Here<Deps>,
  failure: Omit<FailedEvent, "run_id">,
): Promise<void> {
  const data: FailedEvent = { run_id: context.runId, ...failure };
  const times = record.failures.filter(({ part }) => part === failure.part).length;
  const key = `planning:${context.runId}:failed:${failure.part}:${failure.basis ?? times}`;
  await context.append({ type: EVENTS.failed, data: toJson(data), key });
}

/** Returns the code of an error, for the log. */
export function codeOf(error: unknown): string {
  return PawlError.is(error) ? error.code : "failed";
}
