/**
 * A program: `appender-process.ts <url> <session> <first>`. Appends numbers from `first` on, and prints a
 * line for each. Its append ids follow from the numbers, so a process that repeats a number uses the same id.
 */
import { postgresStore } from "@pawl/postgres";
import pg from "pg";

const [url = "", sessionId = "", first = ""] = process.argv.slice(2);
const store = postgresStore(new pg.Pool({ connectionString: url, max: 1 }));
for (let n = Number(first); ; n += 1) {
  const [event] = await store.append(sessionId, [{ type: "probe.number", data: n }], {
    appendId: `append ${n}`,
  });
  console.log(`${n} ${event?.seq}`);
}
