import { PawlError, type Runtime } from "@pawl/core";
import type { Dialect } from "../dialects/base/dialect.ts";

/**
 * Refuses an agent that is not there, and one whose tools have names that would be taken for another word of
 * the dialect.
 *
 * @throws PawlError `config`.
 */
export function checkDialect({ name, reserved = [] }: Dialect, runtime: Runtime, agent: string): void {
  if (!runtime.agents.has(agent)) throw new PawlError("config", `The runtime has no agent "${agent}".`);
  const taken = reserved.find((word) => runtime.agents.get(agent)?.tools.has(word));
  if (taken === undefined) return;
  throw new PawlError(
    "config",
    `The agent "${agent}" has a tool "${taken}": in the dialect ${name} that is the name of an event. Rename the tool.`,
  );
}
