import type { RunContext } from "../hooks/hook.ts";
import type { StoredOf } from "../log/event.ts";
import type { Leg } from "../loop/leg/leg.ts";

/** Returns the newest message of the user; `undefined` if the session has none. */
export async function runMessage(leg: Leg): ReturnType<RunContext["message"]> {
  const ofRun = leg.log.state.run?.seq ?? 0;
  // A run that answers a queued message, or tries again, begins after its message.
  for (const afterSeq of [ofRun, 0]) {
    let last: StoredOf<"user_message"> | undefined;
    for await (const event of leg.run.read({ types: ["user_message"], afterSeq })) last = event;
    if (last === undefined) continue;
    const { seq, data } = last;
    return {
      seq,
      text: data.message,
      files: data.files ?? [],
    };
  }
  return undefined;
}
