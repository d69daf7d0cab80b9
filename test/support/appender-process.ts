/**
 * A program: `appender-process.ts <url> <session> <first>`. Appends numbers from `first` on, each under an
 * append id that the next process would use for it too, and prints a line for each.
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
