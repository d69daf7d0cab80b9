import { PawlError } from "@pawl/core";

/** @throws PawlError `config` unless `value` is a whole number from `least` to 2,147,483,647 */
export function checkWhole(what: string, value: number, least = 1): void {
  if (Number.isInteger(value) && value >= least && value <= 2_147_483_647) return;
  throw new PawlError("config", `${what} must be a whole number from ${least} to 2147483647; got ${value}.`);
}
