import { PawlError } from "@pawl/core";
import type { Caller } from "./caller.ts";

const FIELDS: { readonly [Field in keyof Required<Caller>]: true } = {
  userId: true,
  caller: true,
  credentials: true,
  claims: true,
};

/**
 * Refuses fields of a caller that no run gets, e.g. because of a typo. Fields that are `undefined` count as
 * absent. The message never shows values: they may be secrets.
 *
 * @throws PawlError `config`
 */
export function refuseUnknownFields(caller: Caller): void {
  const unknown = Object.entries(caller)
    .filter(([field, value]) => value !== undefined && !Object.hasOwn(FIELDS, field))
    .map(([field]) => `"${field}"`);
  if (unknown.length === 0) return;
  const fields = `unknown field${unknown.length === 1 ? "" : "s"} ${listed(unknown)}`;
  const known = listed(Object.keys(FIELDS).map((field) => `\`${field}\``));
  throw new PawlError(
    "config",
    `authorize() returned the ${fields}. Known are ${known}. Put what tools and hooks need into \`caller\`, and secrets into \`credentials\`.`,
  );
}

/** Joins words: `a, b and c`. */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
