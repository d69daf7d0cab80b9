export { type Authorized, type HandlerOptions, handler } from "./handler.ts";
export type { RunRequest } from "./run-request.ts";
export type { WireError, WireErrorCode } from "./wire-error.ts";
