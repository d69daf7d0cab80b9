import { expect, it, onTestFinished } from "vitest";
import { hostileMcp, listed } from "../../../test/attacks/parts/hostile-mcp.ts";
import { shortProgress } from "../src/tools/short-progress.ts";
import { connectTo } from "./support/servers.ts";
import { world } from "./support/world.ts";

it("B7 F24 a tool whose name has invisible characters is left out, and reported without them", async () => {
  const tools = [listed(), listed({ name: "it\u200b" }), listed({ name: "i\u{e0074}t\u202e" })];
  const server = connectTo({ fetch: hostileMcp({ tools: () => tools }) }, { protocol: "legacy" });
  onTestFinished(() => server.close());
  const one = world([server], [{ text: "Ok." }]);
  const { sessionId } = await one.say("Go");
  const [prefix] = await one.of(sessionId, "prefix");
  expect(prefix?.data.tools?.map(({ name }) => name)).toEqual(["mcp__test__it"]);
  expect(one.errors).toEqual(['test: The tools "it", "it": its name has invisible characters.']);
});

it("B7 F24 a report of progress is shown without invisible characters", () => {
  expect(shortProgress({ progress: 1, message: "\u202eHalf\u{e0041} done\u0007" })).toEqual({
    progress: 1,
    message: "Half done",
  });
});
