import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type PostgresServer, postgresServer } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Resolves to the connection string of the Postgres that all tests share. */
    postgres: string;
  }
}

/**
 * Provides one Postgres for a whole test run, in vitest's own process. It starts when the first test file
 * asks for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await postgresDesk();
  project.provide("postgres", address);
  return close;
}

/** Opens an address that answers with the connection string of a Postgres, which starts at the first request. */
export async function postgresDesk(): Promise<{ address: string; close(): Promise<void> }> {
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
  return {
    address: `http://127.0.0.1:${(desk.address() as AddressInfo).port}`,
    async close() {
      desk.close();
      desk.closeAllConnections();
      await (await server?.catch(() => undefined))?.remove();
    },
  };
}
