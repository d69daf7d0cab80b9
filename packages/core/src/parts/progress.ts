import { clipText } from "../base/clip-text.ts";
import type { Json } from "../base/json.ts";
import { inNextTurn } from "../base/next-turn.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { CallProgress, Reported } from "../loop/leg/part-types.ts";
import type { CallState } from "../session/state.ts";

/** The shortest time between two reports of a call that readers get, in milliseconds. */
const EVERY_MS = 100;

/** The longest report, in characters of JSON. A longer one becomes a text that is cut. */
const MOST_REPORT_CHARS = 10_000;

/** The version of the last shown report. It rises by 1: a reader takes reports newer than its last one. */
let version = 0;

/**
 * Returns the progress of a call. Readers get its first report at once, then the newest report at most every
 * 100 ms.
 */
export function callProgress(leg: Leg, { callId, toolName }: CallState, reported: Reported): CallProgress {
  const { clock } = leg.life;
  let shownAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const show = () => {
    cancel?.();
    cancel = undefined;
    const { latest } = reported;
    if (latest === undefined) return;
    reported.latest = undefined;
    shownAt = clock.now();
    version += 1;
    const { progress } = leg.readers.live;
    // Moves the report to the end of the map: readers take the reports in the map's order.
    progress.delete(callId);
    progress.set(callId, { tool_name: toolName, data: shortReport(latest), version });
    leg.readers.touch();
  };
  return {
    changed: () => {
      // Does not leave an overdue report to the timer: some platforms drop timers with the request that set
      // them.
      if (clock.now() - shownAt >= EVERY_MS) show();
      else cancel ??= clock.after(EVERY_MS, show, { background: true });
    },
    end: async () => {
      show();
      // A woken reader takes the reports one turn of the event loop later.
      await new Promise<void>((resolve) => inNextTurn(() => inNextTurn(resolve)));
    },
  };
}

function shortReport(report: Json): Json {
  const text = JSON.stringify(report);
  return text.length > MOST_REPORT_CHARS ? clipText(text, MOST_REPORT_CHARS) : report;
}
