// The entry `@pawl/mcp`: MCP servers as tools of agents.

// Servers

export type { BreakerOptions } from "./base/breaker.ts";
export { McpFailure, type McpFailureCode, type MissingScopes, type Outcome } from "./base/failure.ts";
export type { McpToolsSource, McpUser } from "./base/user.ts";
export type { McpServerOptions, McpToolInfo } from "./connect/options.ts";
export type { McpOAuthOptions, McpSignInStore, WaitingCall } from "./connect/sign-in-options.ts";
export type { McpToolChange } from "./tools/list.ts";
export { type McpServer, mcpServer } from "./tools/mcp-server.ts";
export type { McpSource } from "./tools/read.ts";
export type { EndedCall } from "./tools/task-hook.ts";

// Tools for agents

export { type ConnectorAgentOptions, connectorAgent } from "./tools/connector-agent.ts";
export { type McpTools, type McpToolsOptions, mcpTools } from "./tools/mcp-tools.ts";
