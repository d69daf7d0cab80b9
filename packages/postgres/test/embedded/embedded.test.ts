import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { StoredEvent } from "@pawl/core";
import { type EmbeddedStore, embeddedStore } from "@pawl/postgres/embedded";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";
import { prepareDatabase } from "../../../../test/support/prepared-database.ts";
import { settled } from "../../../../test/support/settled.ts";
import { lockDirectory } from "../../src/embedded/directory-lock.ts";

const appender = await bundled(new URL("../support/appender.ts", import.meta.url).pathname);

let root: string;
const children: ChildProcess[] = [];
const stores: EmbeddedStore[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pawl-"));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await rm(root, { recursive: true, force: true });
});

/** A directory with an empty log in it. */
async function fresh(): Promise<string> {
  const dataDir = join(root, "log");
  await prepareDatabase(dataDir);
  return dataDir;
}

/** A process that opens the directory, and the lines it writes. */
function child(dataDir: string, mode = "append") {
  const process_ = spawn(process.execPath, [...NODE_FLAGS, appender, dataDir, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(process_);
  return { process: process_, lines: createInterface({ input: process_.stdout })[Symbol.asyncIterator]() };
}

async function kill(process_: ChildProcess): Promise<void> {
  if (process_.exitCode !== null || process_.signalCode !== null) return;
  process_.kill("SIGKILL");
  await once(process_, "exit");
}

async function open(dataDir: string): Promise<EmbeddedStore> {
  const store = await embeddedStore({ dataDir });
  stores.push(store);
  return store;
}

async function eventsOf(store: EmbeddedStore): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of store.read("s")) events.push(event);
  return events;
}

describe("embeddedStore on disk", () => {
  it("E2 three rounds of kill -9 in the middle of appending lose nothing acknowledged", async () => {
    const dataDir = await fresh();
    let before = 0;
    for (let round = 1; round <= 3; round += 1) {
      const { process: writer, lines } = child(dataDir);
      let acknowledged = 0;
      // Each round is killed at another place, in the middle of an append.
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        if (!line.value.startsWith("stored")) expect(line.value).toBe("open");
        else acknowledged = Number(line.value.slice("stored ".length));
        if (acknowledged > before + 40 * round) writer.kill("SIGKILL");
      }
      await kill(writer);
      expect(acknowledged).toBeGreaterThan(before);

      const store = await open(dataDir);
      const events = await eventsOf(store);
      expect(events.length).toBeGreaterThanOrEqual(acknowledged);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
      const session = await store.sessions.get("s");
      expect(session).toMatchObject({ lastSeq: events.length, costUsd: events.length, openRun: "run" });
      expect((await store.listRecoverable({ limit: 10 })).map((row) => row.id)).toEqual(["s"]);
      await store.close();
      before = events.length;
    }
  }, 180_000);

  it("E2 a directory in use is refused to another process, and free at once when its owner is killed", async () => {
    const dataDir = await fresh();
    const owner = child(dataDir, "hold");
    expect((await owner.lines.next()).value).toBe("open");
    await expect(embeddedStore({ dataDir })).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining(dataDir),
      details: { directory: dataDir },
    });

    await kill(owner.process);
    const store = await open(dataDir);
    const stale = { sessionId: "s", holder: `leg ${owner.process.pid}`, epoch: 1 };
    const event = { type: "a.b", data: 1 } as const;
    await expect(store.append("s", [event], { appendId: "1", lease: stale })).rejects.toMatchObject({
      code: "fenced",
    });
    expect(await store.renew(stale, 1_000)).toBe(false);
    expect((await store.acquire("s", "new leg", 1_000))?.epoch).toBeGreaterThan(2);
  }, 60_000);

  it("E2 of two processes that start at once exactly one gets the directory", async () => {
    const dataDir = join(root, "log");
    const both = [child(dataDir, "hold"), child(dataDir, "hold")];
    const said = await Promise.all(both.map(async ({ lines }) => String((await lines.next()).value)));
    expect(said.filter((line) => line === "open")).toHaveLength(1);
    expect(said.filter((line) => line.startsWith("refused store_unavailable"))).toHaveLength(1);
  }, 60_000);

  it("E2 a store that was never closed lets its process end, also after a recovery", async () => {
    const dataDir = await fresh();
    const killed = child(dataDir, "hold");
    expect((await killed.lines.next()).value).toBe("open");
    await kill(killed.process);
    const { process: leaver } = child(dataDir, "leave");
    const [code] = await once(leaver, "exit", { signal: AbortSignal.timeout(50_000) });
    expect(code).toBe(7);
  }, 60_000);

  it("E2 a directory in use is refused to this process too, and free after close", async () => {
    const dataDir = await fresh();
    const first = await open(dataDir);
    await first.sessions.create({ id: "s", userId: "u", agent: "a" });
    await first.append("s", [{ type: "a.b", data: { z: 1, a: "\0" } }], { appendId: "1" });
    await expect(embeddedStore({ dataDir })).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(embeddedStore({ dataDir: join(root, "log", "..", "log") })).rejects.toThrow(/in use/);

    await Promise.all([first.close(), first.close()]);
    await expect(first.sessions.get("s")).rejects.toMatchObject({ code: "store_unavailable" });
    const second = await open(dataDir);
    expect((await eventsOf(second)).map((event) => event.data)).toEqual([{ z: 1, a: "\0" }]);
  }, 60_000);

  it("E2 a directory stays locked when its unlock function is garbage-collected", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const lock = async () => void (await lockDirectory(join(root, "log")));
    await lock();
    for (let n = 0; n < 5; n += 1) {
      collectGarbage();
      await settled();
    }
    await expect(lock()).rejects.toThrow(/in use/);
  });

  it("E2 a directory that cannot be opened is refused by name and not kept locked", async () => {
    const file = join(root, "file");
    await writeFile(file, "");
    await expect(embeddedStore({ dataDir: file })).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining(file),
    });

    const dataDir = await fresh();
    await writeFile(join(dataDir, "postgres", "PG_VERSION"), "7\n");
    const refusal = { code: "store_unavailable", message: expect.stringContaining("cannot be opened") };
    await expect(embeddedStore({ dataDir })).rejects.toMatchObject(refusal);
    await expect(embeddedStore({ dataDir })).rejects.toMatchObject(refusal);
  }, 60_000);
});
