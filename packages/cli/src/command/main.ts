#!/usr/bin/env node
import { messageOf } from "@pawl/core";
import { readCommandLine, USAGE } from "./options.ts";
import { check, work } from "./worker.ts";

async function main(): Promise<void> {
  const line = readCommandLine(process.argv.slice(2));
  if (line.command === "help") console.log(USAGE);
  else if (line.check) await check(line);
  else await work(line);
}

// The app may have left connections open, which must not keep the process.
main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(messageOf(error));
    // Where the app's module failed.
    const { cause } = Object(error);
    if (cause instanceof Error) console.error(cause.stack);
    process.exit(1);
  },
);
