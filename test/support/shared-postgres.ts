import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type PostgresServer, postgresServer } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with the connection string of the run's Postgres. */
    postgres: string;
  }
}

/**
 * One Postgres for a whole run of the tests, in vitest's own process. It is started when the first test file
 * asks for it, so a run without such tests starts none.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const desk = createServer(async (_request, response) => {
    try {
      server ??= postgresServer({ fsync: "off", max_connections: "200" });
      response.end((await server).url());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }).listen(0, "127.0.0.1");
  await once(desk, "listening");
  project.provide("postgres", `http://127.0.0.1:${(desk.address() as AddressInfo).port}`);
  return async () => {
    desk.close();
    desk.closeAllConnections();
    await (await server?.catch(() => undefined))?.remove();
  };
}
