import { type Agent, PawlError, type Runtime } from "@pawl/core";
import { speakersOf } from "@pawl/core/store";
import type { Dialect } from "../dialects/base/dialect.ts";
import { native } from "../dialects/native.ts";
import { refuseReserved } from "../stream/reserved-tools.ts";

/** The check of an option that takes a dialect. A common mistake is `aiSdk` without parentheses. */
export const DIALECT: { readonly mustBe: string; is(value: unknown): boolean } = {
  mustBe: "a dialect, e.g. aiSdk()",
  is: (value: unknown): boolean =>
    typeof value === "object" &&
    typeof Object(value).parse === "function" &&
    typeof Object(value).encoder === "function",
};

/**
 * Returns the name of an agent that is given by name or as an object.
 *
 * @throws PawlError `config` if the runtime has no agent of this name, or has another object under it.
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
 * Checks that no tool of the agents that may speak has a name that the dialect reserves. Tools that a
 * function returns are checked when a run starts.
 *
 * @throws PawlError `config`.
 */
export function checkDialect(dialect: Dialect | undefined, runtime: Runtime, agent: string): void {
  for (const { name, tools } of speakersOf(runtime, agent)) refuseReserved(dialect ?? native(), name, tools);
}
