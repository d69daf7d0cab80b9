import { PawlError } from "@pawl/core";

/** Cuts a text to `limit` characters and appends a note that says how many characters are missing. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  // Half a surrogate pair is invalid text, which APIs and databases refuse.
  const head = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  return `${head}\n[clipped: ${text.length - head.length} of ${text.length} chars]`.toWellFormed();
}

/**
 * Checks an optional limit.
 *
 * @throws PawlError `config` unless `value` is `undefined` or a whole number from 1.
 */
export function checkLimit(value: number | undefined, what: string): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return;
  throw new PawlError("config", `${what} must be a whole number from 1, not ${value}.`);
}
