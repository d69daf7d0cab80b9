// The entry `@pawl/remote/server`: serves tools over HTTP.

export type { ToolHandlerOptions, ToolHandlerSettings, ToolUser } from "./serve/handler-options.ts";
export type { ToolErrorCode } from "./serve/tool-error.ts";
export { toolHandler } from "./serve/tool-handler.ts";
