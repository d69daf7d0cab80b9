// The entry `@pawl/mcp/server`: agents as MCP servers.

export { type McpCaller, type McpHandlerOptions, mcpHandler } from "./server/mcp-handler.ts";
