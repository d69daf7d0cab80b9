import { describe, it } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { KITS } from "./baseline.ts";
import { checkScenario, SCENARIO_MS, scenariosToRun } from "./kits.ts";

// The kit starts a server for a scenario, and `kit-client.ts` beside it, and judges what was sent.

const client = await bundled(new URL("kit-client.ts", import.meta.url).pathname);
const command = `${process.execPath} --conditions=@pawl/source --no-warnings ${client}`;

for (const kit of KITS) {
  const scenarios = await scenariosToRun(kit, "client");
  describe.concurrent(`${kit.name}, as an agent's client`, () => {
    it.each(scenarios)(
      "B10 F24 %s",
      async (scenario) => await checkScenario(kit, kit.client, scenario, ["client", "--command", command]),
      SCENARIO_MS,
    );
  });
}
