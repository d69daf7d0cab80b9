import { expect, it } from "vitest";
import { backend, front, sendJson } from "../support/backend.ts";

const mark = "\u202e\u{e0041}";

it("B9 T10 what a server says of a call that has failed, for people and models, has no invisible characters", async () => {
  const sources = [{ id: "a", title: `First${mark}`, url: "https://stats.example/1" }];
  const report = { summary: `Two${mark} found`, sources };
  const { url } = await backend(sendJson({ error: { code: "no", message: `No\u001b[31m${mark}.` }, report }));
  const { run, logOf } = front({ url });
  const { actions, sessionId } = await run().result;
  expect(actions).toMatchObject([{ success: false, result: "No[31m." }]);
  const [result] = (await logOf(sessionId)).filter(({ type }) => type === "tool_result");
  expect(result?.data).toMatchObject({
    report: { summary: "Two found", sources: [{ title: "First", url: "https://stats.example/1" }] },
  });
});
