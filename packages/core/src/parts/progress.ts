import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { clipText } from "../base/clip-text.ts";
import { messageOf } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { CallState } from "../session/state.ts";
import { resultLoss } from "../tools/result-loss.ts";
import type { Given } from "../tools/tool-outcome.ts";
import { addReport } from "./live-reports.ts";
import { reportOnce } from "./tool-mistakes.ts";

/** The shortest time between two times that a call's reports are shown to readers, in milliseconds. */
const EVERY_MS = 100;

/** The longest report, in characters of JSON. A longer one becomes a text that is cut. */
const MOST_REPORT_CHARS = 10_000;

/** The progress of a running call, as readers get it. */
export interface CallProgress {
  /**
   * Takes a report, and shows it now or after a short time. A report that JSON would lose in part is not
   * shown, and is reported to `onError`.
   */
  report(report: Given, options: { conflate?: boolean } | undefined): void;
  /** Shows the reports at once that were not shown yet. */
  flush(): void;
}

const OPTIONS: OptionKinds<{ conflate?: boolean }> = { conflate: "boolean" };

/**
 * Returns the progress of a call. Readers get its first report at once, and the next ones at most every 100
 * ms: all of them, or the newest of those that may be conflated.
 */
export function callProgress(leg: Leg, { callId, toolName }: CallState): CallProgress {
  const { clock } = leg.life;
  const waiting: { data: Json; conflate: boolean }[] = [];
  let shownAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const flush = () => {
    cancel?.();
    cancel = undefined;
    if (waiting.length > 0) shownAt = clock.now();
    for (const { data, conflate } of waiting.splice(0)) {
      const event = { type: "tool_progress" as const, data: { call_id: callId, tool_name: toolName, data } };
      addReport(leg, { event, ...(conflate && { conflate: true as const }) });
    }
  };
  return {
    flush,
    report(report, options = {}) {
      const data = checkedReport(leg, toolName, report, options);
      if (data === undefined) return;
      if (waiting.at(-1)?.conflate) waiting.pop();
      waiting.push({ data: shortReport(leg.access.hide(data)), conflate: options.conflate ?? true });
      // Does not leave an overdue report to the timer: some platforms drop timers with the request that set
      // them.
      if (clock.now() - shownAt >= EVERY_MS) flush();
      else cancel ??= clock.after(EVERY_MS, flush, { background: true });
    },
  };
}

/** Returns a report as JSON. Reports a mistake to `onError`, and returns `undefined` then. */
function checkedReport(
  leg: Leg,
  toolName: string,
  { value, json }: Given,
  options: unknown,
): Json | undefined {
  const whose = `The tool "${toolName}" of the agent "${leg.run.agent.name}"`;
  try {
    checkOptions("context.progress()", options, OPTIONS, { code: "invalid_input" });
  } catch (cause) {
    reportOnce(leg, toolName, "progress", new Error(`${whose}: ${messageOf(cause)}`, { cause }));
    return undefined;
  }
  const loss = value === json ? undefined : resultLoss(value, "report");
  if (loss === undefined && json !== undefined) return json;
  const message = `${whose} reported progress that JSON cannot represent: ${loss}. The report was not sent.`;
  reportOnce(leg, toolName, `${loss}`, new Error(message));
  return undefined;
}

function shortReport(report: Json): Json {
  const text = JSON.stringify(report);
  return text.length > MOST_REPORT_CHARS ? clipText(text, MOST_REPORT_CHARS) : report;
}
