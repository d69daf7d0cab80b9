import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@pawl/core";
import { readConfig } from "./config.ts";
import { type Playground, startPlayground } from "./playground.ts";

/**
 * How long runs may take to come to the end of a turn, and how long all of closing may take, in milliseconds.
 */
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
  // Whatever hangs, the process ends in time: the log needs no goodbye.
  setTimeout(() => process.exit(0), CLOSING_MS).unref();
  try {
    await playground.close(GRACE_MS);
    console.log("Stopped.");
  } catch (error) {
    console.error(messageOf(error));
  }
  process.exit(0);
}
