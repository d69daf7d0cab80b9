import { PawlError } from "@pawl/core";

/** The head of a text, and a note of what is missing, together at most about `limit` characters. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  // A pair of surrogates that the cut parts would be a character that nobody takes.
  const head = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  return `${head}\n[clipped: ${text.length - head.length} of ${text.length} chars]`.toWellFormed();
}

/** @throws PawlError `config` for what is no whole number from 1. */
export function checkLimit(value: number | undefined, what: string): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return;
  throw new PawlError("config", `${what} must be a whole number from 1, not ${value}.`);
}
