import { it } from "vitest";
import { bundled, checkProgram, command, started } from "./support/program.ts";

it("U4 runs on Bun: a reader leaves, and the next one reads to the end", async () => {
  const file = await bundled("bun.js", "node");
  await checkProgram(await started(command("bun/bin/bun.exe"), ["run", file]));
});
