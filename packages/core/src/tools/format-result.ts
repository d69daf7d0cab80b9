import { isJsonObject, type Json, toJson } from "../base/json.ts";
import { isBlank } from "../base/text.ts";
import { pictureType } from "../files/picture-type.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import type { Tool } from "./tool.ts";

/**
 * Formats a result for the model with the tool's `format`. If `format` throws or returns a value that the
 * API would refuse, calls `onMistake` and returns `undefined`; the model then gets the result in the default
 * form.
 */
export function formatForModel(
  tool: Tool,
  result: Json,
  onMistake?: (cause: unknown) => void,
): string | ContentBlock[] | undefined {
  if (tool.format === undefined) return undefined;
  try {
    const made = toJson(tool.format(result));
    const content = resultContent(made);
    // An empty list says nothing, which is no mistake.
    if (content === undefined && !(Array.isArray(made) && made.length === 0)) onMistake?.(NO_CONTENT);
    return content;
  } catch (error) {
    onMistake?.(error);
    return undefined;
  }
}

const NO_CONTENT = new Error(
  "It must return a text or a list of content blocks that the API accepts, and no promise.",
);

/**
 * Returns a string unchanged, and a list as the content blocks that the API accepts. Returns `undefined` for
 * any other value, for an invalid block, and for a list without content.
 */
export function resultContent(content: Json): string | ContentBlock[] | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const blocks: ContentBlock[] = [];
  for (const part of content) {
    const block = allowedBlock(part);
    if (block === undefined) return undefined;
    if (!isText(block) || !isBlank(block.text)) blocks.push(block);
  }
  return blocks.length === 0 ? undefined : blocks;
}

/**
 * Removes the fields of a content block that are not allowed in a tool result: unknown ones, e.g. an MCP
 * server's `annotations`, and `cache_control`. Returns `undefined` for a block that would make every later
 * request invalid.
 */
export function allowedBlock(value: Json): ContentBlock | undefined {
  return block(value) as ContentBlock | undefined;
}

/** A function that returns the valid part of a value, or `undefined` for an invalid value. */
type Take = (value: Json | undefined) => Json | undefined;

/** The fields of an object, and how each is validated. */
interface Shape {
  readonly [field: string]: Take;
}

const plainText: Take = (value) => (typeof value === "string" ? value : undefined);

const object: Take = (value) => (isJsonObject(value) ? value : undefined);

/** Returns a function that accepts exactly these strings. */
function exactly(...choices: readonly string[]): Take {
  return (value) => (choices.includes(value as string) ? value : undefined);
}

/** Returns a function that returns the first valid part that one of `takes` returns. */
function anyOf(...takes: readonly Take[]): Take {
  return (value) => {
    for (const take of takes) {
      const taken = take(value);
      if (taken !== undefined) return taken;
    }
    return undefined;
  };
}

/**
 * Returns a function that accepts objects with all `needed` fields. It keeps these and the valid `optional`
 * fields.
 */
function shaped(needed: Shape, optional: Shape = {}): Take {
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    const taken: [field: string, part: Json][] = [];
    for (const [field, take] of Object.entries({ ...needed, ...optional })) {
      const part = Object.hasOwn(value, field) ? take(value[field]) : undefined;
      if (part !== undefined) taken.push([field, part]);
      else if (Object.hasOwn(needed, field)) return undefined;
    }
    return Object.fromEntries(taken);
  };
}

/** Returns a function that accepts lists with at least one item, all of them valid. */
function nonEmpty(item: Take): Take {
  return (value) => {
    const taken = Array.isArray(value) ? value.map(item) : [];
    return taken.length === 0 || taken.includes(undefined) ? undefined : (taken as Json[]);
  };
}

/** The longest image, in characters of base64. */
const LARGEST_IMAGE = 10 * 1024 * 1024;

const imageData: Take = (value) =>
  typeof value === "string" && value.length <= LARGEST_IMAGE ? value : undefined;

/** The number of base64 characters from which the type of a picture can be read. */
const HEADER_CHARS = 64;

/** Accepts a picture in base64. Sets its `media_type` by its first bytes, whatever the type was. */
const pictureSource: Take = (value) => {
  const source = shaped({ type: exactly("base64"), media_type: plainText, data: imageData })(value);
  if (!isJsonObject(source) || typeof source.data !== "string") return undefined;
  try {
    const header = Uint8Array.from(atob(source.data.slice(0, HEADER_CHARS)), (char) => char.charCodeAt(0));
    const media_type = pictureType(header);
    return media_type && { ...source, media_type };
  } catch {
    return undefined;
  }
};

/** Accepts a source that the API itself fetches: a URL, or a file of its Files API. */
const elsewhere = anyOf(
  shaped({ type: exactly("url"), url: plainText }),
  shaped({ type: exactly("file"), file_id: plainText }),
);

const text = shaped({ type: exactly("text"), text: plainText });

const visibleText = shaped({
  type: exactly("text"),
  text: (value) => (typeof value === "string" && !isBlank(value) ? value : undefined),
});

const image = shaped({
  type: exactly("image"),
  source: anyOf(pictureSource, elsewhere),
});

const document = shaped(
  {
    type: exactly("document"),
    source: anyOf(
      shaped({ type: exactly("base64"), media_type: exactly("application/pdf"), data: plainText }),
      shaped({ type: exactly("text"), media_type: exactly("text/plain"), data: plainText }),
      shaped({ type: exactly("content"), content: anyOf(plainText, nonEmpty(anyOf(visibleText, image))) }),
      elsewhere,
    ),
  },
  { title: plainText, context: plainText, citations: object },
);

const searchResult = shaped(
  { type: exactly("search_result"), source: plainText, title: plainText, content: nonEmpty(visibleText) },
  { citations: object },
);

const block = anyOf(
  text,
  image,
  document,
  searchResult,
  shaped({ type: exactly("tool_reference"), tool_name: plainText }),
);
