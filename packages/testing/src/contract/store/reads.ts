import assert from "node:assert/strict";
import { type Bench, type Check, note, range, texts } from "../base/bench.ts";

/** Creates a session of 700 events, more than a store reads at once. Every seventh is a `probe.tick`. */
async function long({ append, session }: Bench): Promise<string> {
  const id = await session();
  for (const start of [0, 350])
    await append(
      id,
      range(start + 1, start + 350).map((turn) =>
        turn % 7 === 0 ? { type: "probe.tick", data: turn } : note(`${turn}`),
      ),
    );
  return id;
}

/** Checks of reading a part of a log. */
export const readChecks: readonly Check[] = [
  {
    name: "E2 reads a long log in order",
    async run(bench) {
      const id = await long(bench);
      assert.deepEqual(
        (await bench.events(id)).map((event) => event.seq),
        range(1, 700),
      );
    },
  },
  {
    name: "E2 reads after a seq, up to a limit, by types, and all of them together",
    async run(bench) {
      const id = await long(bench);
      const seqs = async (options: Parameters<Bench["events"]>[1]): Promise<number[]> =>
        (await bench.events(id, options)).map((event) => event.seq);
      assert.deepEqual(await seqs({ afterSeq: 690 }), range(691, 700));
      assert.deepEqual(await seqs({ afterSeq: 0, limit: 2 }), [1, 2]);
      assert.deepEqual(await seqs({ limit: 600 }), range(1, 600));
      assert.deepEqual(await seqs({ afterSeq: 700 }), []);
      assert.deepEqual(await seqs({ afterSeq: 9_999 }), []);
      assert.deepEqual(
        await seqs({ types: ["probe.tick"] }),
        range(1, 100).map((turn) => turn * 7),
      );
      assert.deepEqual(await seqs({ types: ["probe.tick"], afterSeq: 7, limit: 2 }), [14, 21]);
      assert.deepEqual(await seqs({ types: ["note", "probe.tick"], afterSeq: 697 }), [698, 699, 700]);
      assert.deepEqual(await seqs({ types: ["error"] }), []);
      assert.deepEqual(await seqs({ types: [] }), []);
      assert.deepEqual(await seqs({ limit: 0 }), []);
    },
  },
  {
    name: "E2 reads nothing of a session that is empty or unknown",
    async run({ events, session }) {
      assert.deepEqual(await events(await session()), []);
      assert.deepEqual(await events("nowhere"), []);
    },
  },
  {
    name: "E2 a reader may stop in the middle, and start again",
    async run(bench) {
      const id = await long(bench);
      for await (const event of bench.store.read(id)) if (event.seq === 3) break;
      assert.deepEqual(texts(await bench.events(id, { limit: 1 })), ["1"]);
    },
  },
];
