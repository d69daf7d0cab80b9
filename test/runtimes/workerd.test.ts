import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { pause } from "../support/pause.ts";
import { allowPrinted, expectPrinted } from "../support/printed.ts";
import { until } from "../support/until.ts";
import {
  beginAndLeave,
  bundled,
  checkProgram,
  checkRun,
  eventsOf,
  installed,
  readUntil,
} from "./support/program.ts";

interface Miniflare {
  ready: Promise<URL>;
  dispose(): Promise<void>;
}

const worker = (MODE: "plain" | "waits" | "own-tail" | "object") => served("worker.js", { MODE });

/** Starts a program on workerd, without the flags for Node's modules. */
async function served(
  program: string,
  bindings: { MODE?: string } = {},
  options: object = {},
): Promise<string> {
  const { Miniflare } = installed<{ Miniflare: new (options: object) => Miniflare }>("miniflare");
  const server = new Miniflare({
    modules: true,
    script: readFileSync(await bundled(program, "browser"), "utf8"),
    compatibilityDate: "2026-07-01",
    // Otherwise it looks for a host on the net.
    cf: false,
    bindings,
    ...("MODE" in bindings && { durableObjects: { SESSIONS: { className: "Sessions", useSQLite: true } } }),
    ...options,
  });
  onTestFinished(async () => await server.dispose());
  return (await server.ready).href.replace(/\/$/, "");
}

const types = async (url: string, sessionId: string): Promise<string[]> =>
  (await eventsOf(url, sessionId)).map(({ type }) => type);

it("U4 on Workers without `waitUntil`, the next reader finishes a run that was cut off", async () => {
  expectPrinted("different request context");
  // Its stack is printed line by line.
  allowPrinted(/^\s+at /);
  const url = await worker("plain");
  const sessionId = await beginAndLeave(url);
  await pause(900, "longer than the whole run takes, which was cut off");
  expect(await types(url, sessionId)).not.toContain("run_ended");
  await readUntil(`${url}/sessions/${sessionId}/stream`, "run_ended");
  expect((await types(url, sessionId)).filter((type) => type === "run_recovered")).toHaveLength(1);
  await checkRun(url, sessionId);
});

it("U4 on Workers with `waitUntil`, a run ends without a reader", async () => {
  const url = await worker("waits");
  const sessionId = await beginAndLeave(url);
  await until(async () => (await types(url, sessionId)).includes("run_ended"));
  await checkRun(url, sessionId);
  expect(await types(url, sessionId)).not.toContain("run_recovered");
});

it("U4 on Workers with `waitUntil`, the next reader reads the run live", async () => {
  await checkProgram(await worker("waits"));
});

it.each(["waits", "own-tail"] as const)(
  "U4 on Workers with a shared store (%s), a reader that begins in the middle hears of the run's end",
  async (mode) => {
    const url = await worker(mode);
    for (let run = 0; run < 3; run += 1) {
      const sessionId = await beginAndLeave(url);
      const headers = { "last-event-id": `${(await eventsOf(url, sessionId)).length}` };
      // A lost wake-up would cost a minute, and a read may take 8 s.
      await readUntil(`${url}/sessions/${sessionId}/stream`, "run_ended", { headers });
      await checkRun(url, sessionId);
    }
  },
);

it("U4 on Workers with `enable_request_signal`, a run ends without a reader, and the tail forgets those that left", async () => {
  let printed = "";
  const url = await served(
    "worker.js",
    { MODE: "waits" },
    {
      compatibilityFlags: ["enable_request_signal"],
      handleRuntimeStdio: (_output: Readable, errors: Readable) =>
        errors.on("data", (chunk) => {
          printed += chunk;
        }),
    },
  );
  const sessionId = await beginAndLeave(url);
  for (let readers = 0; readers < 3; readers += 1)
    await readUntil(`${url}/sessions/${sessionId}/stream`, "text_delta");
  await until(async () => (await types(url, sessionId)).includes("run_ended"));
  await checkRun(url, sessionId);
  // Workerd prints it, and cancels what waits, if a reader is woken whose request is over.
  expect(printed).not.toContain("different request context");
});

it("U4 in a Durable Object, a run ends without a reader, and the next reader reads it live", async () => {
  const url = await worker("object");
  await checkProgram(url);
  const sessionId = await beginAndLeave(url);
  await until(async () => (await types(url, sessionId)).includes("run_ended"));
  await checkRun(url, sessionId);
});

it.each(["scripted", "strict"])(
  "the %s model of @pawl/testing runs on Workers without Node's modules",
  async (kind) => {
    const response = await fetch(`${await served("models.js")}/${kind}`);
    expect(await response.json()).toEqual({ text: "It rains.", stop: "end_turn", rejected: [] });
  },
);
