import { expect, it } from "vitest";
import { setup, user } from "../support/setup.ts";
import { ask } from "../support/tools.ts";

it("B7 L9 stores one request to stop a run, however often and in how many processes it is stopped", async () => {
  const { pawl, say, of } = setup([{ tools: [{ name: "ask", input: {} }] }], { tools: [ask] });
  const { sessionId } = await say("Go");
  await Promise.all(Array.from({ length: 20 }, () => pawl.stop(sessionId, user)));
  for (let more = 0; more < 5; more += 1) await pawl.stop(sessionId, user);
  expect(await of(sessionId, "stop_requested")).toHaveLength(1);
  expect((await of(sessionId, "run_ended")).map(({ data }) => data.stop.type)).toEqual(["aborted"]);
});
