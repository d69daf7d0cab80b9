/**
 * Run as a process of its own: `appender.ts <path> <name> <first turn>`. Opens the file, prints `open`, and
 * appends a batch for each turn, four turns at once. Prints `<turn> <first seq> <last seq>` when one is acknowledged. A turn's
 * append id follows from its number, so a process that begins with a turn of another one repeats its append.
 */
import { PawlError } from "@pawl/core";
import { createOnce } from "@pawl/core/store";
import { nodeSqlite, sqliteStore } from "@pawl/sqlite";
import { pause } from "../../../../test/support/pause.ts";

const [path = "", name = "", first = ""] = process.argv.slice(2);
const AT_ONCE = 4;
const store = sqliteStore(nodeSqlite(path));
await createOnce(store, { id: "s", userId: "u", agent: "a" });
console.log("open");
for (let turn = Number(first); ; turn += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => append(turn + index)));
  // A runtime pauses for its models.
  await pause(2, "SQLite does not queue writers: one that never pauses keeps others out");
}

async function append(turn: number): Promise<void> {
  const batch = Array.from({ length: 1 + (turn % 3) }, (_, place) => ({
    type: "probe.tick" as const,
    key: `${name} ${turn} ${place}`,
    data: { name, turn, place, pad: "x".repeat(500) },
  }));
  const session = { openRun: "run", addCostUsd: batch.length } as const;
  const tryAppend = () => store.append("s", batch, { appendId: `${name} ${turn}`, session });
  // A runtime repeats an append that was refused.
  const stored = await tryAppend().catch((error) => {
    if (!PawlError.is(error, "store_unavailable")) throw error;
    return tryAppend();
  });
  console.log(`${turn} ${stored[0]?.seq} ${stored.at(-1)?.seq}`);
}
