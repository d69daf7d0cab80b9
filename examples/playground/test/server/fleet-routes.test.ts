import { memoryStore, runtime } from "@pawl/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { playgroundApp } from "../../server/app.ts";
import { serverFleet } from "../../server/fleet/fleet.ts";
import { workerMetrics } from "../../server/fleet/metrics.ts";
import { COMMAND } from "../support/fleet-server.ts";

function served({ host = "127.0.0.1", trustProxy = false } = {}) {
  const fleet = serverFleet({ command: COMMAND });
  onTestFinished(() => fleet.close());
  const app = playgroundApp({
    runtime: runtime({ agents: [], store: memoryStore() }),
    agents: [],
    fleet,
    info: { model: "scripted", simulated: true },
    host,
    webDir: import.meta.dirname,
    trustProxy,
    onError: () => undefined,
  });
  return async (path: string, json?: unknown, headers: Record<string, string> = {}) => {
    const cookie = `pawl_browser=${"a".repeat(43)}`;
    const method = json === undefined ? {} : { method: "POST", body: JSON.stringify(json) };
    const request = { ...method, headers: { "content-type": "application/json", cookie, ...headers } };
    const response = await app.fetch(new Request(`http://localhost:4321/api/${path}`, request));
    const body = (await response.json()) as { error?: { message: string } };
    return { status: response.status, body, headers: response.headers };
  };
}

describe("the routes of the fleet", () => {
  it("start nothing until they are asked to", async () => {
    const ask = served();
    expect((await ask("info")).body).toMatchObject({ fleet: true });
    const { body, headers } = await ask("fleet");
    expect(body).toMatchObject({ state: "off", workers: [], runs: [] });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it.each([
    ["workers", { count: 5 }, "The body must be { count }, a number from 1 to 4."],
    ["workers", { count: 0.5 }, "The body must be { count }, a number from 1 to 4."],
    ["runs", { count: 201 }, "The body must be { count }, a number from 1 to 200."],
    ["workers/Robin", { action: "exec" }, "The body must be { action }, one of stop, kill, freeze, thaw."],
    ["runs", { count: 1, more: "x".repeat(1_000) }, "The body may have at most 1000 bytes."],
  ])("refuse what is no request: %s %j", async (path, json, message) => {
    const { status, body } = await served()(`fleet/${path}`, json);
    expect([status, body]).toEqual([400, { error: { code: "invalid_input", message } }]);
  });

  it("say that a fleet must be started first", async () => {
    const { status, body } = await served()("fleet/workers/Robin", { action: "kill" });
    expect(status).toBe(404);
    expect(body.error?.message).toBe("The fleet is not running. Start a worker first.");
  });

  it("refuse pages of other sites, which start nothing", async () => {
    const ask = served();
    expect((await ask("fleet/workers", { count: 1 }, { origin: "https://evil.example" })).status).toBe(403);
    expect((await ask("fleet")).body).toMatchObject({ state: "off" });
  });

  it.each([{ host: "0.0.0.0" }, { trustProxy: true }])(
    "do not exist where others reach the server: %j",
    async (at) => {
      const ask = served(at);
      expect((await ask("info")).body).not.toHaveProperty("fleet");
      expect((await ask("fleet")).body).toMatchObject({
        state: "unavailable",
        message: expect.stringContaining("works only where you run the playground on your own machine"),
      });
      expect((await ask("fleet/workers", { count: 1 })).status).toBe(404);
    },
  );
});

it("O3 reads metrics with labels of any text, and adds up the samples of one name", () => {
  const text = `# HELP pawl_run_active Runs.
# TYPE pawl_run_active gauge
pawl_run_active{scope="a } 7 \\"x\\" {"} 3
pawl_run_active 2 1732700000000
pawl_run_waiting 0
pawl_run_wake_duration_count{scope="a"} 4
pawl_run_wake_duration_sum{scope="a"} 3.5
pawl_run_wake_duration_bucket{scope="a",le="+Inf"} 4
`;
  expect(workerMetrics(text)).toEqual({
    active: 5,
    waiting: 0,
    stranded: 0,
    takeovers: 0,
    wakes: 4,
    wakeSeconds: 3.5,
  });
});
