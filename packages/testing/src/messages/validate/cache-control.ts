import { type ApiError, invalid } from "../../base/api-error.ts";
import { isObject, type ParsedRequest } from "../../base/wire-request.ts";
import { type Check, firstError, objectWith, oneOf } from "./checks.ts";

/** Checks a `cache_control`: the type `ephemeral`, and optionally a `ttl` of `5m` or `1h`. */
export const cacheControl: Check = objectWith({
  required: { type: oneOf("ephemeral") },
  optional: { ttl: oneOf("5m", "1h") },
});

interface Mark {
  path: string;
  ttl: string;
  /** For a mark inside a tool result: whether the tool result has a mark too. */
  insideMarked: boolean;
  emptyText: boolean;
}

/** Checks the number of cache marks in a request, their places, and the order of their lifetimes. */
export function checkCacheControl(request: ParsedRequest): ApiError | undefined {
  const marks = marksOf(request);
  const auto = isObject(request.cache_control) ? ttlOf(request.cache_control) : undefined;
  const last = lastMark(request, marks);
  const found = marks.length + (auto === undefined || last !== undefined ? 0 : 1);
  if (found > 4) return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${found}.`);
  return (
    firstError(marks, ({ path, insideMarked, emptyText }) => {
      if (insideMarked) return invalid("cache_control may not be specified within `tool_result.content`");
      return emptyText ? invalid(`${path}: cache_control cannot be set for empty text blocks`) : undefined;
    }) ??
    checkTtlOrder(marks) ??
    (auto !== undefined && last !== undefined && last.ttl !== auto
      ? invalid(
          "cache_control: Both the top-level and the last block's cache_control are set. When both are specified on the same block, they must have matching TTLs",
        )
      : undefined)
  );
}

function checkTtlOrder(marks: readonly Mark[]): ApiError | undefined {
  const short = marks.findIndex((mark) => mark.ttl === "5m");
  const late = marks.find((mark, index) => mark.ttl === "1h" && short >= 0 && index > short);
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
function marksOf(request: ParsedRequest): Mark[] {
  const marks: Mark[] = [];
  const add = (part: unknown, path: string, insideMarked = false): boolean => {
    if (!isObject(part) || !isObject(part.cache_control)) return false;
    const emptyText = part.type === "text" && part.text === "";
    marks.push({
      path: emptyText ? `${path}.text` : path,
      ttl: ttlOf(part.cache_control),
      insideMarked,
      emptyText,
    });
    return true;
  };
  const addAll = (parts: unknown, path: string): void => {
    if (!Array.isArray(parts)) return;
    for (const [index, part] of parts.entries()) {
      const at = `${path}.${index}`;
      const inner = isObject(part) && part.type === "tool_result" ? part.content : undefined;
      const marked = isObject(part) && isObject(part.cache_control);
      if (Array.isArray(inner))
        for (const [n, nested] of inner.entries()) add(nested, `${at}.content.${n}`, marked);
      add(part, at);
    }
  };
  addAll(request.tools, "tools");
  addAll(request.system, "system");
  for (const [index, { content }] of request.messages.entries()) addAll(content, `messages.${index}.content`);
  return marks;
}

/** Returns the mark of the last block, to which the top-level mark applies too. */
function lastMark(request: ParsedRequest, marks: readonly Mark[]): Mark | undefined {
  const message = request.messages.length - 1;
  const content = request.messages[message]?.content;
  if (content === undefined || typeof content === "string") return undefined;
  return marks.find(({ path }) => path === `messages.${message}.content.${content.length - 1}`);
}

function ttlOf(control: { [key: string]: unknown }): string {
  return control.ttl === "1h" ? "1h" : "5m";
}
