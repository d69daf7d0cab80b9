import { readFileSync } from "node:fs";
import { migrate } from "@pawl/postgres";
import { it, onTestFinished } from "vitest";
import { testDatabase } from "../support/postgres.ts";
import {
  beginAndLeave,
  bundled,
  checkProgram,
  checkRun,
  eventsOf,
  installed,
  readUntil,
} from "./support/program.ts";

interface Miniflare {
  ready: Promise<URL>;
  dispose(): Promise<void>;
}

it("U4 on Workers with Postgres behind Hyperdrive, the next reader reads to the end", async () => {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  await migrate(database.pool());
  const { Miniflare } = installed<{ Miniflare: new (options: object) => Miniflare }>("miniflare");
  const server = new Miniflare({
    modules: true,
    script: readFileSync(await bundled("pg-worker.js", "node-worker"), "utf8"),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    cf: false,
    hyperdrives: { HYPERDRIVE: database.url },
  });
  onTestFinished(async () => await server.dispose());
  const url = (await server.ready).href.replace(/\/$/, "");
  await checkProgram(url);
  // And in the middle of a run, where a reader has not seen that one is in progress.
  const sessionId = await beginAndLeave(url);
  const headers = { "last-event-id": `${(await eventsOf(url, sessionId)).length}` };
  await readUntil(`${url}/sessions/${sessionId}/stream`, "run_ended", { headers });
  await checkRun(url, sessionId);
});
