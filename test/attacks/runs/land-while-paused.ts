import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenIf } from "../frame/attack.ts";

export const attack: Attack = {
  id: "land-while-paused",
  title: "A run that must land during a search on the API's side ends as an error",
  state: "held",
  guard: {
    file: "packages/core/test/loop/turn/pause-turn.test.ts",
    title: "lands while the API's own tool is running and has produced %s",
  },
  async attempt() {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    const model = scriptedModel([
      { content: [{ type: "text", text: "I search." }, search], stop: "pause_turn" },
      { content: [found, { type: "text", text: "It says" }], fault: { stall: 3 } },
      { text: "This is how far I came." },
    ]);
    const landing = agent({
      name: "a",
      instructions: "i",
      model,
      onLimit: "land",
      limits: { wallClockMs: 1_500 },
    });
    const pawl = runtime({ agents: [landing], store: memoryStore(), onError: () => undefined });
    const { stop, text } = await pawl.run("a", { userId: "u", input: "Search" }).result;
    return brokenIf(
      stop.type === "error" || text === "",
      `ended as ${stop.type} with "${text.slice(0, 40)}"`,
    );
  },
};
