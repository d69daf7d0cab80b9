import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { pause } from "../support/pause.ts";
import { until } from "../support/until.ts";
import { objectServer } from "./support/objects.ts";
import { beginAndLeave, checkRun, eventsOf, readUntil } from "./support/program.ts";

const ada = { authorization: "Bearer ada" };

const served = (agent: "walker" | "asker", more: object = {}) =>
  objectServer("object-worker.js", { bindings: { AGENT: agent }, ...more });

/** A folder for objects that outlive their server. */
function disk(): { durableObjectsPersist: string } {
  const folder = mkdtempSync(join(tmpdir(), "pawl-objects-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { durableObjectsPersist: folder };
}

const types = async (url: string, sessionId: string) =>
  (await eventsOf(url, sessionId, ada)).map(({ type }) => type);

it("U4 in an agentObject, a run ends without a reader, and the next reader reads it live", async () => {
  const { url } = await served("walker");
  const unread = await beginAndLeave(url, ada);
  await until(async () => (await types(url, unread)).includes("run_ended"));
  await checkRun(url, unread, ada);

  const sessionId = await beginAndLeave(url, ada);
  const { read } = await readUntil(`${url}/sessions/${sessionId}/stream`, "run_ended", { headers: ada });
  expect(read).toContain("text_delta");
  await checkRun(url, sessionId, ada);
  expect(await types(url, sessionId)).not.toContain("run_recovered");
});

it("U4 E2 an agentObject whose process is killed in the middle of a run continues it by its alarm, without a request", async () => {
  const persisted = disk();
  const first = await served("walker", persisted);
  const sessionId = await beginAndLeave(first.url, ada);
  await first.stop();

  const second = await served("walker", persisted);
  // Requests would only read.
  await pause(5_000, "until the run has ended, nothing but the alarm may reach the object");
  await checkRun(second.url, sessionId, ada);
  expect((await types(second.url, sessionId)).filter((type) => type === "run_recovered")).toHaveLength(1);
});

it("F26 an agentObject answers a question with its default at its time, though its process was killed meanwhile", async () => {
  const persisted = disk();
  const first = await served("asker", persisted);
  const sessionId = await beginAndLeave(first.url, ada, "run_suspended");
  await first.stop();

  const second = await served("asker", persisted);
  await pause(4_000, "until its time has come, nothing but the alarm may reach the object");
  const events = await eventsOf(second.url, sessionId, ada);
  expect(events.find(({ type }) => type === "tool_answered")?.data).toMatchObject({ expired: true });
  expect(events.map(({ type }) => type)).not.toContain("tool_started");
  expect(events.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
});

it("E11 each user has an object of their own, and an object without a user's name serves nobody", async () => {
  let printed = "";
  const { url } = await served("walker", {
    handleRuntimeStdio: (_output: unknown, errors: import("node:stream").Readable) =>
      errors.on("data", (chunk) => {
        printed += chunk;
      }),
  });
  const sessionId = await beginAndLeave(url, ada);
  const status = async (authorization?: string) =>
    (
      await fetch(`${url}/sessions/${sessionId}`, {
        headers: authorization === undefined ? {} : { authorization },
      })
    ).status;
  expect(await status("Bearer ada")).toBe(200);
  expect(await status("Bearer bob")).toBe(404);
  expect(await status()).toBe(401);
  expect(await status("Bearer nameless")).toBe(500);
  expect(printed).toContain("getByName(userId)");
});
