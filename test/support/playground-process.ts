import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "./bundled.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import { prepareDatabase } from "./prepared-database.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A playground server in a process of its own, with a directory of its own. */
export interface PlaygroundProcess {
  readonly url: string;
  readonly dir: string;
  /** Starts the server and waits until it is ready. */
  start(): Promise<void>;
  /** Kills the process with SIGKILL, and waits for its end. */
  kill(): Promise<void>;
  /** Ends the server with SIGTERM. Resolves to the exit code. */
  leave(): Promise<number | null>;
  /** Ends the server and removes its directory. */
  remove(): Promise<void>;
  /** The output of the server so far. */
  readonly output: string;
}

/** Prepares a playground on a free port. It uses the Messages API at `apiUrl`. Default: its own simulator. */
export async function playgroundProcess(
  apiUrl: string | undefined,
  env: Readonly<Record<string, string>> = {},
): Promise<PlaygroundProcess> {
  const dir = await mkdtemp(join(tmpdir(), "pawl-"));
  await prepareDatabase(join(dir, "db"));
  const program = await bundled(join(root, "examples/playground/server/main.ts"));
  const port = await freePort();
  const state: { child: ChildProcess | undefined; output: string } = { child: undefined, output: "" };
  const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...inherited } = process.env;
  const start = async () => {
    const child = spawn(process.execPath, [...NODE_FLAGS, program], {
      cwd: root,
      env: {
        ...inherited,
        PORT: String(port),
        PAWL_DIR: dir,
        ...(apiUrl !== undefined && { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: apiUrl }),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    state.child = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const hear = (chunk: Buffer) => {
      state.output += chunk.toString();
      if (/ready at/i.test(chunk.toString())) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code) => reject(new Error(`The playground ended with ${code}:\n${state.output}`)));
    await promise;
  };
  const end = async (signal: NodeJS.Signals) => {
    const { child } = state;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    child.kill(signal);
    const [code] = await once(child, "exit");
    return code as number | null;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    dir,
    start,
    kill: async () => void (await end("SIGKILL")),
    leave: () => end("SIGTERM"),
    remove: async () => {
      await end("SIGKILL");
      await rm(dir, { recursive: true, force: true });
    },
    get output() {
      return state.output;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
