import { engineContract } from "@pawl/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import {
  freePort,
  NO_RESTATE,
  RESTATE,
  type RestateServer,
  restateServer,
} from "../../../test/restate/restate-server.ts";
import { type RestateEngine, restateEngine } from "../src/index.ts";

if (RESTATE === undefined) console.log(`The contract of engines is not tested with Restate: ${NO_RESTATE}.`);

describe.skipIf(RESTATE === undefined)("restateEngine()", () => {
  let server: RestateServer;
  let engine: RestateEngine;
  beforeAll(async () => {
    server = await restateServer();
    engine = restateEngine({ ingress: server.ingress, admin: server.admin, port: await freePort() });
    // Restate refuses wakes until it knows the engine's services.
    const worker = await engine.work(async () => undefined, { concurrency: 1 });
    await worker.stop();
  });
  afterAll(async () => {
    await engine?.close();
    await server?.remove();
  });

  for (const { name, run } of engineContract(async () => ({ engine }))) it(name, run);
});
