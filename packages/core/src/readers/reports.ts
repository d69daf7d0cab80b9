import type { StoredOf } from "../log/event.ts";
import type { LiveEvent } from "../log/store/live-event.ts";
import type { LiveState } from "../log/store/live-tail.ts";

/** Which reports of the live state a reader has been shown. */
export interface ReportsSeen {
  /** The list of reports to which `version` belongs; `undefined` before the first one. */
  reports: LiveState["reports"] | undefined;
  /** The version of the last report that the reader was shown; 0 if none. */
  version: number;
  /** The ids of calls whose results the reader has. Further progress reports of these calls are stale. */
  settled: Set<string> | undefined;
}

/**
 * Adds to `news` the reports that a reader has not been shown yet. `afterSeq` is where the reader started.
 */
export function addReports(news: LiveEvent[], live: LiveState, seen: ReportsSeen, afterSeq: number): void {
  for (const { version, event, endedAt = afterSeq } of unseenReports(live, seen)) {
    if (endedAt < afterSeq || seen.settled?.has(event.data.call_id ?? "")) continue;
    seen.version = version;
    news.push(event);
  }
}

/** Returns the reports that a reader has not been shown yet. */
function unseenReports({ reports }: LiveState, seen: ReportsSeen): LiveState["reports"] {
  // The versions of another process's reports have nothing to do with those before.
  if (seen.reports !== reports) Object.assign(seen, { reports, version: 0 });
  return reports.filter(({ version }) => version > seen.version);
}

/**
 * Returns the reports of a call that a reader has not been shown, although the call has ended. They belong
 * before the call's result.
 */
export function lastReports(
  live: LiveState | undefined,
  seen: ReportsSeen,
  { seq, data }: StoredOf<"tool_result">,
): LiveEvent[] {
  const unseen = live === undefined || live.reports.length === 0 ? [] : unseenReports(live, seen);
  return unseen.flatMap(({ event, endedAt = seq }) =>
    endedAt < seq && event.data.call_id === data.call_id ? [event] : [],
  );
}
