import { USER_DATA } from "../context/prefix.ts";
import { userDataBlock } from "../context/user-data.ts";
import type { RefusedContent } from "../log/event-parts.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { textOf } from "../model/content.ts";
import type { ContextEntry } from "../session/context-entry.ts";
import type { SessionState } from "../session/state.ts";

/**
 * Resolves to the session's state for a checkpoint that may move the user data into the system prompt. If the
 * provider has refused them, they are moved as `entries` have them: shortened or left out.
 *
 * @param changes what the same checkpoint changes. `entries` have these changes already.
 */
export async function withAcceptedUserData(
  leg: Leg,
  entries: readonly ContextEntry[],
  changes: RefusedContent["events"] = [],
): Promise<SessionState> {
  const { state } = leg.log;
  if (leg.run.agent.userData === undefined || state.userData === undefined) return state;
  let dataSeq = 0;
  let isRefused = false;
  const isOfData = ({ seq, keep }: RefusedContent["events"][number]) => seq === dataSeq && keep !== undefined;
  for await (const event of leg.run.read({ afterSeq: 0, types: ["knowledge", "checkpoint"] })) {
    if (event.type === "knowledge" && event.data.source === USER_DATA) {
      dataSeq = event.seq;
      isRefused = false;
    } else if (event.type === "checkpoint") isRefused ||= event.data.refused?.events.some(isOfData) === true;
  }
  if (!isRefused && !changes.some(isOfData)) return state;
  const entry = entries.find(({ seq }) => seq === dataSeq);
  // Without the entry, an earlier checkpoint has moved it.
  const moved =
    entry === undefined ? state.prefix?.system[1]?.text : userDataBlock(textOf(entry.blocks)).text;
  return { ...state, userData: moved };
}
