import type { Tool } from "@pawl/core";
import {
  type CallSettings,
  callTool,
  excessOf,
  type JsonBounds,
  readCapped,
  type ToolCallOutcome,
} from "@pawl/core/tools";
import type { WireReport } from "../wire/definition.ts";
import type { ServedTools, ToolUser } from "./handler-options.ts";
import { privateJson, Refusal } from "./tool-error.ts";

/** What an input may have at most. What it costs to validate it grows with its values. */
const BOUNDS: JsonBounds = { levels: 500, values: 50_000 };

/** The body of `POST <base>/tools/execute`. */
interface WireCall {
  tool_name: string;
  tool_input: { [field: string]: unknown };
}

/** Runs the tool that a request names, and returns the response. @throws Refusal */
export async function execute(
  served: ServedTools,
  tools: ReadonlyMap<string, Tool>,
  user: ToolUser,
  request: Request,
): Promise<Response> {
  const { userId, caller, credentials } = user;
  const key = idempotencyKeyOf(request);
  const { tool_name, tool_input } = await readCall(request, served.maxBodyBytes);
  const tool = tools.get(tool_name);
  if (tool === undefined)
    throw new Refusal(404, "unknown_tool", `There is no tool named "${tool_name.slice(0, 100)}".`);
  const deps = await served.deps?.(user, request);
  const settings: CallSettings & { deps?: unknown } = {
    userId,
    ...(caller !== undefined && { caller }),
    credentials,
    deps,
    signal: request.signal,
    timeoutMs: served.timeoutMs,
    ...(key !== undefined && { idempotencyKey: key }),
  };
  return respond(tool_name, await callTool(tool as Tool, tool_input, settings), served.maxResultBytes);
}

function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get("idempotency-key") ?? undefined;
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const message = "The header `idempotency-key` must have 1 to 255 visible ASCII characters.";
  throw new Refusal(400, "invalid_input", message);
}

async function readCall(request: Request, maxBytes: number): Promise<WireCall> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new Refusal(415, "invalid_input", "Send JSON with the header `content-type: application/json`.", {
      headers: { accept: "application/json" },
    });
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  // What a compressed body inflates to has no limit.
  if (coding !== "" && coding !== "identity")
    throw new Refusal(415, "invalid_input", "Send the body without compression.", {
      headers: { "accept-encoding": "identity" },
    });
  const text = await readCapped(request, maxBytes).catch(brokenOff);
  if (text === undefined)
    throw new Refusal(413, "too_large", `The body may have at most ${maxBytes} bytes.`, {
      headers: { connection: "close" },
    });
  const body = parsed(text);
  const { tool_name, tool_input } = Object(body) as Partial<WireCall>;
  const isInput = typeof tool_input === "object" && tool_input !== null && !Array.isArray(tool_input);
  if (typeof tool_name !== "string" || !isInput) {
    const message =
      "The body must be an object with `tool_name`, a string, and `tool_input`, an object, e.g. {}.";
    throw new Refusal(400, "invalid_input", message);
  }
  const excess = excessOf(tool_input, BOUNDS);
  if (excess !== undefined)
    throw new Refusal(422, "invalid_tool_input", `An input may have at most ${BOUNDS[excess]} ${excess}.`);
  return { tool_name, tool_input };
}

// A client that disconnects is no error of the server.
function brokenOff(): never {
  throw new Refusal(400, "invalid_input", "The body broke off.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "invalid_input", "The body is not valid JSON.");
  }
}

/** Returns the response for a call's outcome. That a tool fails is no failure of the server: it is a 200. */
function respond(tool_name: string, outcome: ToolCallOutcome, maxBytes: number): Response {
  const report = wireReport(outcome.report);
  const said = report && { report };
  if (outcome.success) {
    const { result } = outcome;
    const text = JSON.stringify({ tool_name, result, ...said });
    const bytes = new TextEncoder().encode(text);
    if (bytes.byteLength > maxBytes)
      return privateJson({ tool_name, error: tooLarge(bytes.byteLength, maxBytes), ...said });
    return new Response(bytes, {
      headers: { "content-type": "application/json", "cache-control": "no-store" },
    });
  }
  const { failure, message, code } = outcome;
  switch (failure) {
    case "failed":
      return privateJson({ tool_name, error: { ...(code !== undefined && { code }), message }, ...said });
    case "invalid_input":
      throw new Refusal(422, "invalid_tool_input", message);
    case "aborted":
      throw new Refusal(499, "aborted", message, { report });
    case "timed_out":
      // Only proxies in front of this server answer 504 for a server that may be back soon.
      throw new Refusal(504, "timed_out", message, { headers: { "x-should-retry": "false" }, report });
  }
}

function tooLarge(bytes: number, maxBytes: number): { code: string; message: string } {
  const message = `The tool did its work, but its result has ${bytes} bytes, and at most ${maxBytes} are allowed.`;
  return { code: "result_too_large", message };
}

function wireReport({ costUsd, ...facts }: ToolCallOutcome["report"]): WireReport | undefined {
  const report = { ...facts, ...(costUsd !== undefined && { cost_usd: costUsd }) };
  return Object.keys(report).length === 0 ? undefined : report;
}
