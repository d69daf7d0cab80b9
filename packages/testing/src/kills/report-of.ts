import type { StoredEvent } from "@pawl/core";
import type { MessagesApi } from "../messages/messages-api.ts";
import type { Guard } from "./guard.ts";
import { judge } from "./judge.ts";
import { type KillReport, waitsOf } from "./kill-report.ts";
import type { Records } from "./records.ts";

/** What a report is made of. `wanted` is how many kills and freezes were asked for. */
export interface Seen {
  counts: Pick<KillReport, "kills" | "freezes" | "seconds">;
  wanted: { kills?: number; freezes?: number };
  records: Records;
  guard: Guard;
  api: Pick<MessagesApi, "requests" | "rejected">;
  logs: readonly (readonly StoredEvent[])[];
}

/** Judges what was seen. */
export function reportOf({ counts, wanted, records, guard, api, logs }: Seen): KillReport {
  const { takeovers, redeliveries, refused, faults } = records;
  const judged = judge(logs, records);
  const invalid = api.rejected.map(({ error }) => `an invalid request: ${error.message}`);
  const isUnproven = (wanted: number | undefined, { length }: unknown[]) => wanted !== 0 && length === 0;
  const unproven = [
    ...(isUnproven(wanted.kills, takeovers.kill) ? ["no session of a killed worker was taken over"] : []),
    ...(isUnproven(wanted.freezes, takeovers.freeze) ? ["no session of a frozen worker was taken over"] : []),
    ...(takeovers.freeze.length > 0 && refused === 0
      ? ["no frozen worker was refused when it came back"]
      : []),
  ];
  return {
    ...counts,
    ...judged.counts,
    takeoverMs: waitsOf(takeovers.kill),
    frozenTakeoverMs: waitsOf(takeovers.freeze),
    redeliveryMs: waitsOf(redeliveries),
    refused,
    stepsAgain: guard.again.steps,
    recordedAgain: guard.again.recorded,
    requests: api.requests.length,
    invalidRequests: api.rejected.length,
    faults: [...faults, ...judged.faults, ...invalid, ...unproven],
  };
}
