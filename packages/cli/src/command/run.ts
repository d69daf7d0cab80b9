import { messageOf } from "@pawl/core";
import { readCommandLine, USAGE } from "./options.ts";
import { check, work } from "./worker.ts";

/** Does what the command line asks for, and ends the process. */
export function run(args: string[]): void {
  // The app may have left connections open, which must not keep the process.
  main(args).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(messageOf(error));
      // Where the app's module failed.
      const { cause } = Object(error);
      if (cause instanceof Error) console.error(cause.stack);
      process.exit(1);
    },
  );
}

async function main(args: string[]): Promise<void> {
  const line = readCommandLine(args);
  if (line.command === "help") console.log(USAGE);
  else if (line.check) await check(line);
  else await work(line);
}
