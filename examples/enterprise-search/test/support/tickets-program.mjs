// A server of tickets as a program, for connectors over stdio.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "tickets", version: "1" });
  const inputSchema = z.object({ query: z.string() });
  server.registerTool("find", { description: "Finds tickets.", inputSchema }, ({ query }) => ({
    content: [{ type: "text", text: `TICKET-7: ${query} is slow since Monday.` }],
  }));
  return server;
});
