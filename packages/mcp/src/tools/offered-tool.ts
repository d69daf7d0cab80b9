import { type JsonObject, type Schema, type Tool, toJson, tool } from "@pawl/core";
import { clipText, type ToolSource, untrustedSchema, withoutHidden } from "@pawl/core/tools";
import type { McpServerOptions, McpToolInfo } from "../connect/options.ts";
import { type Pool, TIMEOUT_MS } from "../connect/pool.ts";
import { callTool } from "./call.ts";
import { outputProblem } from "./check-output.ts";
import type { ListedTool } from "./fingerprint.ts";
import { modelSchema, NOT_SHOWN } from "./model-schema.ts";
import { formatResult } from "./result.ts";

/** The longest description of a tool, in characters. Of a longer one, the middle is cut. */
const MOST_DESCRIPTION_CHARS = 8_000;

/** The longest name of a tool, in characters. The specification has 128. */
const MOST_NAME_CHARS = 256;

/** What the tools of a server are made with. */
export interface ToolMaking<Deps> {
  options: McpServerOptions<Deps>;
  pool: Pool<Deps>;
  source: ToolSource;
}

/** Returns why a tool is not offered; empty if the application has not chosen it. */
export function whyNot<Deps>(
  { tools, fingerprints }: McpServerOptions<Deps>,
  info: McpToolInfo,
): string | undefined {
  const isChosen =
    tools === undefined || (typeof tools === "function" ? tools(info) : tools.includes(info.name));
  if (!isChosen) return "";
  if (info.name.length > MOST_NAME_CHARS) return "its name is too long";
  if (withoutHidden(info.name) !== info.name) return "its name has invisible characters";
  if (fingerprints === undefined) return undefined;
  const { name, fingerprint } = info;
  if (!Object.hasOwn(fingerprints, name)) return "it was not reviewed: it has no fingerprint";
  return fingerprints[name] === fingerprint ? undefined : `it has changed: its fingerprint is ${fingerprint}`;
}

/** Returns whether the application may have chosen a tool of which only the name is known. */
export function mayBeChosen<Deps>({ tools }: McpServerOptions<Deps>, name: string): boolean {
  return !Array.isArray(tools) || tools.includes(name);
}

/** Returns the entry with its name as people may see it. */
export function shownName<T extends { name: string }>(entry: T): T {
  return { ...entry, name: withoutHidden(entry.name).slice(0, MOST_NAME_CHARS) };
}

/** Returns whether a tool's description is cut. */
export function isShortened({ description }: McpToolInfo): boolean {
  return description.length > MOST_DESCRIPTION_CHARS;
}

/** Makes a tool of a server for agents. If models cannot have it, returns why. */
export function offeredTool<Deps>(
  { options, pool, source }: ToolMaking<Deps>,
  listed: ListedTool,
  { toolName, description, annotations }: McpToolInfo,
): { made: Tool<Deps> } | { why: string } {
  const model = modelSchema(listed.inputSchema);
  if ("why" in model) return model;
  const problem = outputProblem(listed);
  if (problem !== undefined) return { why: problem };
  const { readOnlyHint = false, idempotentHint = false } = annotations;
  const isSafe = options.trustAnnotations === true && (readOnlyHint || idempotentHint);
  const text = [clipText(description, MOST_DESCRIPTION_CHARS), model.note].filter(Boolean).join("\n\n");
  try {
    const made = tool<Schema<JsonObject>, never, Deps>({
      name: toolName,
      description: text || `The tool ${listed.name} of ${options.name}.`,
      input: untrustedSchema(model.schema),
      execute: (input, context) =>
        callTool({ options, pool, listed, isSafe }, input, context as never) as never,
      format: formatResult,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      // Nothing is sent twice: see `triedBefore`.
      idempotent: true,
      ...(readOnlyHint && { repeatable: true }),
      category: `mcp::${options.name}`,
      ...(options.maxResultChars !== undefined && { maxResultChars: options.maxResultChars }),
    });
    const claims = Object.keys(annotations).length > 0 && { annotations: toJson(annotations) as JsonObject };
    return { made: { ...made, source, ...claims } as Tool<Deps> };
  } catch {
    return { why: NOT_SHOWN };
  }
}
