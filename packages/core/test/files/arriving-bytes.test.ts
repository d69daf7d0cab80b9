import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { memoryFiles } from "../../src/index.ts";
import { userFiles } from "../../src/runtime/files/files-within.ts";
import { refusalOf } from "../support/file-runs.ts";
import { png } from "../support/files.ts";

const large = (seed: number, bytes = 1_000_000) => png(1, 1, { bytes, seed });

describe("files whose bytes do not arrive", () => {
  const announced = 16_000_000;

  /** Begins four uploads of two users, which take all the room. Their pieces come when the test sends them. */
  async function fourUploads() {
    const clock = testClock();
    const files = userFiles(memoryFiles(), { clock: { ...clock, now: Date.now } });
    const send: ((bytes: number) => void)[] = [];
    const end = new AbortController();
    const outcomes = ["m1", "m1", "m2", "m2"].map((user) => {
      const queue = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_000 });
      const writer = queue.writable.getWriter();
      send.push((bytes) => void writer.write(new Uint8Array(bytes)).catch(() => undefined));
      end.signal.addEventListener("abort", () => void writer.abort("gone").catch(() => undefined));
      return refusalOf(files.put(user, queue.readable, { bytes: announced }));
    });
    for (const one of send) one(1);
    await settled();
    return { files, clock, send, end, outcomes };
  }

  it("B7 take no room from others after a second", async () => {
    const { files, clock, end, outcomes } = await fourUploads();
    let isStored = false;
    const other = files.put("ada", large(1)).then((file) => {
      isStored = true;
      return file;
    });
    await clock.advance(999);
    await settled();
    expect(isStored).toBe(false);
    await clock.advance(1);
    const { id } = await other;
    expect((await files.get("ada", id)).bytes).toBe(1_000_000);
    end.abort();
    await Promise.all(outcomes);
  });

  it("B7 keep their room as long as enough arrives, and then hold what has arrived", async () => {
    const { files, clock, send, end, outcomes } = await fourUploads();
    const waits = refusalOf(files.put("ada", large(1)));
    for (let second = 0; second < 10; second += 1) {
      for (const one of send) one(1_500_000);
      await settled();
      await clock.advance(1_000);
    }
    expect(await waits).toContain("overloaded");
    // They hold 60 MB, and send nothing more: there is room for 3 MB.
    await clock.advance(1_000);
    expect((await files.put("ada", large(2, 3_000_000))).bytes).toBe(3_000_000);
    // What arrives after all takes its room, before what is new.
    for (const at of [0, 2]) send[at]?.(1_900_000);
    await settled();
    const late = refusalOf(files.put("ada", large(3)));
    await clock.advance(10_000);
    expect(await late).toContain("overloaded");
    end.abort();
    await Promise.all(outcomes);
  });

  it("B7 are stored once they have arrived, as slowly as that may be", async () => {
    const { files, clock, send, end, outcomes } = await fourUploads();
    await clock.advance(1_000);
    const content = large(4);
    async function* slowly() {
      for (let at = 0; at < content.length; at += 50_000) {
        await clock.advance(1_000);
        yield content.subarray(at, at + 50_000);
      }
    }
    for (const one of send) one(15_000_000);
    await settled();
    expect((await files.put("ada", slowly(), { bytes: content.length })).bytes).toBe(1_000_000);
    end.abort();
    await Promise.all(outcomes);
  });
});
