/** Run as a process of its own: `appender.ts <directory> append|hold|leave`. Says what it does on stdout, a line each. */
import { randomUUID } from "node:crypto";
import { PawlError } from "@pawl/core";
import { embeddedStore } from "@pawl/postgres/embedded";

const [dataDir = "", mode = ""] = process.argv.slice(2);

try {
  const store = await embeddedStore({ dataDir });
  if ((await store.sessions.get("s")) === undefined)
    await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  const lease = await store.acquire("s", `leg ${process.pid}`, 600_000);
  console.log(lease === undefined ? "no lease" : "open");
  if (mode === "leave") process.exitCode = 7;
  else if (mode === "hold") setInterval(() => undefined, 1_000);
  else
    for (let turn = 0; lease !== undefined; turn += 1) {
      const batch = Array.from({ length: 1 + (turn % 3) }, (_, place) => ({
        type: "probe.tick" as const,
        data: { turn, place, pad: "x".repeat(500) },
      }));
      const stored = await store.append("s", batch, {
        appendId: randomUUID(),
        lease,
        session: { openRun: "run", addCostUsd: batch.length },
      });
      console.log(`stored ${stored.at(-1)?.seq}`);
    }
} catch (error) {
  console.log(PawlError.is(error) ? `refused ${error.code} ${error.message}` : `failed ${String(error)}`);
}
