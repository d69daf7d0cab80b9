import { appendFileSync } from "node:fs";

/** A count for `npm test`, and a large one for `npm run soak`. */
export function soak(count: number, large: number): number {
  return process.env.PAWL_SOAK === undefined ? count : large;
}

/** Prints a line of numbers, and adds it to the soak report if there is one. */
soak.report = (line: string): void => {
  console.log(line);
  const file = process.env.PAWL_SOAK_REPORT;
  if (file !== undefined) appendFileSync(file, `${line}\n`);
};
