import { checkNumbers } from "@pawl/core/tools";

/** @throws PawlError `config` unless each number is whole and from 1 to 2,147,483,647 */
export function checkCounts(whose: string, numbers: { readonly [what: string]: number }): void {
  checkNumbers(whose, numbers, { least: 1, most: 2_147_483_647, whole: true });
}
