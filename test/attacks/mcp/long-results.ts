import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { callingApp, hostileMcp, listed } from "../parts/hostile-mcp.ts";

const text = "w ".repeat(2_500_000);

export const attack: Attack = {
  id: "long-results",
  title: "The log has a server's results whole, however long they are",
  state: "held",
  guard: {
    file: "packages/core/test/loop/tools/stored-results.test.ts",
    title: "has at most a million characters, with a note",
  },
  attempt: () =>
    brokenByAny({
      text: () => stored({ content: [{ type: "text", text }] }),
      object: () => stored({ content: [], structuredContent: { rows: Array(500_000).fill({ id: 1 }) } }),
      sound: () => stored({ content: [{ type: "audio", mimeType: "audio/wav", data: text }] }),
      failure: () => stored({ content: [{ type: "text", text }], isError: true }),
    }),
};

/** The length of a log in which a tool has returned this once. */
async function stored(result: object): Promise<string> {
  const { pawl } = callingApp(hostileMcp({ tools: () => [listed()], call: () => result }));
  const { sessionId } = await pawl.run("a", { userId: "ada", input: "Go" }).result;
  const log = await Array.fromAsync(pawl.store.read(sessionId));
  const { length } = JSON.stringify(log);
  return brokenIf(length > 1_300_000, `${length} characters in the log`);
}
