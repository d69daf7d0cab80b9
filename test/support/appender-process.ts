/**
 * Run as a process of its own: `appender-process.ts <url> <session> <first>`. Appends number after number from `first` on,
 * each under an append id of its own that the next process uses too, and says so, a line each.
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
