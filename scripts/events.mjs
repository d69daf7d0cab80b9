import { readFileSync, writeFileSync } from "node:fs";
import { EVENT_PAGE, withEventTable } from "./lib/event-table.mjs";
import { at } from "./lib/project.mjs";

// Writes the table of events in docs/events.md. With `--check`, only checks that the table is current.
const read = (path) => readFileSync(at(path), "utf8");
const page = read(EVENT_PAGE);
const wanted = withEventTable(page, {
  stored: ["event-data.ts", "event-parts.ts"].map((file) => read(`packages/core/src/log/${file}`)).join("\n"),
  live: read("packages/core/src/log/store/live-event.ts"),
});
if (!process.argv.includes("--check")) writeFileSync(at(EVENT_PAGE), wanted);
else if (page !== wanted) {
  console.error(`${EVENT_PAGE}: the table is out of date; run \`npm run events\``);
  process.exitCode = 1;
}
