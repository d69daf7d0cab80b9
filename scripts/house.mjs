import { readFileSync, writeFileSync } from "node:fs";
import { filesOf } from "./lib/files.mjs";
import { HOUSE_PAGE, withHouseTable } from "./lib/house.mjs";
import { at } from "./lib/project.mjs";

// Writes the table of measures in docs/architecture.md. With `--check`, only checks that it is current.
const files = new Map(
  filesOf()
    .filter((path) => /^packages\/[^/]+\/src\/.+\.ts$/.test(path))
    .map((path) => [path, readFileSync(at(path), "utf8")]),
);
const page = readFileSync(at(HOUSE_PAGE), "utf8");
const wanted = withHouseTable(page, files);
if (!process.argv.includes("--check")) writeFileSync(at(HOUSE_PAGE), wanted);
else if (page !== wanted) {
  console.error(`${HOUSE_PAGE}: the table of core's measures is out of date; run \`npm run house\``);
  process.exitCode = 1;
}
