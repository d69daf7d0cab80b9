import assert from "node:assert/strict";
import type { Json } from "@pawl/core";
import { EVENT_VERSION, type NewEvent } from "@pawl/core/store";
import { type Bench, type Check, note, range, rejection } from "../base/bench.ts";
import { everyType } from "./every-type.ts";

/**
 * Stores a payload, and returns the JSON that is read back. Asserts that the append returned an equal event.
 */
async function stored({ append, events, session }: Bench, data: Json): Promise<string> {
  const id = await session();
  const [returned] = await append(id, [{ type: "probe.data", data }]);
  const [read] = await events(id);
  assert.deepEqual(read, returned);
  return JSON.stringify(read?.data);
}

function same(name: string, data: Json): Check {
  return {
    name,
    async run(bench) {
      assert.equal(await stored(bench, data), JSON.stringify(data));
    },
  };
}

/** Data of `levels` levels: objects and lists by turns. */
function nested(levels: number): Json {
  return range(2, levels).reduce<Json>((inner, level) => (level % 2 === 0 ? { a: inner } : [inner]), []);
}

/** The most levels of what is stored. */
const MOST_LEVELS = 1_000;

/** Checks that payloads are read back as the same JSON, to the byte. */
export const payloadChecks: readonly Check[] = [
  {
    name: "E1 stores every type of event, and types of extensions",
    async run({ append, events, session }) {
      const id = await session();
      const extension: NewEvent = { type: "planning.plan", data: { goal: "g", tasks: [] } };
      const all = [...everyType, extension];
      await append(id, all);
      assert.deepEqual(
        (await events(id)).map(({ type, data }) => ({ type, data })),
        all,
      );
    },
  },
  {
    name: "E1 an event carries session, seq, version, time, and key and duration where it has them",
    async run({ append, events, session }) {
      const id = await session();
      await append(id, [
        { type: "note", data: { text: "a" }, key: "k", durationMs: 12.5 },
        { type: "note", data: { text: "b" }, durationMs: 0 },
        note("c"),
      ]);
      const read = await events(id);
      for (const { at } of read) assert.equal(new Date(at).toISOString(), at);
      assert.deepEqual(
        read.map(({ at, ...rest }) => rest),
        [
          {
            sessionId: id,
            seq: 1,
            v: EVENT_VERSION,
            type: "note",
            key: "k",
            durationMs: 12.5,
            data: { text: "a" },
          },
          { sessionId: id, seq: 2, v: EVENT_VERSION, type: "note", durationMs: 0, data: { text: "b" } },
          { sessionId: id, seq: 3, v: EVENT_VERSION, type: "note", data: { text: "c" } },
        ],
      );
    },
  },
  same("E1 keeps the order of keys", { zebra: 1, apple: { y: 1, x: 2 }, mango: [{ b: 1, a: 2 }], "": 0 }),
  same("E1 keeps NUL and other control characters", { "a\0b": "c\0d\u0001\u001f\u007f", tail: "\0" }),
  same("E1 keeps text of all scripts", "aé漢字🏋️‍♀️\u2028\u2029\ufeff\uffff e\u0301 \\u0041 \\ \" ' $1 %s"),
  same("E1 keeps half a surrogate pair", ["\ud83d", "a\udc00b", { "\ud800": 1 }]),
  same("E1 keeps numbers as JSON carries them", [
    0,
    -0,
    0.1,
    1e21,
    -1e-7,
    5e-324,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_VALUE,
    123456789012345680000,
  ]),
  same("E1 keeps bare values, and null", [null, true, false, "", [], {}, [[]]]),
  same("E1 keeps a key named __proto__", JSON.parse('{"__proto__":{"a":1},"constructor":"c"}') as Json),
  same(`E1 keeps data of ${MOST_LEVELS} levels`, nested(MOST_LEVELS)),
  {
    name: "E1 refuses data of more levels by their number, and stores nothing of the append",
    async run({ append, events, session }) {
      const id = await session();
      for (const levels of [MOST_LEVELS + 1, 3_000, 50_000]) {
        const deep = { type: "probe.data", data: nested(levels) } as NewEvent;
        const { message } = await rejection(append(id, [note("a"), deep]), "invalid_input");
        assert.match(message, /nested more than 1000 levels deep/);
      }
      assert.deepEqual(await events(id), []);
    },
  },
  {
    name: "E3 metadata has as many levels as data: in a new session, and in an append",
    async run({ append, row, session, store }) {
      const fits = { deep: nested(MOST_LEVELS - 1) };
      const id = await session({ metadata: fits });
      assert.deepEqual((await row(id)).metadata, fits);
      await append(id, [note("a")], { session: { metadata: { more: fits.deep } } });
      assert.deepEqual((await row(id)).metadata, { ...fits, more: fits.deep });
      const metadata = { deep: nested(MOST_LEVELS) };
      const refused = [
        store.sessions.create({ id: `${id}-deep`, userId: "u", agent: "a", metadata }),
        append(id, [note("b")], { session: { metadata } }),
      ];
      for (const work of refused)
        assert.match((await rejection(work, "invalid_input")).message, /nested more than 1000 levels deep/);
      assert.equal((await row(id)).lastSeq, 1);
    },
  },
  {
    name: "E1 keeps a bare text, number and null as data",
    async run(bench) {
      for (const data of ["text", 7, null, false])
        assert.equal(await stored(bench, data), JSON.stringify(data));
    },
  },
  {
    name: "E1 drops what JSON drops",
    async run({ append, events, session }) {
      const id = await session();
      const data = { kept: 1, gone: undefined, at: new Date(0), list: [undefined, Number.NaN] };
      const odd: unknown[] = [
        { type: "probe.odd", data },
        { type: "probe.odd", data: undefined },
      ];
      const returned = await append(id, odd as NewEvent[]);
      const expected = [{ kept: 1, at: "1970-01-01T00:00:00.000Z", list: [null, null] }, null];
      assert.deepEqual(
        returned.map((event) => event.data),
        expected,
      );
      assert.deepEqual(await events(id), returned);
    },
  },
  {
    name: "E1 keeps a text of 5 MB",
    async run({ append, events, session }) {
      const id = await session();
      const text = '0123456789 äöü \0 "'.repeat(250_000);
      await append(id, [note(text)]);
      const [event] = await events(id);
      assert.ok(
        event?.type === "note" && event.data.text === text,
        "the text that was read differs from the stored one",
      );
    },
  },
];
