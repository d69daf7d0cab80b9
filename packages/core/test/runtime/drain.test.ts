import { describe, expect, it } from "vitest";
import { eachWay, type Way } from "../../../../test/support/each-way.ts";
import { pause } from "../../../../test/support/pause.ts";
import { settled } from "../../../../test/support/settled.ts";
import { until } from "../../../../test/support/until.ts";
import { type EventStore, memoryStore, type Runtime, runtime } from "../../src/index.ts";
import { code } from "../support/errors.ts";
import { setup, stored, user } from "../support/setup.ts";
import { endless } from "../support/when-busy.ts";

/** A store whose reads take a while, and that counts those which are not over when it is closed. */
function closableStore(as: Way[1]) {
  const inner = memoryStore();
  const late: string[] = [];
  let closed = false;
  let begun = 0;
  let over = 0;
  const check = (what: string) => {
    if (closed) late.push(what);
  };
  const slowly = async (what: string): Promise<void> => {
    check(what);
    begun += 1;
    await pause(15, "the time that a read of the store takes");
    over += 1;
    check(`${what}, to its end`);
  };
  const store: EventStore = {
    ...inner,
    open: async (wanted) => {
      await slowly("open");
      return await inner.open?.(wanted);
    },
    read: async function* (id, options) {
      await slowly("read");
      for await (const event of inner.read(id, options)) {
        check("read on");
        yield event;
      }
    },
    listRecoverable: async (options) => {
      await slowly("listRecoverable");
      return await inner.listRecoverable(options);
    },
  };
  return {
    store: as(store),
    late,
    begun: () => begun,
    /** Resolves in the midst of a read, after so many others. */
    reading: (others: number) => until(() => begun > others && begun > over),
    /** Resolves when no read is in progress. */
    idle: async () => {
      await until(() => begun === over);
      await settled();
    },
    close: () => {
      closed = true;
    },
  };
}

async function readTo(pawl: Runtime, sessionId: string, signal?: AbortSignal): Promise<unknown> {
  try {
    for await (const _ of pawl.follow(sessionId, signal && { signal }));
    return "the end";
  } catch (error) {
    return error;
  }
}

describe.each(eachWay("open"))("a store that is closed, %s", (_way, as) => {
  it("U3 drains only when every reader has ended, so that nothing reads from a closed store", async () => {
    const { store, close, late, reading, idle, begun } = closableStore(as);
    const { agent, say } = setup([{ text: "Done." }], {}, { store });
    const { sessionId } = await say("Go");
    const pawl = runtime({ agents: [agent], store, times: { pollMs: 5 } });
    const before = begun();
    const gone = new AbortController();
    const readers = [readTo(pawl, sessionId), readTo(pawl, sessionId, gone.signal)];
    await reading(before + 2);
    readers.push(readTo(pawl, sessionId));
    gone.abort();
    pawl.start();
    await pawl.drain();
    close();
    readers.push(readTo(pawl, sessionId));
    const ends = await Promise.all(readers);
    await idle();
    expect(late).toEqual([]);
    expect(ends[1]).toBe("the end");
    for (const at of [0, 2, 3]) expect(ends[at]).toSatisfy(code("draining"));
  });

  it("U3 drains only when the result of a run that was cut off has been read", async () => {
    const { store, close, late, idle } = closableStore(as);
    // `drain` waits for the result's reads for twice this time, which must be enough on a busy machine.
    const world = setup([endless], {}, { store, times: { abortGraceMs: 5_000 } });
    const run = world.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    await stored(world, sessionId, "llm_request");
    const heard: string[] = [];
    run.on("llm_request", ({ type }) => heard.push(type));
    await world.pawl.drain({ timeoutMs: 10 });
    close();
    await expect(run.result).rejects.toSatisfy(code("draining"));
    await idle();
    expect(late).toEqual([]);
  });

  it("U3 sends a reader that stopped in the middle of a long log elsewhere, without reading on", async () => {
    const { store, close, late } = closableStore(as);
    const { agent, say } = setup([{ text: "Done." }], {}, { store });
    const { sessionId } = await say("Go");
    const notes = Array.from({ length: 300 }, () => ({ type: "note" as const, data: { text: "" } }));
    await store.append(sessionId, notes, { appendId: "notes" });
    const pawl = runtime({ agents: [agent], store });
    const reader = pawl.follow(sessionId)[Symbol.asyncIterator]();
    await reader.next();
    await pawl.drain();
    close();
    const rest = async () => {
      for (let step = await reader.next(); step.done !== true; step = await reader.next());
    };
    await expect(rest()).rejects.toSatisfy(code("draining"));
    expect(late).toEqual([]);
  });
});

it("U1 U3 lets the readers of a run that ends in time have all of it", async () => {
  const { pawl } = setup([{ text: "One two three four five.", delayPerEventMs: 5 }]);
  const run = pawl.run("tester", { ...user, input: "Go" });
  const heard: string[] = [];
  run.on("text_delta", ({ data }) => heard.push(data.text));
  run.on("run_ended", () => heard.push(" End."));
  const read = Array.fromAsync(run.textStream);
  const slow = run[Symbol.asyncIterator]();
  await slow.next();
  const { sessionId } = await run.started;
  const follower = Array.fromAsync(pawl.follow(sessionId, { untilIdle: true }), ({ type }) => type);
  await until(() => heard.length > 0);
  await pawl.drain();
  expect((await run.result).text).toBe("One two three four five.");
  expect(heard.join("")).toBe("One two three four five. End.");
  expect((await read).join("")).toBe("One two three four five.");
  expect((await follower).at(-1)).toBe("run_ended");
  const rest: string[] = [];
  for (let step = await slow.next(); step.done !== true; step = await slow.next()) rest.push(step.value.type);
  expect(rest.at(-1)).toBe("run_ended");
});
