import type { Json, ToolContext } from "@pawl/core";
import { isObject } from "../base/json.ts";

/**
 * Returns the part of a call's state that says that its user was already asked for more rights. It goes from
 * each question to the next one, so that no server can have a user asked again and again.
 */
export function steppedUp<Deps>({ answered }: Pick<ToolContext<Deps>, "answered">): { steppedUp?: true } {
  const state: Json | undefined = answered?.state;
  return isObject(state) && state.steppedUp === true ? { steppedUp: true } : {};
}
