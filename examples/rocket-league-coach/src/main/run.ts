import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { messageOf } from "@pawl/core";
import { nodeListener } from "@pawl/sse/node";
import { type Config, readConfig } from "./config.ts";
import type { Program } from "./programs.ts";

/** How long a shutdown may take, in milliseconds. */
const CLOSING_MS = 9_000;

/** Adds the variables of `.env` to the environment, if there is such a file. */
export function loadEnvFile(): void {
  const file = join(import.meta.dirname, "../../.env");
  if (existsSync(file)) process.loadEnvFile(file);
}

/** Runs a program on a port until the process gets SIGTERM or SIGINT. Reads `.env` first, if there is one. */
export async function run(
  name: string,
  open: (config: Config) => Promise<Program>,
  portOf: (config: Config) => number,
  ready?: (config: Config, url: string) => Promise<void>,
): Promise<void> {
  try {
    loadEnvFile();
    const config = readConfig(process.env);
    const program = await open(config);
    const server = createServer(nodeListener(program.serve));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(portOf(config), config.host, resolve);
    });
    const close = async () => {
      // No data is lost if something hangs: the log is complete at any time.
      setTimeout(() => process.exit(0), CLOSING_MS).unref();
      server.close();
      await program.close();
      process.exit(0);
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.once(signal, () => void close().catch(() => process.exit(1)));
    const { port } = server.address() as AddressInfo;
    const url = `http://${config.host}:${port}`;
    console.log(`${name} ready at ${url}`);
    await ready?.(config, url);
  } catch (error) {
    console.error(messageOf(error));
    process.exit(1);
  }
}
