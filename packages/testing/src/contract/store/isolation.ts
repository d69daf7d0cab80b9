import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { NewEvent } from "@pawl/core/store";
import { type Check, note } from "../base/bench.ts";

/** Overwrites every value within an object with `value`. Frozen objects stay as they are. */
function vandalise(value: unknown): void {
  if (value === null || typeof value !== "object") return;
  for (const part of Object.values(value)) vandalise(part);
  for (const key of Object.keys(value)) Reflect.set(value, key, "vandalised");
  if (Array.isArray(value)) Reflect.set(value, value.length, "vandalised");
}

/** Checks that changing an object after it was stored or read does not change the log. */
export const isolationChecks: readonly Check[] = [
  {
    name: "E2 changing what was appended changes nothing stored",
    async run({ append, events, session }) {
      const id = await session();
      const data = { list: [1, { deep: "a" }] };
      const batch: NewEvent[] = [{ type: "probe.data", data, key: "k" }];
      const appending = append(id, batch);
      vandalise(data);
      batch.push(note("more"));
      const returned = await appending;
      vandalise(batch);
      const read = await events(id);
      assert.deepEqual(read[0]?.data, { list: [1, { deep: "a" }] });
      assert.equal(read.length, 1);
      assert.deepEqual(read, returned);
    },
  },
  {
    name: "E2 changing what was returned or read changes nothing stored",
    async run({ append, events, session }) {
      const id = await session();
      const event: NewEvent = { type: "probe.data", data: { list: [1, { deep: "a" }] }, key: "k" };
      vandalise(await append(id, [event], { appendId: "x" }));
      const before = JSON.stringify(await events(id));
      vandalise(await events(id));
      vandalise(await append(id, [event], { appendId: "x" }));
      assert.equal(JSON.stringify(await events(id)), before);
      assert.ok(before.includes('"data":{"list":[1,{"deep":"a"}]}'));
    },
  },
  {
    name: "E3 changing a session's row or its metadata changes nothing stored",
    async run({ append, row, session, store }) {
      const made = await store.sessions.create({ id: randomUUID(), userId: "u", agent: "a" });
      const { id: madeId } = made;
      vandalise(made);
      assert.equal((await row(madeId)).agent, "a");
      const metadata = { plan: { a: 1 } };
      const id = await session({ metadata });
      vandalise(metadata);
      vandalise(await row(id));
      const patch = { more: ["b"] };
      await append(id, [note("a")], { session: { metadata: patch } });
      vandalise(patch);
      const before = JSON.stringify(await row(id));
      const { userId } = await row(id);
      vandalise(await row(id));
      vandalise(await store.sessions.list({ userId }));
      assert.equal(JSON.stringify(await row(id)), before);
      assert.deepEqual((await row(id)).metadata, { plan: { a: 1 }, more: ["b"] });
    },
  },
];
