import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundled } from "../../../test/support/bundled.ts";
import { NODE_FLAGS } from "../../../test/support/node-flags.ts";
import { testDatabase } from "../../../test/support/postgres.ts";
import { longestLeaseMs } from "../../../test/support/postgres-leases.ts";

/** How long a run of the killed worker waits. The default is longer. */
const LEASE_MS = 3_000;

const folder = join(import.meta.dirname, "..");
const program = (file: string) => bundled(join(folder, file));
const [cli, front] = await Promise.all([
  program("../../packages/cli/src/command/main.ts"),
  program("src/front.ts"),
]);

/** Starts a process of the example. Resolves to its address once it listens. */
async function started(args: readonly string[], databaseUrl: string, port: RegExp) {
  const child: ChildProcess = spawn(process.execPath, [...NODE_FLAGS, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PORT: "0",
      ANTHROPIC_API_KEY: "",
      PAWL_LEASE_MS: String(LEASE_MS),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await expect.poll(() => output, { timeout: 20_000 }).toMatch(port);
  const [, number] = port.exec(output) ?? [];
  return { child, exit, url: `http://127.0.0.1:${number}` };
}

type Started = Awaited<ReturnType<typeof started>>;

/** Reads a metric of a worker. */
async function metric({ url }: Started, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
}

it("Q1 Q5 O3 the fleet continues a run whose worker is killed, and counts the takeover", async () => {
  const database = await testDatabase();
  onTestFinished(async () => await database.drop());
  const working = () =>
    started([cli, "worker", "src/worker.ts", "--port", "0"], database.url, /; port (\d+) /);
  const [server, ...workers] = await Promise.all([
    started([front], database.url, /localhost:(\d+)/),
    working(),
    working(),
  ]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);

  const response = await fetch(`${server.url}/api/traveller/runs`, {
    method: "POST",
    headers: { "x-user": "ada", "content-type": "application/json" },
    body: JSON.stringify({ input: "What do I pack?" }),
  });
  const events = response.text();
  const active = async () => await Promise.all(workers.map((one) => metric(one, "pawl_run_active")));
  await expect.poll(active, { timeout: 10_000 }).toContain(1);
  const [before, after] = await active();
  expect(await longestLeaseMs(database.pool())).toBeLessThanOrEqual(LEASE_MS);
  const [dead, alive] = before === 1 ? workers : [...workers].reverse();
  expect([before, after].sort()).toEqual([0, 1]);
  dead?.child.kill("SIGKILL");

  expect(await events).toContain("Pack light.");
  expect(await metric(alive!, "pawl_run_takeovers_total")).toBe(1);
  expect(await metric(alive!, "pawl_run_ended_total")).toBe(1);
  expect(await metric(alive!, "pawl_run_waiting")).toBe(0);

  for (const { child, exit } of [server, alive!]) {
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  }
}, 120_000);
