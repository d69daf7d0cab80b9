import { afterAll, describe, it } from "vitest";
import { KITS } from "./baseline.ts";
import { startKitServer } from "./kit-server.ts";
import { checkScenario, SCENARIO_MS, scenariosToRun } from "./kits.ts";

// The kit calls `mcpHandler()` over HTTP, and judges what it answers.

const server = await startKitServer();

afterAll(server.close);

for (const kit of KITS) {
  const scenarios = await scenariosToRun(kit, "server");
  describe.concurrent(`${kit.name}, as a client of a served agent`, () => {
    it.each(scenarios)(
      "B10 F24 %s",
      async (scenario) => await checkScenario(kit, kit.server, scenario, ["server", "--url", server.url]),
      SCENARIO_MS,
    );
  });
}
