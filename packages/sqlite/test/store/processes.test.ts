import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { agent, runtime, type StoredEvent, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { bundled } from "../../../../test/support/bundled.ts";
import { NODE_FLAGS } from "../../../../test/support/node-flags.ts";
import { nodeSqlite, sqliteStore } from "../../src/index.ts";
import { newPath } from "../support/databases.ts";

const program = (name: string) => bundled(fileURLToPath(new URL(`../support/${name}.ts`, import.meta.url)));
const [appender, runner] = await Promise.all([program("appender"), program("runner")]);

/** What a process has acknowledged: the turn, and the `seq` of its first and last event. */
type Acknowledged = [turn: number, first: number, last: number];

/** Starts a process that appends. */
function appending(path: string, name: string, firstTurn = 0) {
  const child = spawn(process.execPath, [...NODE_FLAGS, appender, path, name, `${firstTurn}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => kill(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const acknowledged: Acknowledged[] = [];
  const opened = lines.next().then(({ value }) => value as unknown);
  return {
    name,
    acknowledged,
    opened,
    /** Reads until the process has acknowledged so many turns. */
    async until(turns: number) {
      expect(await opened).toBe("open");
      while (acknowledged.length < turns) {
        const line = await lines.next();
        if (line.done) break;
        acknowledged.push(line.value.split(" ").map(Number) as Acknowledged);
      }
    },
    /** Kills it in the middle of its work, and reads what it had printed. */
    async kill() {
      await kill(child);
      for (let line = await lines.next(); !line.done; line = await lines.next())
        acknowledged.push(line.value.split(" ").map(Number) as Acknowledged);
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

interface Tick {
  name: string;
  turn: number;
  place: number;
}

/** Reads the log, and checks that each turn is stored once and as a whole. */
async function checkLog(path: string): Promise<StoredEvent[]> {
  const db = nodeSqlite(path);
  onTestFinished(() => db.close());
  const store = sqliteStore(db);
  const events = await Array.fromAsync(store.read("s"));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const places = new Map<string, number[]>();
  for (const { data } of events) {
    const { name, turn, place } = data as unknown as Tick;
    places.set(`${name} ${turn}`, [...(places.get(`${name} ${turn}`) ?? []), place]);
  }
  for (const [id, stored] of places)
    expect(stored, id).toEqual(Array.from({ length: 1 + (Number(id.split(" ")[1]) % 3) }, (_, n) => n));
  const row = await store.sessions.get("s");
  expect(row).toMatchObject({ lastSeq: events.length, costUsd: events.length, openRun: "run" });
  return events;
}

it("E2 two processes append to one file, and one is killed -9 again and again: nothing acknowledged is lost", async () => {
  const path = newPath();
  const lasting = appending(path, "lasting");
  await lasting.opened;
  let first = 0;
  const all: { name: string; acknowledged: Acknowledged[] }[] = [lasting];
  for (const turns of [60, 160, 100]) {
    const dying = appending(path, "dying", first);
    await dying.until(turns);
    await dying.kill();
    all.push(dying);
    // The next process repeats the last acknowledged turn, and those that may have been cut off.
    first = dying.acknowledged.at(-1)?.[0] ?? first;
  }
  await lasting.until(160);
  await lasting.kill();

  const events = await checkLog(path);
  for (const { name, acknowledged } of all)
    for (const [turn, from, to] of acknowledged)
      expect(events.slice(from - 1, to).map(({ data }) => data)).toMatchObject(
        Array.from({ length: 1 + (turn % 3) }, (_, place) => ({ name, turn, place })),
      );
  const turns = all.map(({ acknowledged }) => acknowledged.length);
  expect(Math.min(...turns)).toBeGreaterThan(59);
}, 120_000);

it("E9 four processes that open a new file at once make its tables once", async () => {
  const path = newPath();
  const all = ["a", "b", "c", "d"].map((name) => appending(path, name));
  await Promise.all(all.map((one) => one.until(5)));
  await Promise.all(all.map((one) => one.kill()));
  await checkLog(path);
}, 120_000);

it("E2 U4 a run whose process is killed -9 is continued by another one over the same file, and its tool ran once", async () => {
  const path = newPath();
  const child = spawn(process.execPath, [...NODE_FLAGS, runner, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => kill(child));
  const { value: sessionId } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  await kill(child);

  const db = nodeSqlite(path);
  const model = scriptedModel(() => ({ text: "There." }));
  const look = tool({ name: "look", description: "Looks.", input: z.object({}), execute: () => "again" });
  const walker = agent({ name: "walker", model, instructions: "Walk.", tools: [look] });
  const pawl = runtime({ agents: [walker], store: sqliteStore(db), times: { leaseTtlMs: 500 } });
  onTestFinished(async () => {
    await pawl.drain();
    db.close();
  });
  pawl.start();
  const types: string[] = [];
  for await (const { type } of pawl.follow(String(sessionId), { untilIdle: true })) types.push(type);
  expect(types.at(-1)).toBe("run_ended");
  for (const type of ["tool_started", "run_recovered"])
    expect(types.filter((one) => one === type)).toHaveLength(1);
}, 60_000);
