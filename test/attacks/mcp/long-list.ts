import { type Attack, brokenIf } from "../frame/attack.ts";
import { callingApp, hostileMcp, listed } from "../parts/hostile-mcp.ts";

export const attack: Attack = {
  id: "attacks-12",
  title: "The tools that one MCP server lists fill every prompt",
  state: "held",
  guard: {
    file: "packages/mcp/test/prompt-limits.test.ts",
    title: "have at most 200,000 characters in a prompt",
  },
  async attempt() {
    const tools = Array.from({ length: 1_900 }, (_, at) =>
      listed({ name: at === 0 ? "it" : `t${at}`, description: "w ".repeat(1_000) }),
    );
    const { pawl, model } = callingApp(hostileMcp({ tools: () => tools }));
    await pawl.run("a", { userId: "ada", input: "Go" }).result;
    const sent = model.requests[0]?.tools ?? [];
    const characters = JSON.stringify(sent).length;
    // About 75,000 tokens.
    return brokenIf(characters > 300_000, `${sent.length} tools with ${characters} characters`);
  },
};
