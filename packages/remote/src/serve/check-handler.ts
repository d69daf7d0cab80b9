import { checkOptions, type OptionKinds, PawlError, type Tool } from "@pawl/core";
import type { ToolHandlerSettings } from "./handler-options.ts";

const OPTIONS: OptionKinds<ToolHandlerSettings> = {
  tools: {
    mustBe: "a list of tools, or a function that returns one",
    is: (value) => Array.isArray(value) || typeof value === "function",
    required: true,
  },
  authorize: {
    mustBe: "a function that returns the user of a request",
    is: (value) => typeof value === "function",
    required: true,
  },
  deps: "function",
  basePath: {
    mustBe: 'a path that begins with "/" and does not end with it, e.g. "/api/v1/coach"',
    is: (value) => typeof value === "string" && /^(\/.*[^/])?$/.test(value),
  },
  title: "string",
  timeoutMs: above0(2 ** 31 - 1),
  maxBodyBytes: above0(),
  maxResultBytes: above0(),
  onError: "function",
};

function above0(most = Number.POSITIVE_INFINITY) {
  const upTo = Number.isFinite(most) ? ` and up to ${most}` : "";
  return {
    mustBe: `a number above 0${upTo}`,
    is: (value: unknown) => typeof value === "number" && value > 0 && value <= most,
  };
}

const INSTEAD = {
  auth: "Use `authorize`.",
  authenticate: "Use `authorize`.",
  getUser: "Use `authorize`.",
  path: "Use `basePath`.",
  prefix: "Use `basePath`.",
  userId: "Return it from `authorize`.",
  caller: "Return it from `authorize`.",
  credentials: "Return them from `authorize`.",
  agent: "An agent is served by handler() of @pawl/sse.",
};

/** Checks the options of `toolHandler()`. @throws PawlError `config` */
export function checkToolHandler(options: unknown): void {
  checkOptions("toolHandler()", options, OPTIONS, { instead: INSTEAD });
}

/**
 * Returns tools by name.
 *
 * @throws PawlError `config` if two have one name, or one cannot run without a session.
 */
export function servable(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const { name, delegate, suspends, spec } = Object(tool) as Tool;
    if (typeof name !== "string" || spec === undefined)
      throw refused("tools must be made by tool() of @pawl/core.");
    if (suspends !== undefined)
      throw refused(`the tool "${name}" asks the user, which needs a session. Ask where the agent runs.`);
    if (delegate !== undefined)
      throw refused(`an agent does the work of the tool "${name}", which needs a session.`);
    if (byName.has(name)) throw refused(`two tools are named "${name}".`);
    byName.set(name, tool);
  }
  return byName;
}

const refused = (why: string) => new PawlError("config", `toolHandler() cannot serve these tools: ${why}`);
