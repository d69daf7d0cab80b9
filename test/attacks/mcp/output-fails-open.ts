import { type Attack, brokenIf } from "../frame/attack.ts";
import { callingApp, hostileMcp, listed } from "../parts/hostile-mcp.ts";

/** So many mistakes overflow the stack of a validator that collects them all. */
const MISTAKES = 150_000;

export const attack: Attack = {
  id: "attacks-06",
  title: "A result that breaks its output schema often enough is accepted",
  state: "held",
  guard: { file: "packages/mcp/test/work.test.ts", title: "refuses a result with any number of mistakes" },
  async attempt() {
    const x = Array(MISTAKES).fill(1);
    const outputSchema = {
      type: "object",
      properties: { x: { type: "array", items: { type: "object" } } },
    };
    const { pawl } = callingApp(
      hostileMcp({
        tools: () => [listed({ outputSchema })],
        call: () => ({ content: [], structuredContent: { x } }),
      }),
    );
    const { actions } = await pawl.run("a", { userId: "ada", input: "Go" }).result;
    const success = actions[0]?.success;
    if (success === undefined) throw new Error("The tool was not called.");
    return brokenIf(success, `${MISTAKES} mistakes: ${success ? "accepted" : "refused"}`);
  },
};
