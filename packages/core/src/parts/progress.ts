import { clipText } from "../base/clip-text.ts";
import type { Json } from "../base/json.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { CallProgress, Reported } from "../loop/leg/part-types.ts";
import { inNextTurn } from "../readers/doorbell.ts";
import type { CallState } from "../session/state.ts";

/** How often readers get a report of a call, in milliseconds. */
const EVERY_MS = 100;

/** The longest report, in characters of JSON. A longer one becomes a text that is cut. */
const MOST_REPORT_CHARS = 10_000;

/** Rises with every report that is shown: readers take those that are newer than the last they took. */
let version = 0;

/** Shows what a call reports: the first report at once, then the newest one every 100 ms. */
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
    // The newest is the last one, because readers take the reports in this order.
    progress.delete(callId);
    progress.set(callId, { tool_name: toolName, data: shortReport(latest), version });
    leg.readers.touch();
  };
  return {
    changed: () => {
      // Some platforms drop timers with the request that has set them.
      if (clock.now() - shownAt >= EVERY_MS) show();
      else cancel ??= clock.after(EVERY_MS, show, { background: true });
    },
    end: async () => {
      show();
      // A reader takes what is new in the turn after the one in which it was woken.
      await new Promise<void>((resolve) => inNextTurn(() => inNextTurn(resolve)));
    },
  };
}

function shortReport(report: Json): Json {
  const text = JSON.stringify(report);
  return text.length > MOST_REPORT_CHARS ? clipText(text, MOST_REPORT_CHARS) : report;
}
