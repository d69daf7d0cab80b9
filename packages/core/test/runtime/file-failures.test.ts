import { describe, expect, it } from "vitest";
import * as z from "zod";
import { eachWay } from "../../../../test/support/each-way.ts";
import { type FileStore, memoryFiles, memoryStore, type StoredEvent, tool } from "../../src/index.ts";
import { base64, filing, refusalOf } from "../support/file-runs.ts";
import { png } from "../support/files.ts";
import { until } from "../support/setup.ts";

const hello = { text: "I see." };
const input = [{ type: "file" as const, data: png(3, 2), name: "lunch.png" }];

/** A session with a picture whose file store then fails until `isDown` is false. */
async function broken() {
  const clock = { ms: 0 };
  const files = memoryFiles();
  const store = memoryStore({ now: () => clock.ms });
  const { sessionId } = await filing([hello], { store, files }).say(input);
  const disk = { isDown: true };
  const flaky: FileStore = {
    ...files,
    get: async (path) => {
      if (disk.isDown) throw new Error("EIO");
      return await files.get(path);
    },
  };
  const start = () => filing([hello, hello], { store, files: flaky }, { onError: () => undefined });
  /** Another process picks the run up. */
  const recover = async () => {
    clock.ms += 60_000;
    const next = start();
    const before = (await next.log(sessionId)).length;
    await next.pawl.sweep();
    await until(async () => (await next.log(sessionId)).length > before);
    return next;
  };
  return { sessionId, disk, start, recover };
}

/** The stop reasons of a session's runs. */
const stopsOf = (events: readonly StoredEvent[]) =>
  events.flatMap(({ type, data }) => (type === "run_ended" ? [data.stop.type] : []));

describe("a file store that cannot be read", () => {
  it("F1 E2 interrupts the run, which goes on once the store is back", async () => {
    const { sessionId, disk, start, recover } = await broken();
    const { say, model } = start();
    expect(await refusalOf(say("And now?", { sessionId }))).toBe("store_unavailable: The file store failed.");
    expect(model.requests).toEqual([]);
    disk.isDown = false;
    const { log, sent } = await recover();
    await until(async () => stopsOf(await log(sessionId)).length === 2);
    expect(stopsOf(await log(sessionId))).toEqual(["end_turn", "end_turn"]);
    expect(JSON.stringify(sent()[0])).toContain(base64(png(3, 2)));
  });

  it("F1 E2 ends the run after a while, and the session takes the next message", async () => {
    const { sessionId, disk, start, recover } = await broken();
    const { say, log } = start();
    expect(await refusalOf(say("And now?", { sessionId }))).toContain("store_unavailable");
    for (let times = 0; times < 4; times += 1) await recover();
    await until(async () => stopsOf(await log(sessionId)).length === 2);
    expect(stopsOf(await log(sessionId))).toEqual(["end_turn", "crash_loop"]);
    disk.isDown = false;
    expect((await start().say("And now?", { sessionId })).text).toBe("I see.");
  });
});

describe.each(eachWay("files"))("a runtime %s", (way, as) => {
  it("F1 E2 a picture of a tool that the API refuses leaves the context, too", async () => {
    // With a file store, the picture is looked at when it is stored, and is never sent.
    const [rejected, why] = way.startsWith("without")
      ? [1, "[A file is left out: the model could not read it.]"]
      : [0, expect.stringContaining("[A file of this result is left out: ")];
    const source = { type: "base64", media_type: "image/png", data: base64(png(9_000, 9_000)) };
    const draw = tool({
      name: "draw",
      description: "Draws.",
      input: z.object({}),
      execute: () => "Drawn.",
      format: () => [{ type: "image", source }],
    });
    const script = [{ tools: [{ name: "draw", input: {} }] }, hello, hello];
    const { say, sent, model } = filing(script, { tools: [draw], as });
    const { sessionId, stop } = await say("Draw!");
    expect(stop.type).toBe("end_turn");
    expect(model.rejected).toHaveLength(rejected);
    expect(sent()[1]).toMatchObject({
      content: [{ type: "text", text: why }],
    });
    expect((await say("Thanks.", { sessionId })).stop.type).toBe("end_turn");
    expect(model.rejected).toHaveLength(rejected);
  });
});
