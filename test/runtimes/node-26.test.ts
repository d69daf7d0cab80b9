import { it } from "vitest";
import { bundled, checkProgram, command, started } from "./support/program.ts";

it("U4 runs on Node 26: a reader leaves, and the next one reads to the end", async () => {
  const file = await bundled("node.js", "node");
  await checkProgram(await started(command("node-26/bin/node"), [file]));
});
