import type { RunContext } from "../../hooks/hook.ts";
import type { Leg } from "../../leg/leg.ts";
import type { Asker } from "../seldom/ask-in-run.ts";
import { seldomUsed } from "../seldom/seldom-used.ts";

/**
 * Makes the method `askModel` of a hook's or tool's context. Its code is loaded with the first call: most
 * agents never ask another model.
 */
export function askInRun(leg: Leg, asker: Asker): RunContext["askModel"] {
  const askModel = async (...given: Parameters<RunContext["askModel"]>) => {
    const { askModelInRun } = await seldomUsed();
    return await askModelInRun(leg, asker)(...given);
  };
  return askModel as RunContext["askModel"];
}
