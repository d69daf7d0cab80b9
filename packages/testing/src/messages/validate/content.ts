import { type ApiError, invalid } from "../../base/api-error.ts";
import { shown } from "../../base/shown.ts";
import { isObject, type ParsedRequest } from "../../base/wire-request.ts";
import { cacheControl } from "./cache-control.ts";
import {
  anything,
  type Check,
  dictionary,
  firstError,
  flag,
  listOf,
  nullable,
  objectWith,
  oneOf,
  pattern,
  taggedBy,
  text,
} from "./checks.ts";
import { citations } from "./citations.ts";
import { documentSource, imageSource } from "./sources.ts";

const breakpoint = { cache_control: nullable(cacheControl) };
const type = text;
const id = pattern(/^[a-zA-Z0-9_-]+$/);

const textBlock: Check = objectWith({
  required: { type, text },
  optional: { ...breakpoint, citations: nullable(listOf(dictionary)) },
});

const imageBlock: Check = objectWith({
  required: { type, source: imageSource },
  optional: { ...breakpoint, transformations: nullable(dictionary) },
});

const documentBlock: Check = objectWith({
  required: { type, source: documentSource },
  optional: {
    ...breakpoint,
    title: nullable(text),
    context: nullable(text),
    citations: nullable(dictionary),
  },
});

const searchResultBlock: Check = objectWith({
  required: { type, source: text, title: text, content: listOf(textBlock) },
  optional: { ...breakpoint, citations: dictionary },
});

const resultContent: Check = listOf(
  taggedBy({
    text: textBlock,
    image: imageBlock,
    document: documentBlock,
    search_result: searchResultBlock,
    tool_reference: objectWith({ required: { type, tool_name: text }, optional: breakpoint }),
    browser_state: dictionary,
  }),
);

const serverCallId = pattern(/^srvtoolu_[a-zA-Z0-9_]+$/);

/**
 * Types of results of tools that run on the API's side. Any content is accepted, because the API has made it.
 */
const serverBlocks = [
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "container_upload",
];

const block: Check = taggedBy({
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  search_result: searchResultBlock,
  thinking: objectWith({ required: { type, thinking: text, signature: text } }),
  redacted_thinking: objectWith({ required: { type, data: text } }),
  tool_use: objectWith({
    // The API certainly refuses an `input` that is not an object. The wording of its error is a guess, and so
    // is the wording for an invalid tool name.
    required: { type, id, name: pattern(/^[a-zA-Z0-9_-]{1,128}$/), input: dictionary },
    optional: { ...breakpoint, caller: dictionary, toolset_name: nullable(text) },
  }),
  tool_result: objectWith({
    required: { type, tool_use_id: id },
    optional: {
      ...breakpoint,
      content: (value, path) => (typeof value === "string" ? undefined : resultContent(value, path)),
      is_error: nullable(flag),
      toolset_name: nullable(text),
    },
  }),
  server_tool_use: (value, path) => serverCallId((value as { id?: unknown }).id, `${path}.id`),
  ...Object.fromEntries(serverBlocks.map((name) => [name, anything])),
});

const message: Check = objectWith({
  required: { role: oneOf("user", "assistant", "system"), content: stringOr(listOf(block)) },
  // Only a system message without content may have this field.
  optional: { output_config: dictionary },
});

const messages: Check = listOf(message);
const system: Check = stringOr(listOf(taggedBy({ text: textBlock })));

/** Checks the shape of system and messages: roles, types of blocks, and missing or unknown fields. */
export function checkContent(request: ParsedRequest): ApiError | undefined {
  return (
    (request.system === undefined ? undefined : system(request.system, "system")) ??
    messages(request.messages, "messages") ??
    firstError(request.messages, ({ role, content }, index) =>
      typeof content === "string"
        ? undefined
        : firstError(content, (part, at) => checkPlace(part, role, `messages.${index}.content.${at}`)),
    )
  );
}

/** Checks which blocks each role may send. */
function checkPlace(part: { [key: string]: unknown }, role: string, path: string): ApiError | undefined {
  const kind = shown(part.type);
  const assistantOnly = kind === "tool_use" || kind === "thinking" || kind === "redacted_thinking";
  // The wording of these errors is a guess.
  if (assistantOnly && role !== "assistant")
    return invalid(`${path}: \`${kind}\` blocks can only be in \`assistant\` messages`);
  if (kind === "tool_result" && role !== "user")
    return invalid(`${path}: \`tool_result\` blocks can only be in \`user\` messages`);
  if (kind === "tool_result" && part.is_error === true && isEmpty(part.content))
    return invalid(`${path}.tool_result: content cannot be empty if \`is_error\` is true`);
  if (kind === "document" && role === "assistant")
    return invalid(`${path}: \`document\` blocks are not supported in \`assistant\` messages`);
  if (role === "user" && citable(part).some(hasCitations))
    return invalid(`${path}: \`citations\` are not supported on text in \`user\` messages`);
  return kind === "text" ? citations(part.citations, `${path}.text.citations`) : undefined;
}

/** Returns the parts of a block that may have citations, at any depth. */
function citable(part: unknown): unknown[] {
  if (!isObject(part)) return [];
  return Array.isArray(part.content) ? part.content.flatMap(citable) : [part];
}

function isEmpty(content: unknown): boolean {
  return content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
}

function hasCitations(part: unknown): boolean {
  return isObject(part) && part.type === "text" && Array.isArray(part.citations) && part.citations.length > 0;
}

function stringOr(list: Check): Check {
  return (value, path) => (typeof value === "string" ? undefined : list(value, path));
}
