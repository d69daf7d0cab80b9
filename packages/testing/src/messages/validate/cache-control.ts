import { type ApiError, invalid } from "../../base/api-error.ts";
import { isObject, type ParsedRequest } from "../../base/wire-request.ts";
import { type Check, firstError, objectWith, oneOf } from "./checks.ts";

/** Checks a `cache_control`: the type `ephemeral`, and optionally a `ttl` of `5m` or `1h`. */
export const cacheControl: Check = objectWith({
  required: { type: oneOf("ephemeral") },
  optional: { ttl: oneOf("5m", "1h") },
});

interface Breakpoint {
  path: string;
  ttl: string;
  /** For a breakpoint inside a tool result: whether the tool result has a breakpoint too. */
  insideCached: boolean;
  emptyText: boolean;
}

/** Checks the number of cache breakpoints in a request, their places, and the order of their lifetimes. */
export function checkCacheControl(request: ParsedRequest): ApiError | undefined {
  const breakpoints = breakpointsOf(request);
  const auto = isObject(request.cache_control) ? ttlOf(request.cache_control) : undefined;
  const last = lastBreakpoint(request, breakpoints);
  const found = breakpoints.length + (auto === undefined || last !== undefined ? 0 : 1);
  if (found > 4) return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${found}.`);
  return (
    firstError(breakpoints, ({ path, insideCached, emptyText }) => {
      if (insideCached) return invalid("cache_control may not be specified within `tool_result.content`");
      return emptyText ? invalid(`${path}: cache_control cannot be set for empty text blocks`) : undefined;
    }) ??
    checkTtlOrder(breakpoints) ??
    (auto !== undefined && last !== undefined && last.ttl !== auto
      ? invalid(
          "cache_control: Both the top-level and the last block's cache_control are set. When both are specified on the same block, they must have matching TTLs",
        )
      : undefined)
  );
}

function checkTtlOrder(breakpoints: readonly Breakpoint[]): ApiError | undefined {
  const short = breakpoints.findIndex((breakpoint) => breakpoint.ttl === "5m");
  const late = breakpoints.find(
    (breakpoint, index) => breakpoint.ttl === "1h" && short >= 0 && index > short,
  );
  return late === undefined
    ? undefined
    : invalid(
        `${late.path.replace(/\.text$/, "")}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      );
}

/**
 * Returns the `cache_control` of every tool and block, in the order tools, system, messages. Leaves out the
 * request's top-level one.
 */
function breakpointsOf(request: ParsedRequest): Breakpoint[] {
  const breakpoints: Breakpoint[] = [];
  const add = (part: unknown, path: string, insideCached = false): boolean => {
    if (!isObject(part) || !isObject(part.cache_control)) return false;
    const emptyText = part.type === "text" && part.text === "";
    breakpoints.push({
      path: emptyText ? `${path}.text` : path,
      ttl: ttlOf(part.cache_control),
      insideCached,
      emptyText,
    });
    return true;
  };
  const addAll = (parts: unknown, path: string): void => {
    if (!Array.isArray(parts)) return;
    for (const [index, part] of parts.entries()) {
      const at = `${path}.${index}`;
      const inner = isObject(part) && part.type === "tool_result" ? part.content : undefined;
      const cached = isObject(part) && isObject(part.cache_control);
      if (Array.isArray(inner))
        for (const [n, nested] of inner.entries()) add(nested, `${at}.content.${n}`, cached);
      add(part, at);
    }
  };
  addAll(request.tools, "tools");
  addAll(request.system, "system");
  for (const [index, { content }] of request.messages.entries()) addAll(content, `messages.${index}.content`);
  return breakpoints;
}

/** Returns the breakpoint of the last block, to which the top-level breakpoint applies too. */
function lastBreakpoint(request: ParsedRequest, breakpoints: readonly Breakpoint[]): Breakpoint | undefined {
  const message = request.messages.length - 1;
  const content = request.messages[message]?.content;
  if (content === undefined || typeof content === "string") return undefined;
  return breakpoints.find(({ path }) => path === `messages.${message}.content.${content.length - 1}`);
}

function ttlOf(control: { [key: string]: unknown }): string {
  return control.ttl === "1h" ? "1h" : "5m";
}
