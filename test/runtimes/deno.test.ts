import { it } from "vitest";
import { bundled, checkProgram, command, started } from "./support/program.ts";

it("U4 runs on Deno: a reader leaves, and the next one reads to the end", async () => {
  const file = await bundled("deno.js", "node");
  await checkProgram(await started(command("deno/deno"), ["run", "-A", file]));
});
