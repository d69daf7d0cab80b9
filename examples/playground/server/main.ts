import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@pawl/core";
import { readConfig } from "./config.ts";
import { type Playground, startPlayground } from "./playground.ts";

/** How long running turns may take at a shutdown, in milliseconds. */
const GRACE_MS = 6_000;
/** How long the whole shutdown may take, in milliseconds. */
const CLOSING_MS = 9_000;

const envFile = join(import.meta.dirname, "..", ".env");
if (existsSync(envFile)) process.loadEnvFile(envFile);

try {
  const playground = await startPlayground(readConfig(process.env));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void leave(playground));
  console.log(`Playground ready at ${playground.url}`);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}

async function leave(playground: Playground): Promise<void> {
  // Ends the process even if something hangs. No data is lost, because the log is complete at any time.
  setTimeout(() => process.exit(0), CLOSING_MS).unref();
  try {
    await playground.close(GRACE_MS);
    console.log("Stopped.");
  } catch (error) {
    console.error(messageOf(error));
  }
  process.exit(0);
}
