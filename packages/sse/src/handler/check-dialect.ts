import { PawlError, type Runtime } from "@pawl/core";
import type { Dialect } from "../dialects/base/dialect.ts";
import { native } from "../dialects/native.ts";

/** How an option is checked that takes a dialect. People forget the parentheses of `aiSdk()`. */
export const DIALECT = {
  mustBe: "a dialect, e.g. aiSdk()",
  is: (value: unknown): boolean =>
    typeof value === "object" &&
    typeof Object(value).parse === "function" &&
    typeof Object(value).encoder === "function",
};

/**
 * Checks that the runtime has the agent, and that none of the agent's tools has a name that the dialect
 * reserves.
 *
 * @throws PawlError `config`.
 */
export function checkDialect(dialect: Dialect | undefined, runtime: Runtime, agent: string): void {
  const { name, reserved = [] } = dialect ?? native();
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
