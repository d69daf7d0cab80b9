import { expect, it } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { settled } from "../../../../test/support/settled.ts";
import { until } from "../../../../test/support/until.ts";
import { memoryFiles, memoryStore } from "../../src/index.ts";
import { base64, filing } from "../support/file-runs.ts";
import { png } from "../support/files.ts";

const hello = { text: "I see." };

/** A session with a picture, and another process whose only place for files is taken until `gate.isOpen`. */
async function crowded() {
  const files = memoryFiles();
  const store = memoryStore();
  const first = filing([hello], { files, store });
  const { sessionId } = await first.say([{ type: "file", data: png(1, 1) }]);
  const { id } = await first.pawl.files.put("eve", png(2, 2));
  const read: string[] = [];
  const gate = { isOpen: false };
  const slow = {
    ...files,
    get: async (path: string) => {
      if (/\/[0-9a-f]{64}$/.test(path)) read.push(path.split("/")[0] ?? "");
      if (path === `eve/uploads/${id}`) await until(() => gate.isOpen);
      return await files.get(path);
    },
  };
  const workLimits = { files: 1, waitMs: 50 };
  const { pawl, say, model, sent } = filing([hello], { files: slow, store }, { workLimits });
  const hers = pawl.files.get("eve", id);
  await until(() => read.length === 1);
  return { pawl, say, model, sent, gate, read, hers, sessionId };
}

it("B7 F1 a request to the model waits for its files as long as it takes", async () => {
  const { say, sent, gate, hers, sessionId, read } = await crowded();
  const run = say("Again?", { sessionId });
  await pause(200, "longer than a request would wait");
  expect(read).toEqual(["eve"]);
  gate.isOpen = true;
  expect((await run).text).toBe("I see.");
  expect(JSON.stringify(sent()[0])).toContain(base64(png(1, 1)));
  await hers;
});

it("B7 F1 a run that is stopped gives up its place in the line", async () => {
  const { pawl, say, model, gate, hers, sessionId, read } = await crowded();
  const control = new AbortController();
  const run = say("Again?", { sessionId, signal: control.signal });
  await until(async () => (await pawl.store.sessions.get(sessionId))?.status === "active");
  await settled();
  control.abort();
  expect((await run).stop.type).toBe("aborted");
  gate.isOpen = true;
  await hers;
  await settled();
  expect(read.filter((user) => user === "ada")).toEqual([]);
  expect(model.requests).toEqual([]);
});
