import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { agentAsServer } from "../parts/agent-as-server.ts";
import { mustHold } from "../parts/must-hold.ts";

export const attack: Attack = {
  id: "conformance-05",
  title: "A page of any site can use an agent that is served as an MCP server on the developer's machine",
  state: "held",
  guard: {
    file: "packages/mcp/test/server-http.test.ts",
    title: "refuses pages of other hosts with 403, and takes programs",
  },
  attempt: async () => {
    const { post } = agentAsServer(scriptedModel(() => ({ text: "Hi." })));
    const clientInfo = { name: "x", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const foreign = await post("initialize", params, { origin: "http://evil.example", host: "evil.example" });
    const own = await post("initialize", params);
    if (own.status !== 200) throw new Error(`A request without an origin got ${own.status}.`);
    return mustHold(foreign.status === 403, `a foreign origin got ${foreign.status}`);
  },
};
