import { describe, expect, it } from "vitest";
import { rawRequest } from "../../../test/support/raw-request.ts";
import { app, pawl, worker } from "./support/command.ts";

/** Runs `pawl` to its end. */
async function ran(...args: string[]) {
  const { exit, output } = pawl(args);
  return { code: await exit, output: output() };
}

describe("pawl worker", () => {
  it("Q5 F25 lets a run finish its turn on SIGTERM, is not ready meanwhile, closes the app, and ends with 0", async () => {
    const { child, exit, printed, output, get } = await worker("app.ts", { env: { ANSWER_MS: "1000" } });
    expect(output()).toContain("agents coach");
    await printed("asked");
    expect((await get("/readyz")).status).toBe(200);
    child.kill("SIGTERM");
    await printed("SIGTERM");
    expect(await get("/readyz")).toEqual({ status: 503, text: '{"ready":false,"reason":"draining"}' });
    expect((await get("/livez")).status).toBe(200);
    expect(await exit).toBe(0);
    expect(output()).toContain("closed after end_turn\npawl worker: drained\n");
  });

  it("Q5 ends at once on a second signal", async () => {
    const { child, exit, printed, output } = await worker("app.ts", { env: { ANSWER_MS: "60000" } });
    await printed("asked");
    child.kill("SIGTERM");
    await printed("SIGTERM");
    child.kill("SIGINT");
    expect(await exit).toBe(130);
    expect(output()).not.toContain("drained");
  });

  it("Q5 ends at a signal while the app is being loaded", async () => {
    const { child, exit, printed } = pawl(["worker", app("loading.ts"), "--port", "0"]);
    await printed("loading");
    child.kill("SIGTERM");
    expect(await exit).toBe(143);
  });

  it("Q5 serves what the app measures by OpenTelemetry, in the format of Prometheus", async () => {
    const { get } = await worker("app.ts");
    const { status, text } = await get("/metrics");
    expect(status).toBe(200);
    expect(text).toMatch(/^app_loaded_total\{.*\} 1$/m);
  });

  it("Q5 U6 names the paths that it serves to a request for another one", async () => {
    const { get } = await worker("app.ts");
    const { status, text } = await get("/metric?a=1");
    expect(status).toBe(404);
    expect(JSON.parse(text)).toEqual({
      error: {
        code: "not_found",
        message: "No such path: GET /metric. This worker serves /livez, /readyz and /metrics.",
      },
    });
  });

  it("Q5 answers health checks over HTTP/1.0 without a host, through a proxy, and by HEAD", async () => {
    const { port } = await worker("app.ts");
    for (const path of ["/livez", "/readyz", "/metrics"])
      for (const lines of [
        [`GET ${path} HTTP/1.0`],
        [`HEAD ${path} HTTP/1.0`],
        [`GET http://worker.test${path}?a=1 HTTP/1.0`],
        [`GET ${path} HTTP/1.1`, "host: x", "connection: close"],
      ]) {
        const { status, body } = await rawRequest(port, lines);
        expect([lines[0], status, body === ""]).toEqual([lines[0], 200, lines[0]?.startsWith("HEAD")]);
      }
  });

  it("Q5 names the methods that its paths accept", async () => {
    const { port } = await worker("app.ts");
    for (const path of ["/livez", "/metrics"]) {
      const { status, head } = await rawRequest(port, [`POST ${path} HTTP/1.0`, "content-length: 0"]);
      expect([status, /^allow: GET, HEAD$/im.test(head)]).toEqual([405, true]);
    }
  });

  it("Q5 checks an app without working", async () => {
    expect(await ran("worker", app("app.ts"), "--check")).toEqual({
      code: 0,
      output: "closed after undefined\npawl worker: agents coach; the store answers\n",
    });
  });

  it("Q5 fails a check if the store does not answer", async () => {
    const { code, output } = await ran("worker", app("store-fails.ts"), "--check");
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^The store of .*store-fails.ts did not answer/),
    ]);
  });

  it.each([
    ["no such file", app("gone.ts"), /^There is no file at .*gone\.ts\.\n$/],
    ["no runtime", app("no-runtime.ts"), /must export `pawl`, a runtime, .*; it exports agents, store\.\n$/],
    ["a number", app("number.ts"), /^`pawl` of .*number\.ts must be a runtime, .*; got a number\.\n$/],
    ["a promise", app("promised.ts"), /must be a runtime, .*; got a promise: use top-level await\.\n$/],
    [
      "an error",
      app("fails.ts"),
      /failed while it was loaded: DATABASE_URL is missing\nError: .*\n {4}at .*fails\.ts/,
    ],
  ])("Q5 U6 names what is wrong with a module: %s", async (_, path, message) => {
    const { code, output } = await ran("worker", path, "--port", "0");
    expect(code).toBe(1);
    expect(output).toMatch(message);
  });

  it("Q5 names a port that is taken", async () => {
    const { output, get } = await worker("app.ts");
    const [, port = ""] = /port (\d+)/.exec(output()) ?? [];
    const second = await ran("worker", app("app.ts"), "--port", port, "--host", "127.0.0.1");
    expect(second.code).toBe(1);
    expect(second.output).toContain(`The port ${port} cannot be used: listen EADDRINUSE`);
    expect((await get("/livez")).status).toBe(200);
  });
});
