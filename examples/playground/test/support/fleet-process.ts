// A server with two workers, one of which is frozen. Prints their ports, and stays until it is killed.
import { setTimeout } from "node:timers/promises";
import { openFleet } from "../../server/fleet/open-fleet.ts";
import { COMMAND } from "./fleet-server.ts";

const pace = { stepMs: 100, leaseMs: 1_000, strandedMs: 10_000, places: 1 };
const fleet = openFleet(COMMAND, pace, console.error);
fleet.start();
fleet.start();
while (fleet.workers.some(({ port }) => port === undefined)) await setTimeout(50);
fleet.workers[0]?.freeze();
while ((await fleet.workers[0]?.ask()) !== undefined) await setTimeout(50);
console.log(`ports ${fleet.workers.map(({ port }) => port).join(" ")}`);
await setTimeout(60_000);
