import { PawlError, type Runtime } from "@pawl/core";
import type { Dialect } from "../dialects/base/dialect.ts";

/**
 * Checks that the runtime has the agent, and that none of the agent's tools has a name that the dialect
 * reserves.
 *
 * @throws PawlError `config`.
 */
export function checkDialect({ name, reserved = [] }: Dialect, runtime: Runtime, agent: string): void {
  if (!runtime.agents.has(agent))
    throw new PawlError(
      "config",
      `The runtime has no agent "${agent}". It has: ${[...runtime.agents.keys()].join(", ")}.`,
    );
  const taken = reserved.find((word) => runtime.agents.get(agent)?.tools.has(word));
  if (taken === undefined) return;
  throw new PawlError(
    "config",
    `The agent "${agent}" has a tool "${taken}", but the dialect ${name} has an event of that name. Rename the tool.`,
  );
}
