import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";
import { type ServerFleet, serverFleet } from "../../server/fleet/fleet.ts";
import type { FleetView, RunView } from "../../web/fleet/fleet-view.ts";
import { COMMAND } from "../support/fleet-server.ts";

const WAIT = { timeout: 30_000, interval: 50 };

function opened(options: Parameters<typeof serverFleet>[0] = {}): ServerFleet {
  const fleet = serverFleet({ command: COMMAND, onError: () => undefined, ...options });
  onTestFinished(() => fleet.close());
  return fleet;
}

/** Makes a folder for temporary files, which this process and those that it starts use during the test. */
async function temporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "pawl-test-"));
  vi.stubEnv("TMPDIR", dir);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(dir, { recursive: true });
  });
  return dir;
}

describe("the limits of the fleet", () => {
  it("keeps at most four workers alive, and says how many are", async () => {
    const fleet = opened();
    fleet.start("ada", 1);
    expect(() => fleet.start("ada", 4)).toThrow(
      "At most 4 workers can be alive at a time; 1 are. Stop or kill one first.",
    );
    fleet.act("ada", "Robin", "kill");
    fleet.start("ada", 4);
    expect((await fleet.view("ada")).workers.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "Robin killed",
      "Wren starting",
      "Finch starting",
      "Heron starting",
      "Lark starting",
    ]);
  });

  it("takes at most 200 runs, and none before there is a fleet", async () => {
    const fleet = opened();
    await expect(fleet.send("ada", 1)).rejects.toThrow("The fleet is not running. Start a worker first.");
    fleet.start("ada", 1);
    await fleet.send("ada", 2);
    await expect(fleet.send("ada", 199)).rejects.toThrow(
      "A fleet takes 200 runs; 2 were sent. Stop everything and start again to send more.",
    );
    expect((await fleet.view("ada")).runs).toHaveLength(2);
  });

  it("belongs to the visitor who started it until that visitor stops it", async () => {
    const fleet = opened();
    fleet.start("ada", 1);
    await fleet.send("ada", 1);
    expect(await fleet.view("bob")).toMatchObject({ state: "elsewhere", workers: [], runs: [] });
    for (const asked of [
      async () => fleet.start("bob", 1),
      async () => fleet.act("bob", "Robin", "kill"),
      () => fleet.send("bob", 1),
      () => fleet.end("bob"),
    ])
      await expect(asked()).rejects.toMatchObject({ code: "session_busy" });
    await fleet.end("ada");
    expect(await fleet.view("bob")).toMatchObject({ state: "off" });
  });

  it("freezes no process where the system cannot, and does nothing to a worker that has ended", () => {
    const fleet = opened({ canFreeze: false });
    fleet.start("ada", 1);
    expect(() => fleet.act("ada", "Robin", "freeze")).toThrow("This system cannot freeze a process.");
    fleet.act("ada", "Robin", "kill");
    expect(() => fleet.act("ada", "Robin", "stop")).toThrow("Robin is killed, so this is not possible now.");
    expect(() => fleet.act("ada", "Wren", "kill")).toThrow("There is no such worker.");
  });

  it("ends with its files once its visitor has left", async () => {
    const dir = await temporaryFolder();
    const fleet = opened({ idleMs: 300 });
    fleet.start("ada", 1);
    // Read at once, because on a busy machine the visitor's 300 ms may be over after the next `await`.
    expect(readdirSync(dir)).toHaveLength(1);
    await expect.poll(async () => (await fleet.view("bob")).state, WAIT).toBe("off");
    await expect.poll(() => readdir(dir), WAIT).toEqual([]);
  });
});

it("leaves no worker and no file behind when the server is killed, not even with a frozen worker", async () => {
  const dir = await temporaryFolder();
  const program = join(import.meta.dirname, "../support/fleet-process.ts");
  const server = spawn(process.execPath, [...NODE_FLAGS, program], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await expect.poll(() => output, WAIT).toContain("port ");
  const address = `http://127.0.0.1:${/\d+/.exec(output)}/livez`;
  // A frozen process still takes connections, which it does not answer.
  const answer = () =>
    fetch(address, { signal: AbortSignal.timeout(200) }).then(
      ({ status }) => status,
      (error) => error.cause?.code ?? error.name,
    );
  expect(await answer()).toBe("TimeoutError");
  server.kill("SIGKILL");
  await once(server, "exit");
  await expect.poll(answer, WAIT).toBe("ECONNREFUSED");
  expect(await readdir(dir)).toEqual([]);
}, 60_000);

describe("a fleet of two workers", () => {
  let fleet: ServerFleet;
  const look = () => fleet.view("ada");
  /** Looks until the fleet is as it should be. */
  const until = async (is: (view: FleetView) => boolean): Promise<FleetView> => {
    await vi.waitUntil(async () => is(await look()), WAIT);
    return await look();
  };
  const allDone = ({ runs }: FleetView) => runs.every(({ state }) => state === "done");
  /** Sends runs, and resolves once the worker has done a step of one. */
  const sendTo = async (name: string, count: number) => {
    await fleet.send("ada", count);
    const hasBegun = ({ worker, steps }: RunView) => worker === name && steps.length > 0;
    await until(({ runs }) => runs.some(hasBegun));
  };

  beforeAll(async () => {
    fleet = serverFleet({ command: COMMAND, pace: { stepMs: 200, leaseMs: 1_000, places: 3 } });
    fleet.start("ada", 2);
    await until(({ workers }) => workers.every(({ ready }) => ready === true));
  }, 60_000);
  afterAll(() => fleet.close());

  it("Q1 O3 continues the runs of a frozen worker in the other one, and takes it back", async () => {
    await sendTo("Robin", 6);
    fleet.act("ada", "Robin", "freeze");
    const { runs, metrics } = await until(allDone);
    const lost = runs.filter(({ lostBy }) => lostBy.includes("Robin"));
    expect(lost.length).toBeGreaterThan(0);
    for (const { steps } of lost) expect([steps.length, steps.at(-1)]).toEqual([6, "Wren"]);
    const takeovers = runs.flatMap(({ lostBy }) => lostBy).length;
    expect(metrics).toMatchObject({ active: 0, waiting: 0, takeovers });
    expect(metrics.wakes).toBeGreaterThan(0);
    const [frozen] = (await look()).workers;
    expect(frozen).toMatchObject({ state: "frozen", ready: null, active: null });
    fleet.act("ada", "Robin", "thaw");
    await until(({ workers }) => workers[0]?.ready === true);
  }, 60_000);

  it("Q1 continues the runs of a killed worker in the other one", async () => {
    await sendTo("Wren", 6);
    fleet.act("ada", "Wren", "kill");
    const { runs, workers } = await until(allDone);
    const lost = runs.slice(6).filter(({ lostBy }) => lostBy.includes("Wren"));
    expect(lost.length).toBeGreaterThan(0);
    for (const { steps } of lost) expect([steps.length, steps.at(-1)]).toEqual([6, "Robin"]);
    expect(workers.map(({ state }) => state)).toEqual(["ready", "killed"]);
  }, 60_000);

  it("Q5 O3 counts what waits in the log when no worker is alive, and leaves runs when one is stopped", async () => {
    await sendTo("Robin", 2);
    fleet.act("ada", "Robin", "stop");
    const { metrics, runs } = await until(({ workers }) => workers[0]?.state === "stopped");
    const open = runs.filter(({ state }) => state === "waiting");
    expect(metrics).toMatchObject({ active: 0, waiting: open.length });
    expect(open.length).toBeGreaterThan(0);
    expect(open.flatMap(({ lostBy }) => lostBy)).toEqual([]);
  }, 60_000);
});
