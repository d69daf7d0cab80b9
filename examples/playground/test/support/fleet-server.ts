import { join } from "node:path";
import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coach, coachDeps } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
import { playgroundApp } from "../../server/app.ts";
import { type FleetOptions, type ServerFleet, serverFleet } from "../../server/fleet/fleet.ts";
import { type Listening, listen } from "../../server/listen.ts";

/** The command `pawl` from its sources, which need no build. */
export const COMMAND: string = join(import.meta.dirname, "../../../../packages/cli/src/command/main.ts");

export interface FleetServer extends Listening {
  fleet: ServerFleet;
}

/** Starts the playground with a coach in memory, and a fleet whose workers are real processes. */
export async function fleetServer(options: FleetOptions = {}, port = 0): Promise<FleetServer> {
  const model = scriptedModel(() => ({ text: "Hello." }));
  const pawl = runtime({
    agents: [coach({ model })],
    store: memoryStore(),
    deps: coachDeps({ files: memoryFiles() }),
  });
  const fleet = serverFleet({ command: COMMAND, ...options });
  const app = playgroundApp({
    runtime: pawl,
    fleet,
    info: { model: model.id, simulated: true },
    host: "127.0.0.1",
    webDir: join(import.meta.dirname, "..", "..", "dist", "web"),
    onError: console.error,
  });
  const listening = await listen(app, { host: "127.0.0.1", port });
  return {
    ...listening,
    fleet,
    close: async () => {
      await fleet.close();
      await listening.close();
    },
  };
}
