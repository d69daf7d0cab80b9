import { type Agent, PawlError, type Runtime } from "@pawl/core";
import type { Dialect } from "../dialects/base/dialect.ts";

/**
 * Returns the name of an agent of the runtime.
 *
 * @throws PawlError `config` if the runtime does not have the agent, or has another object of its name.
 */
export function agentName(runtime: Runtime, named: string | Agent<never>): string {
  const name = typeof named === "string" ? named : named?.name;
  const known = runtime.agents.get(name);
  if (known === undefined)
    throw new PawlError(
      "config",
      `The runtime has no agent "${name}". It has: ${[...runtime.agents.keys()].join(", ")}.`,
    );
  if (typeof named === "string" || named === known) return name;
  throw new PawlError(
    "config",
    `The runtime has another agent named "${name}". Give handler() the object that is in its \`agents\`.`,
  );
}

/**
 * Checks that none of the agent's tools has a name that the dialect reserves.
 *
 * @throws PawlError `config`.
 */
export function checkDialect({ name, reserved = [] }: Dialect, runtime: Runtime, agent: string): void {
  const taken = reserved.find((word) => runtime.agents.get(agent)?.tools.has(word));
  if (taken === undefined) return;
  throw new PawlError(
    "config",
    `The agent "${agent}" has a tool "${taken}", but the dialect ${name} has an event of that name. Rename the tool.`,
  );
}
