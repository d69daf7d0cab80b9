import { isByLogOnly } from "../hooks/log-only.ts";
import type { Leg } from "../leg/leg.ts";
import { queuedMessages } from "../session/queued.ts";
import { openRun } from "../session/state.ts";
import type { Next } from "./decide.ts";
import { hooksWith } from "./hooks/call-hooks.ts";

/**
 * Returns whether a step can be stored together with the events that led to it, in one append. It cannot if
 * code of the application's runs in between, because that may tell others what is not stored yet: a hook,
 * user data, the choice of a sub-agent, a checkpoint strategy.
 */
export function isStoredTogether(leg: Leg, next: Next): boolean {
  switch (next.do) {
    case "tools":
      return !hasHooks(leg, "beforeTool") && !next.calls.some(({ toolName }) => isDelegated(leg, toolName));
    case "model":
      return (
        !hasHooks(leg, "beforeRun", "beforeTurn", "beforeModel") &&
        leg.agent.checkpointWhen.length === 0 &&
        (leg.agent.userData === undefined || leg.agent.userDataPer === "run")
      );
    case "end":
      return (
        !hasHooks(leg, "onStop", "afterRun") &&
        queuedMessages(leg.log.state).length === 0 &&
        openRun(leg.log.state)?.calls.some(({ toolName }) => isDelegated(leg, toolName)) === false
      );
    default:
      return false;
  }
}

/** Returns whether the application has hooks with one of these methods. */
function hasHooks(leg: Leg, ...methods: Parameters<typeof hooksWith>[1][]): boolean {
  return methods.some((method) => hooksWith(leg, method).some((hook) => !isByLogOnly(hook)));
}

function isDelegated({ agent }: Leg, toolName: string): boolean {
  return agent.tools.get(toolName)?.delegate !== undefined;
}
