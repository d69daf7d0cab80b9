import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { mcpServer } from "@pawl/mcp";
import * as z from "zod";
import type { Connector, SearchDeps } from "../../src/index.ts";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "tickets", version: "1" });
  const inputSchema = z.object({ query: z.string() });
  server.registerTool("find", { description: "Finds tickets.", inputSchema }, ({ query }) => ({
    content: [{ type: "text", text: `TICKET-7: ${query} is slow since Monday.` }],
  }));
  return server;
});

export interface TicketsOptions extends Partial<Connector> {
  /** In this process, as a program, or as a program that does not exist. */
  transport?: "http" | "stdio" | "missing";
  /** Answers requests instead of the server. */
  answers?(): Promise<Response> | undefined;
  /** The names of the tools that are offered. */
  tools?: string[];
}

/** A connector to a server of tickets, by the official SDK. */
export function tickets({ transport = "http", answers, tools, ...more }: TicketsOptions = {}): {
  connector: Connector;
} {
  const program = transport === "stdio" ? "tickets-program.mjs" : "no-such-program.mjs";
  const server = mcpServer<SearchDeps>({
    name: "tickets",
    ...(transport === "http"
      ? {
          url: "https://tickets.example.com/mcp",
          fetch: async (input: string | URL | Request, init?: RequestInit) => {
            return (await answers?.()) ?? (await handler.fetch(new Request(input, init)));
          },
        }
      : { command: process.execPath, args: [new URL(program, import.meta.url).pathname] }),
    ...(tools && { tools }),
  });
  const shown = { name: "Tickets", description: "Finds tickets of customers.", costUsd: 0.003 };
  return { connector: { server, ...shown, ...more } };
}
