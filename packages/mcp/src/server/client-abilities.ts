import type { ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "@pawl/core";
import { objectIn, own } from "../base/json.ts";
import { TASKS } from "../base/task-wire.ts";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Returns what the client of a request says that it can do. Clients of older protocols say nothing here. */
function abilitiesOf({ mcpReq }: ServerContext): JsonObject {
  return objectIn((mcpReq.envelope as JsonObject | undefined)?.[CAPABILITIES]);
}

/** Whether the client of a request can get a task instead of a result. */
export function takesTasks(ctx: ServerContext): boolean {
  return own(objectIn(abilitiesOf(ctx).extensions), TASKS) !== undefined;
}

/** Whether the client of a request can show a form to its user. */
export function showsForms(ctx: ServerContext): boolean {
  const modes = own(abilitiesOf(ctx), "elicitation");
  if (modes === undefined) return false;
  // Without modes, it is the one that came first.
  return own(objectIn(modes), "form") !== undefined || Object.keys(objectIn(modes)).length === 0;
}
