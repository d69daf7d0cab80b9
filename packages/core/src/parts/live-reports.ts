import { inNextTurn } from "../base/next-turn.ts";
import type { LiveReport, LiveState } from "../log/store/live-tail.ts";
import type { Leg } from "../loop/leg/leg.ts";

/** The most characters of JSON of all reports together. The oldest ones are dropped first. */
const MOST_LIVE_CHARS = 200_000;

/** The version of the last report of this process. */
let version = 0;

/** Adds a report to the live state. It replaces the call's last one, if that may be replaced. */
export function addReport({ readers }: Leg, report: Omit<LiveReport, "version">): void {
  const { reports } = readers.live;
  const callId = report.event.data.call_id;
  const last = reports.findLastIndex(({ event }) => event.data.call_id === callId);
  if (report.event.type === "tool_progress" && reports[last]?.conflate) reports.splice(last, 1);
  version += 1;
  reports.push({ ...report, version });
  while (reports.length > 1 && reportChars(reports) > MOST_LIVE_CHARS) reports.shift();
  readers.touch();
}

const lengths = new WeakMap<LiveReport, number>();

function reportChars(reports: LiveState["reports"]): number {
  return reports.reduce((sum, report) => {
    const length = lengths.get(report) ?? JSON.stringify(report.event.data).length;
    lengths.set(report, length);
    return sum + length;
  }, 0);
}

/** Marks the reports of a call as those of a call that has ended. */
export function endReports({ readers, log }: Leg, callId: string): void {
  for (const report of readers.live.reports)
    if (report.event.data.call_id === callId) report.endedAt ??= log.storedSeq;
  readers.touch();
}

/** Resolves when waiting readers have had the time to read new reports. */
// A woken reader takes the reports one turn of the event loop later.
export async function readersHaveRead(): Promise<void> {
  await new Promise<void>((resolve) => inNextTurn(() => inNextTurn(resolve)));
}
