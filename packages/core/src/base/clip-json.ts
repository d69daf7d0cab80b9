import { clipText } from "./clip-text.ts";
import { isJsonObject, type Json } from "./json.ts";

/**
 * Clips a value to about `limit` characters of JSON, and keeps its shape: long texts lose their middle, and
 * lists and objects their end. A note in their place says how much. `isKept` names texts that stay as they
 * are, and do not count.
 */
// A text takes half of the room at most, and a list leaves an eighth, so that something is left for what
// comes after them.
export function clipJson(value: Json, limit: number, isKept: (text: string) => boolean): Json {
  let left = limit;
  const clip = (part: Json, room: number): Json => {
    if (typeof part === "string") {
      if (isKept(part)) return part;
      const text = clipToJson(part, room);
      left -= JSON.stringify(text).length + 1;
      return text;
    }
    if (Array.isArray(part)) return clipList(part);
    if (isJsonObject(part)) return clipObject(part);
    left -= String(part).length + 1;
    return part;
  };
  const clipList = (list: readonly Json[]): Json => {
    left -= 3;
    const reserve = left / 8;
    const items: Json[] = [];
    for (const one of list) {
      if (left <= reserve) {
        items.push(`[clipped: ${list.length - items.length} of ${list.length} items]`);
        break;
      }
      items.push(clip(one, left / 2));
    }
    return items;
  };
  const clipObject = (object: { [field: string]: Json }): Json => {
    left -= 3;
    const fields = Object.entries(object);
    const kept: [string, Json][] = [];
    for (const [name, one] of fields) {
      left -= JSON.stringify(name).length + 1;
      if (left <= 0) {
        kept.push(["[clipped]", `${fields.length - kept.length} of ${fields.length} fields`]);
        break;
      }
      kept.push([name, clip(one, left / 2)]);
    }
    return Object.fromEntries(kept);
  };
  return clip(value, limit);
}

/** Clips a text so that its JSON has at most `limit` characters, or is only the note. */
function clipToJson(text: string, limit: number): string {
  if (JSON.stringify(text).length <= limit) return text;
  // Without the quotes and the two line breaks of the note. A character takes one to six.
  for (let chars = limit - 4; ; ) {
    const clipped = clipText(text, Math.max(Math.floor(chars), 0));
    const { length } = JSON.stringify(clipped);
    if (chars <= 0 || length <= limit) return clipped;
    chars *= Math.min(limit / length, 0.95);
    if (chars < 1) chars = 0;
  }
}
