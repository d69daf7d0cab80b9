import { type Hook, jsonSchema, memoryStore } from "@pawl/core";
import { expect, it } from "vitest";
import { backend, front, looks, sendJson, TOKEN } from "../support/backend.ts";

const answer = jsonSchema({ type: "boolean" });
const asks: Hook = {
  name: "asks",
  beforeTool: (call) =>
    call.answer === undefined ? { ask: { kind: "sure", payload: null, answer } } : undefined,
};

it("F17 a run that continues in a process without its credentials asks for them, and sends nothing before", async () => {
  const { url, got, calls } = await backend(sendJson({ result: "seen" }));
  const store = memoryStore();
  const [script, hooks] = [looks(), [asks]];
  const { sessionId, pending } = await front({ url }, { script, store, hooks }).run().result;
  const before = got.length;

  const other = front({ url }, { script: script.slice(1), store, hooks });
  const answered = async (value: true, callId = "", more = {}) => {
    const answers = [{ callId, value }];
    return await other.pawl.run("coach", { userId: "ada", sessionId, answers, ...more }).result;
  };
  const first = await answered(true, pending[0]?.callId);
  expect(first.pending).toMatchObject([{ kind: "credentials" }]);
  expect(got).toHaveLength(before);

  const last = await answered(true, first.pending[0]?.callId, { credentials: { token: TOKEN } });
  expect([last.stop.type, last.text]).toEqual(["end_turn", "Seen."]);
  expect(calls().map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`]);
  expect(JSON.stringify(await other.logOf(sessionId))).not.toContain(TOKEN);
});
