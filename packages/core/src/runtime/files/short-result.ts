import { clipText } from "../../base/clip-text.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { resultText } from "../../context/project.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { SourceReference } from "../../log/stored-report.ts";
import type { LegForFiles } from "../../loop/leg/leg-files.ts";
import type { ContentBlock } from "../../model/content.ts";
import { hiddenEvent } from "../leg/session-credentials.ts";
import { DATA_URL } from "./with-references.ts";

/** The most characters of JSON that the reported sources of a long result may have. */
const MOST_SOURCE_CHARS = 200_000;

/**
 * Clips the result of a call to the agent's `storedResultLimit`, in characters of JSON. The model still reads
 * the whole result: it is stored as `content`. Pictures and PDFs in the content stay whole in the result,
 * too. Returns other events and short results unchanged.
 */
export function withShortResult<E extends NewEvent>(
  event: E,
  { run: { agent }, access: { hide } }: LegForFiles,
): E {
  if (event.type !== "tool_result") return event;
  const { storedResultLimit: limit } = agent;
  if (JSON.stringify([event.data.result, event.data.report]).length <= limit) return event;
  // Hides credentials first. After a cut, half of a token would not be recognised.
  const data = hiddenEvent(event, hide).data as EventData["tool_result"];
  const { result, content = resultText(result), report } = data;
  const bytes = new Set(typeof content === "string" ? [] : content.flatMap(base64In));
  const short = clipJson(result, limit, (text) => bytes.has(text.replace(DATA_URL, "")));
  const sources = report?.sources && firstSources(report.sources);
  return {
    ...event,
    data: { ...data, result: short, content, ...(sources && { report: { ...report, sources } }) },
  };
}

/** Returns the base64 in a picture or a PDF; an empty list for any other block. */
function base64In({ source }: ContentBlock): string[] {
  const data = isJsonObject(source) ? source.data : undefined;
  return typeof data === "string" ? [data] : [];
}

/** Returns the first sources that have at most `MOST_SOURCE_CHARS` together. */
function firstSources(sources: SourceReference[]): SourceReference[] {
  let charsLeft = MOST_SOURCE_CHARS;
  return sources.filter((source) => {
    charsLeft -= JSON.stringify(source).length;
    return charsLeft >= 0;
  });
}

/**
 * Clips a value to about `limit` characters of JSON. Long texts lose their middle, and long lists and objects
 * lose their end. A note in its place says how much is missing. Texts for which `isKept` returns `true` stay
 * whole, and do not count.
 */
// A text takes at most half of the characters that are left, and a list leaves an eighth of them. So the
// parts after them get some, too.
export function clipJson(value: Json, limit: number, isKept: (text: string) => boolean): Json {
  let left = limit;
  // `most` limits a text only; lists and objects share what is left.
  const clip = (part: Json, most: number): Json => {
    if (typeof part === "string") {
      if (isKept(part)) return part;
      const text = clipToJson(part, most);
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
    for (const item of list) {
      if (left <= reserve) {
        items.push(`[clipped: ${list.length - items.length} of ${list.length} items]`);
        break;
      }
      items.push(clip(item, left / 2));
    }
    return items;
  };
  const clipObject = (object: { [field: string]: Json }): Json => {
    left -= 3;
    const fields = Object.entries(object);
    const kept: [string, Json][] = [];
    for (const [name, field] of fields) {
      left -= JSON.stringify(name).length + 1;
      if (left <= 0) {
        kept.push(["[clipped]", `${fields.length - kept.length} of ${fields.length} fields`]);
        break;
      }
      kept.push([name, clip(field, left / 2)]);
    }
    return Object.fromEntries(kept);
  };
  return clip(value, limit);
}

/**
 * Clips a text so that its JSON has at most `limit` characters. If `limit` is too small, only the note is
 * left.
 */
function clipToJson(text: string, limit: number): string {
  if (JSON.stringify(text).length <= limit) return text;
  // Four characters are for the quotes and for escaping the two line breaks of the note. In JSON, each other
  // character takes one to six, so the text is clipped until it fits.
  for (let chars = limit - 4; ; ) {
    const clipped = clipText(text, Math.max(Math.floor(chars), 0));
    const { length } = JSON.stringify(clipped);
    if (chars <= 0 || length <= limit) return clipped;
    chars *= Math.min(limit / length, 0.95);
    if (chars < 1) chars = 0;
  }
}
