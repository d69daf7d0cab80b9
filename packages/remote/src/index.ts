export type { ToolDefinition } from "./wire/definition.ts";
