// A server with a frozen worker. Prints the worker's port, and stays until it is killed.
import { setTimeout } from "node:timers/promises";
import { openFleet } from "../../server/fleet/open-fleet.ts";
import { COMMAND } from "./fleet-server.ts";

const pace = { stepMs: 100, leaseMs: 1_000, strandedMs: 10_000, places: 1 };
const fleet = openFleet(COMMAND, pace, console.error);
fleet.start();
const [worker] = fleet.workers;
while (worker?.port === undefined) await setTimeout(50);
worker.freeze();
while ((await worker.ask()) !== undefined) await setTimeout(50);
console.log(`port ${worker.port}`);
await setTimeout(60_000);
