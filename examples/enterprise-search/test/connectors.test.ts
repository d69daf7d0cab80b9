import { describe, expect, it } from "vitest";
import { type CompanySearch, customAgentList } from "../src/index.ts";
import { agentWorld, calls, chen, plans, rivera } from "./support/agent-world.ts";
import { tickets } from "./support/tickets-server.ts";

const empty: CompanySearch = {
  search: async () => ({ status: "ok", hits: [], total: 0, more: false }),
  open: async () => undefined,
  people: async () => ({ people: [], total: 0 }),
};
const tasks = [{ id: "ask", title: "Ask the tickets", agent: "mcp::tickets" }];
const ask = calls(["run_custom_agent", { agent_id: "mcp::tickets", query: "The export" }]);
const list = calls(["list_custom_agents", { query: "tickets" }]);
const isConnector = ({ system }: { system?: unknown }) =>
  JSON.stringify(system ?? "").includes('tools of the connector \\"tickets\\"');

describe("connectors of MCP servers", () => {
  it.each(["http", "stdio"] as const)(
    "X4 T14 M4 over %s are agents in plans, calls and the record",
    async (transport) => {
      const { connector } = tickets({ transport });
      // A busy machine may take longer to start a program than a task waits.
      await connector.server.listTools({ userId: chen.email, caller: chen });
      const world = agentWorld(
        empty,
        [plans({ tasks })],
        (answers, request) => {
          if (!isConnector(request)) return [list, ask][answers] ?? { text: "It is slow." };
          return answers === 0
            ? calls(["mcp__tickets__find", { query: "export" }])
            : { text: `The server says: ${JSON.stringify(request.messages).match(/TICKET-7: \w+ is slow/)}` };
        },
        { connectors: [connector] },
      );
      const { actions, sessionId, stop } = await world.say("Is the export slow?");
      expect(stop.type).toBe("end_turn");
      expect(actions[0]?.result).toEqual({
        status: "ok",
        agents: [
          {
            ...{ id: "mcp::tickets", name: "Tickets", description: "Finds tickets of customers." },
            ...{ domains: ["tickets"], confidence: 1 },
          },
        ],
      });
      expect(actions[1]).toMatchObject({
        success: true,
        result: "The server says: TICKET-7: export is slow",
      });
      const { calls: made, plan } = await world.record(sessionId);
      expect(made[1]).toMatchObject({
        ...{ tool: "run_custom_agent", agent: "mcp::tickets", connector: "mcp::tickets", status: "success" },
        ...{ arguments: { agent_id: "mcp::tickets", query: "The export" }, durationMs: expect.any(Number) },
      });
      // One call of the server; the test's models are free.
      expect(made[1]?.costUsd).toBe(0.003);
      expect(plan?.tasks[0]?.status).toBe("done");
      await connector.server.close();
    },
  );

  it("X4 T14 M2 are refused before the request is clear, and nothing is connected", async () => {
    let requests = 0;
    const { connector } = tickets({
      answers: () => {
        requests += 1;
        return undefined;
      },
    });
    const noPlan = { text: "I have no plan." };
    const world = agentWorld(
      empty,
      [noPlan, noPlan, noPlan],
      (answers) => [list, ask][answers] ?? { text: "Done." },
      { connectors: [connector], onError: () => {} },
    );
    const { actions } = await world.say("Is the export slow?");
    expect(actions[1]?.result).toMatchObject({ status: "error", error: { code: "not_clear" } });
    expect(requests).toBe(0);
  });

  it("X4 T14 F17 are those that the caller may use", async () => {
    const { connector } = tickets();
    const connectors = [{ ...connector, mayUse: ({ email }: { email: string }) => email === chen.email }];
    const world = agentWorld(
      empty,
      [plans({ tasks: [] })],
      (answers) => [list, ask][answers] ?? { text: "Done." },
      { connectors, agents: customAgentList([]) },
    );
    const { actions } = await world.say("Is the export slow?", rivera);
    expect(actions[0]?.result).toEqual({ status: "ok", agents: [] });
    expect(actions[1]).toMatchObject({ success: false, result: "There is no such agent." });
  });

  const secret = "10.0.0.7";
  const hanging = Promise.withResolvers<never>();
  it.each([
    ["refuses connections", { answers: () => Promise.reject(new Error(`connect ECONNREFUSED ${secret}`)) }],
    ["fails", { answers: async () => new Response(secret, { status: 500 }) }],
    ["hangs", { answers: () => hanging.promise, waitMs: 50 }],
    ["has no tools", { tools: [] }],
    ["cannot be started", { transport: "missing" as const }],
  ])("X4 T14 one that %s is an error with a code, and the run continues", async (how, options) => {
    const errors: unknown[] = [];
    const { connector } = tickets({ ...options, onError: (error) => errors.push(error) });
    const world = agentWorld(
      empty,
      [plans({ tasks })],
      (answers) => (answers === 0 ? ask : { text: "The tickets cannot be searched now." }),
      { connectors: [connector] },
    );
    const { actions, sessionId, stop, text } = await world.say("Is the export slow?");
    expect([stop.type, text]).toEqual(["end_turn", "The tickets cannot be searched now."]);
    expect(actions[0]).toMatchObject({ tool: "run_custom_agent", success: false });
    const { calls: made, plan } = await world.record(sessionId);
    const message = expect.stringMatching(/The connector "tickets" cannot be used at the moment\.$/);
    expect(made[0]).toMatchObject({ status: "error", error: { code: "tools_failed", message } });
    expect(plan?.tasks[0]?.status).toBe("pending");
    expect(errors).toHaveLength(how === "has no tools" ? 0 : 1);
    expect((await world.everything()).includes(secret)).toBe(false);
    hanging.reject(new Error("The server is gone."));
    await connector.server.close();
  });
});
