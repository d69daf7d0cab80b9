import { until } from "../../support/until.ts";
import { type Attack, brokenByAny, brokenIf } from "../frame/attack.ts";
import { callingApp, hostileMcp, listed } from "../parts/hostile-mcp.ts";

const TIMEOUT_MS = 1_500;

export const attack: Attack = {
  id: "attacks-16",
  title: "What one user stops or lets hang keeps all users from an MCP server",
  state: "held",
  guard: {
    file: "packages/mcp/test/fair.test.ts",
    title: "B8 a user whose calls take too long is kept from a server alone",
  },
  attempt: () =>
    brokenByAny({
      "5 stops": () => stops(),
      "5 calls that hang": () => hanging(5),
      "8 calls that hang": () => hanging(8),
    }),
};

/** A server whose calls end at once for ada, and never for mallory. `seen` are the users whose calls it got. */
function world() {
  const seen: string[] = [];
  const { pawl, tools } = callingApp(
    hostileMcp({
      tools: () => [listed({ inputSchema: { type: "object", properties: { who: { type: "string" } } } })],
      call: async (input) => {
        const { who } = input as { who: string };
        seen.push(who);
        if (who === "mallory") await new Promise(() => undefined);
        return { content: [{ type: "text", text: "a page" }] };
      },
    }),
    {
      server: { token: ({ userId }) => `token of ${userId}`, timeoutMs: TIMEOUT_MS },
      input: (message) => ({ who: message.includes("mallory") ? "mallory" : "ada" }),
    },
  );
  const run = (userId: string) => pawl.run("a", { userId, input: `I am ${userId}.` });
  return { seen, pawl, run, close: () => tools.close() };
}
type World = ReturnType<typeof world>;

/** Calls the server for ada. Broken if her call is refused, or not sent. */
async function adaCalls({ run, seen }: World): Promise<string> {
  const before = seen.filter((who) => who === "ada").length;
  const { actions } = await run("ada").result;
  const sent = seen.filter((who) => who === "ada").length > before;
  const said = JSON.stringify(actions[0]?.result ?? null).slice(0, 120);
  return brokenIf(actions[0]?.success !== true, `ada's call ${sent ? "failed" : "was not sent"}: ${said}`);
}

async function stops(): Promise<string> {
  const one = world();
  await adaCalls(one);
  for (let count = 1; count <= 5; count += 1) {
    const run = one.run("mallory");
    const { sessionId } = await run.started;
    await until(() => one.seen.filter((who) => who === "mallory").length >= count);
    await one.pawl.stop(sessionId, { userId: "mallory" });
    await run.result;
  }
  return await adaCalls(one);
}

async function hanging(count: number): Promise<string> {
  const one = world();
  await adaCalls(one);
  const runs = Array.from({ length: count }, () => one.run("mallory").result);
  // One user has at most half of the eight places.
  await until(() => one.seen.filter((who) => who === "mallory").length >= Math.min(count, 4));
  // While they hang, or with their time limits over: neither is ada's concern.
  if (count < 8) await Promise.all(runs);
  return await adaCalls(one);
}
