import { type Hook, jsonSchema, memoryStore } from "@pawl/core";
import { expect, it } from "vitest";
import { type Answer, backend, front, looks, sendJson, TOKEN } from "../support/backend.ts";

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

it("F17 W5 an error repeats no short token either", async () => {
  const echo: Answer = (got, response) => {
    const token = got.headers.authorization?.slice("Bearer ".length);
    sendJson({ error: { code: "refused", message: `not for ${token}` } }, 403)(got, response);
  };
  const { url, routes } = await backend(echo);
  const { run } = front({ url, cacheMs: 0 });
  const { actions } = await run({ credentials: "s3cr3t-77" }).result;
  expect(actions[0]?.result).toBe("Not run: this user may not do that: not for …");
  routes.schema = echo;
  await expect(run({ credentials: "s3cr3t-77" }).result).rejects.toThrow(
    "this user may not do that: not for …",
  );
});
