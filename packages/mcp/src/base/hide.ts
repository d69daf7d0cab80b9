import type { Json } from "@pawl/core";

/** The shortest secret that is replaced. Shorter ones would match ordinary words. */
const SHORTEST = 8;

/** Replaces secrets in all texts of a value, e.g. a token that a server repeats in a result. */
export function hide<T extends Json>(value: T, secrets: readonly string[]): T {
  const known = secrets.filter(({ length }) => length >= SHORTEST);
  if (known.length === 0) return value;
  const text = JSON.stringify(value);
  const found = known
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    .filter((one) => text.includes(one));
  if (found.length === 0) return value;
  return JSON.parse(found.reduce((hidden, secret) => hidden.replaceAll(secret, "…"), text));
}
