import { sentInputSchema } from "../../context/agent-change.ts";
import type { CallState } from "../../session/state.ts";
import type { Leg } from "../leg/leg.ts";

/**
 * Returns whether the model was given the call's tool in this run. If not, the call must not run, even if the
 * agent has the tool by now: the model may have read the name anywhere, e.g. in a document.
 */
export function wasGiven({ log }: Leg, { toolName }: CallState): boolean {
  return sentInputSchema(log.state, toolName) !== undefined;
}
