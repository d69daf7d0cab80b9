import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";
import { until } from "../../../../test/support/until.ts";

const main = await bundled(new URL("../../src/command/main.ts", import.meta.url).pathname);

/** Returns the path of an app in this folder. */
export const app = (name: string): string => new URL(name, import.meta.url).pathname;

/** Starts `pawl`, and kills it at the end of the test. */
export function pawl(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcess = spawn(process.execPath, [...NODE_FLAGS, main, ...args], {
    env: { ...process.env, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exit = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  const printed = async (text: string | RegExp) => {
    await until(() => {
      if (output.match(text)) return true;
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${output}`);
      return false;
    });
  };
  return { child, exit, printed, output: () => output };
}

/** Starts a worker for an app on any port. Resolves once it works. */
export async function worker(name: string, { args = [] as string[], env = {} } = {}) {
  const command = pawl(["worker", app(name), "--port", "0", "--host", "127.0.0.1", ...args], env);
  await command.printed(/port \d+/);
  const [, port] = /port (\d+)/.exec(command.output()) ?? [];
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { ...command, port: Number(port), get };
}
