import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@pawl/core";
import { readConfig } from "./config.ts";
import { type Playground, startPlayground } from "./playground.ts";

/** How long runs may take to finish their turn, and how long closing may take in all, in milliseconds. */
const GRACE_MS = 6_000;
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
  // Ends the process in time even if something hangs: the log is complete at any moment.
  setTimeout(() => process.exit(0), CLOSING_MS).unref();
  try {
    await playground.close(GRACE_MS);
    console.log("Stopped.");
  } catch (error) {
    console.error(messageOf(error));
  }
  process.exit(0);
}
