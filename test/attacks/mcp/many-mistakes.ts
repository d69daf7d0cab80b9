import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { callingApp, type Hostile, hostileMcp, listed } from "../parts/hostile-mcp.ts";
import { standstill, threadMs } from "../parts/standstill.ts";

const MANY = 60_000;

export const attack: Attack = {
  id: "many-mistakes",
  title: "An MCP server's answer with many mistakes holds up the process while they are collected",
  state: "held",
  guard: { file: "packages/mcp/test/mistakes.test.ts", title: "fails the call before the SDK has seen it" },
  attempt: () =>
    brokenByAny({
      content: () => held({ tools: () => [listed()], call: () => ({ content: Array(MANY).fill({}) }) }),
      audience: () => {
        const annotations = { audience: Array(MANY).fill(1) };
        const content = [{ type: "text", text: "x", annotations }];
        return held({ tools: () => [listed()], call: () => ({ content }) });
      },
      list: () => held({ tools: () => Array(MANY).fill(1) }),
    }),
};

/** How long the process stands still, in the time that it takes to read and write such an answer. */
async function held(hostile: Hostile): Promise<string> {
  const { server } = callingApp(hostileMcp({ tools: () => [listed()] }));
  await server.listTools({ userId: "ada" });
  const text = JSON.stringify(Array(MANY).fill({ type: "text", text: "x" }));
  const begin = threadMs();
  for (let times = 0; times < 10; times += 1) JSON.stringify(JSON.parse(text));
  const unitMs = threadMs() - begin;
  const { pawl, tools } = callingApp(hostileMcp(hostile));
  const { longestMs } = await standstill(() => pawl.run("a", { userId: "ada", input: "Go" }).result);
  await Promise.all([server.close(), tools.close()]);
  return brokenIf(
    longestMs > 3 * unitMs,
    `${longestMs} ms, ${Math.round(longestMs / unitMs)} times the unit`,
  );
}
