import { isJsonObject, type Json, toJson } from "../base/json.ts";
import { isBlank } from "../base/text.ts";
import { pictureType } from "../files/image-size.ts";
import { type ContentBlock, isText } from "../model/content.ts";
import type { Tool } from "./tool.ts";

/**
 * Formats a result for the model with the tool's `format`. Returns `undefined` if `format` throws or returns
 * a value that the API would refuse; the model then gets the result in the default form.
 */
export function formatted(tool: Tool, result: Json): string | ContentBlock[] | undefined {
  if (tool.format === undefined) return undefined;
  try {
    return readable(toJson(tool.format(result)));
  } catch {
    return undefined;
  }
}

/**
 * Returns a string unchanged, and a list as the content blocks that the API accepts. Returns `undefined` for
 * any other value, for an invalid block, and for a list without content.
 */
export function readable(content: Json): string | ContentBlock[] | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const blocks: ContentBlock[] = [];
  for (const part of content) {
    const block = resultBlock(part);
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
export function resultBlock(value: Json): ContentBlock | undefined {
  return block(value) as ContentBlock | undefined;
}

/** Returns the valid part of a value; `undefined` if the value is invalid. */
type Take = (value: Json | undefined) => Json | undefined;

interface Shape {
  readonly [field: string]: Take;
}

const plainText: Take = (value) => (typeof value === "string" ? value : undefined);

const object: Take = (value) => (isJsonObject(value) ? value : undefined);

function one(...choices: readonly string[]): Take {
  return (value) => (choices.includes(value as string) ? value : undefined);
}

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
 * Returns a function that accepts objects with all `needed` fields. It keeps these and the valid fields of
 * `rest`.
 */
function shaped(needed: Shape, rest: Shape = {}): Take {
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    const taken: [field: string, part: Json][] = [];
    for (const [field, take] of Object.entries({ ...needed, ...rest })) {
      const part = Object.hasOwn(value, field) ? take(value[field]) : undefined;
      if (part !== undefined) taken.push([field, part]);
      else if (Object.hasOwn(needed, field)) return undefined;
    }
    return Object.fromEntries(taken);
  };
}

function takeList(item: Take): Take {
  return (value) => {
    const taken = Array.isArray(value) ? value.map(item) : [];
    return taken.length === 0 || taken.includes(undefined) ? undefined : (taken as Json[]);
  };
}

/** The longest image, in characters of base64. */
const LARGEST_IMAGE = 10 * 1024 * 1024;

const imageData: Take = (value) =>
  typeof value === "string" && value.length <= LARGEST_IMAGE ? value : undefined;

/** How many characters of base64 show the type of a picture. */
const HEADER_CHARS = 64;

/** Accepts base64 whose first bytes are a picture's, and gives it the type of these bytes. */
const pictureSource: Take = (value) => {
  const source = shaped({ type: one("base64"), media_type: plainText, data: imageData })(value);
  if (!isJsonObject(source) || typeof source.data !== "string") return undefined;
  try {
    const header = Uint8Array.from(atob(source.data.slice(0, HEADER_CHARS)), (char) => char.charCodeAt(0));
    const media_type = pictureType(header);
    return media_type && { ...source, media_type };
  } catch {
    return undefined;
  }
};

const elsewhere = anyOf(
  shaped({ type: one("url"), url: plainText }),
  shaped({ type: one("file"), file_id: plainText }),
);

const text = shaped({ type: one("text"), text: plainText });

const spoken = shaped({
  type: one("text"),
  text: (value) => (typeof value === "string" && !isBlank(value) ? value : undefined),
});

const image = shaped({
  type: one("image"),
  source: anyOf(pictureSource, elsewhere),
});

const document = shaped(
  {
    type: one("document"),
    source: anyOf(
      shaped({ type: one("base64"), media_type: one("application/pdf"), data: plainText }),
      shaped({ type: one("text"), media_type: one("text/plain"), data: plainText }),
      shaped({ type: one("content"), content: anyOf(plainText, takeList(anyOf(spoken, image))) }),
      elsewhere,
    ),
  },
  { title: plainText, context: plainText, citations: object },
);

const searchResult = shaped(
  { type: one("search_result"), source: plainText, title: plainText, content: takeList(spoken) },
  { citations: object },
);

const block = anyOf(
  text,
  image,
  document,
  searchResult,
  shaped({ type: one("tool_reference"), tool_name: plainText }),
);
