import type { ApiError } from "../base/api-error.ts";
import { headOfFile, pictureIn } from "../base/media.ts";
import { shown } from "../base/shown.ts";
import { isObject } from "../base/wire-request.ts";
import type { Check } from "../messages/validate/checks.ts";
import { listOf, missing, nullable, objectWith, oneOf, text, upTo, wrongType } from "./chat-checks.ts";
import { refused } from "./chat-error.ts";

const type = oneOf;
const textPart = objectWith({ type: type("text"), text }, { prompt_cache_breakpoint: () => undefined });
const refusalPart = objectWith({ type: type("refusal"), refusal: text });
/** A PDF with its bytes. Files that were uploaded to the API are not simulated. */
const filePart = objectWith({
  type: type("file"),
  file: objectWith({ filename: text, file_data: pdfUrl }),
});
const imagePart = objectWith(
  {
    type: type("image_url"),
    image_url: objectWith({ url: imageUrl }, { detail: oneOf("auto", "low", "high", "original") }),
  },
  { prompt_cache_breakpoint: () => undefined },
);

/** Checks an image's URL, which may be a `data:` URL. The wording of the error is a guess. */
function imageUrl(value: unknown, path: string): ApiError | undefined {
  return (
    text(value, path) ??
    (/^https?:\/\//.test(String(value))
      ? undefined
      : /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(String(value))
        ? unreadableImage(String(value), path)
        : refused(
            `Invalid '${path}'. Expected a valid URL, but got a value with an invalid format.`,
            path,
            "invalid_value",
          ))
  );
}

/** The most bytes of all files of a request. */
const MOST_BYTES = 50 * 1024 * 1024;

/** Refuses bytes that are no picture. The wording of the errors is a guess. */
function unreadableImage(url: string, path: string): ApiError | undefined {
  if (url.length > MOST_BYTES) return refused("The image is too large.", path, "invalid_image");
  const head = headOfFile(url.slice(url.indexOf(",") + 1));
  return head === undefined || pictureIn(head)?.size === undefined
    ? refused(
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        path,
        "invalid_image_format",
      )
    : undefined;
}

function pdfUrl(value: unknown, path: string): ApiError | undefined {
  const start = "data:application/pdf;base64,";
  const given = shown(value);
  const head = given.startsWith(start) ? headOfFile(given.slice(start.length)) : undefined;
  return (
    text(value, path) ??
    (head !== undefined && new TextDecoder("latin1").decode(head).startsWith("%PDF-")
      ? undefined
      : refused(`Invalid '${path}'. Expected a base64-encoded data URL with a PDF.`, path, "invalid_value"))
  );
}

/**
 * Returns a check for a message's content. `parts` are the types of parts that the message's role may have.
 */
function content(checks: { readonly [type: string]: Check }): Check {
  const parts = new Map(Object.entries(checks));
  const part: Check = (value, path) => {
    if (!isObject(value)) return wrongType("an object", value, path);
    if (value.type === undefined) return missing(`${path}.type`);
    const part = parts.get(shown(value.type));
    return part === undefined ? type(...parts.keys())(value.type, `${path}.type`) : part(value, path);
  };
  const list = listOf(part);
  return (value, path) => {
    if (typeof value === "string") return undefined;
    if (value === null)
      return refused("Invalid value for 'content': expected a string, got null.", path.replace("[", ".["));
    return Array.isArray(value)
      ? list(value, path)
      : wrongType("one of a string or array of objects", value, path);
  };
}

const name = upTo(64, /^[^\s<|\\/>]+$/);
const callId = upTo(40);
const functionName = upTo(64, /^[a-zA-Z0-9_-]+$/);
const toolCall = objectWith({
  id: callId,
  type: oneOf("function"),
  function: objectWith({ name: functionName, arguments: text }),
});

const words = content({ text: textPart });
const roles: { readonly [role: string]: Check } = {
  system: objectWith({ role: text, content: words }, { name }),
  developer: objectWith({ role: text, content: words }, { name }),
  user: objectWith(
    { role: text, content: content({ text: textPart, image_url: imagePart, file: filePart }) },
    { name },
  ),
  assistant: objectWith(
    { role: text },
    {
      content: nullable(content({ text: textPart, refusal: refusalPart })),
      refusal: nullable(text),
      tool_calls: listOf(toolCall, 128),
      name,
    },
  ),
  tool: objectWith({ role: text, content: words, tool_call_id: callId }),
};

/** Checks one message by itself. OpenAI's former functions, which tools have replaced, are not supported. */
export const message: Check = (value, path) => {
  if (!isObject(value)) return wrongType("an object", value, path);
  if (value.role === undefined) return missing(`${path}.role`);
  const role = shown(value.role);
  if (!Object.hasOwn(roles, role)) return oneOf(...Object.keys(roles))(value.role, `${path}.role`);
  return imageElsewhere(value, path) ?? roles[role]?.(value, path) ?? saysNothing(value, path);
};

function imageElsewhere(value: { [field: string]: unknown }, path: string): ApiError | undefined {
  const isImage = (part: unknown): boolean => isObject(part) && part.type === "image_url";
  if (value.role === "user" || !Array.isArray(value.content) || !value.content.some(isImage))
    return undefined;
  return refused(
    `Invalid '${path}'. Image URLs are only allowed for messages with role 'user', but this message with role '${value.role}' contains an image URL.`,
    path,
    "invalid_value",
  );
}

/** Refuses an assistant's message without content, refusal and tool calls. */
function saysNothing(value: { [field: string]: unknown }, path: string): ApiError | undefined {
  if (value.role !== "assistant" || value.tool_calls !== undefined) return undefined;
  const isSilent = (value.content ?? null) === null && (value.refusal ?? null) === null;
  return isSilent
    ? refused(
        "Invalid value for 'content': expected a string, got null.",
        `${path.replace("[", ".[")}.content`,
      )
    : undefined;
}
