import { appendFileSync } from "node:fs";

/** Returns `count` in `npm test`, and `large` in `npm run soak`. */
export function soak(count: number, large: number): number {
  return process.env.PAWL_SOAK === undefined ? count : large;
}

/** Prints a line of results. In `npm run soak`, also adds it to the report. */
soak.report = (line: string): void => {
  console.log(line);
  const file = process.env.PAWL_SOAK_REPORT;
  if (file !== undefined) appendFileSync(file, `${line}\n`);
};
