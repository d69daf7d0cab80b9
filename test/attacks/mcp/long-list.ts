import { type Attack, brokenIf } from "../frame/attack.ts";
import { callingApp, hostileMcp, listed } from "../parts/hostile-mcp.ts";

export const attack: Attack = {
  id: "attacks-12",
  title: "The tools that one MCP server lists fill every prompt",
  state: "open",
  async attempt() {
    const tools = Array.from({ length: 1_900 }, (_, at) =>
      listed({ name: at === 0 ? "it" : `t${at}`, description: "w ".repeat(1_000) }),
    );
    const { pawl, model } = callingApp(hostileMcp({ tools: () => tools }));
    await pawl.run("a", { userId: "ada", input: "Go" }).result;
    const sent = model.requests[0]?.tools ?? [];
    const characters = JSON.stringify(sent).length;
    // About 250,000 tokens: more than most models read at all.
    return brokenIf(characters > 1_000_000, `${sent.length} tools with ${characters} characters`);
  },
};
