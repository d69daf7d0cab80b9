import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { agentAsServer } from "../parts/agent-as-server.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, remove } from "../parts/serve.ts";

export const attack: Attack = {
  id: "conformance-10",
  title:
    "An agent that asks an MCP client without elicitation leaves one waiting session a call, which nobody can name",
  state: "held",
  guard: {
    file: "packages/mcp/test/server.test.ts",
    title: "leaves no waiting run behind for a client that cannot show its question",
  },
  attempt: async () => {
    const { pawl, post } = agentAsServer(
      scriptedModel(() => calling("remove")),
      [remove],
      ["remove"],
    );
    const named: unknown[] = [];
    for (const _ of [1, 2]) {
      const response = await post("tools/call", { name: "ask", arguments: { message: "Remove it." } });
      const text = await response.text();
      const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
      named.push(result?.structuredContent?.session);
    }
    const sessions = await pawl.store.sessions.list({ userId: "ada" });
    const waiting = sessions.filter(({ status }) => status === "suspended").length;
    const isRight = waiting === 0 || named.every((id) => typeof id === "string");
    return mustHold(
      isRight,
      `${waiting} of ${sessions.length} sessions wait; the client has ${named.filter(Boolean).length} names`,
    );
  },
};
