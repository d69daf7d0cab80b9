import type { Leg } from "../loop/leg/leg.ts";
import type { CallOutput } from "../loop/leg/part-types.ts";
import type { CallState } from "../session/state.ts";
import { allEmitted, emitPart } from "./emit.ts";
import { endReports, readersHaveRead } from "./live-reports.ts";
import { callProgress } from "./progress.ts";

/** Returns what a running call shows to readers: its progress and its parts, in the order of its calls. */
export function callOutput(leg: Leg, call: CallState): CallOutput {
  const { callId, toolName: name } = call;
  const progress = callProgress(leg, call);
  return {
    progress: progress.report,
    emit(part, json) {
      progress.flush();
      return emitPart(leg, { name, callId }, part, json);
    },
    async end() {
      progress.flush();
      await allEmitted(leg);
      await readersHaveRead();
      endReports(leg, callId);
    },
  };
}
