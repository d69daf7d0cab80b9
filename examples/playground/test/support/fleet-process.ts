// A server with a frozen worker. Prints the worker's port, and stays until it is killed.

import { pause } from "../../../../test/support/pause.ts";
import { until } from "../../../../test/support/until.ts";
import { openFleet } from "../../server/fleet/open-fleet.ts";
import { COMMAND } from "./fleet-server.ts";

const pace = { stepMs: 100, leaseMs: 1_000, strandedMs: 10_000, places: 1 };
const fleet = openFleet(COMMAND, pace, console.error);
fleet.start();
const [worker] = fleet.workers;
await until(() => worker?.port !== undefined);
worker?.freeze();
await until(async () => (await worker?.ask()) === undefined);
console.log(`port ${worker?.port}`);
await pause(60_000, "it is killed by then");
