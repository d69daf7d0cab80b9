import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { closePages } from "../../../../test/support/browser.ts";
import { checkPageIsBuilt } from "./built-page.ts";
import { type TrainerServer, trainerServer } from "./trainer-server.ts";

/** Starts a trainer's server for the tests of a file, and closes it and the browser after them. */
export function servedTrainer(browser: Browser | undefined): () => TrainerServer {
  let server: TrainerServer | undefined;
  beforeAll(async () => {
    checkPageIsBuilt();
    server = await trainerServer();
  });
  afterAll(async () => {
    await closePages(browser);
    await server?.close();
  });
  return () => {
    if (server === undefined) throw new Error("The trainer's server has not started.");
    return server;
  };
}
