import { clipText } from "../../base/clip-text.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { resultText } from "../../context/project.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { SourceReference } from "../../log/stored-report.ts";
import type { Keeping } from "../../loop/leg/leg-files.ts";
import type { ContentBlock } from "../../model/content.ts";
import { hiddenEvent } from "../leg/session-credentials.ts";
import { DATA_URL } from "./with-references.ts";

/** The longest list of reported sources, in characters of JSON. */
const MOST_SOURCE_CHARS = 200_000;

/**
 * Returns the event of a result that is not longer than the agent's `storedResultLimit`. The model reads what
 * it would read of the whole result. Pictures and PDFs that it reads stay whole.
 */
export function withShortResult<E extends NewEvent>(
  event: E,
  { run: { agent }, access: { hide } }: Keeping,
): E {
  if (event.type !== "tool_result") return event;
  const { storedResultLimit: limit } = agent;
  if (JSON.stringify([event.data.result, event.data.report]).length <= limit) return event;
  // A cut could leave half of a token, which nothing would recognise.
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

function base64In({ source }: ContentBlock): string[] {
  const data = isJsonObject(source) ? source.data : undefined;
  return typeof data === "string" ? [data] : [];
}

function firstSources(sources: SourceReference[]): SourceReference[] {
  let left = MOST_SOURCE_CHARS;
  return sources.filter((one) => {
    left -= JSON.stringify(one).length;
    return left >= 0;
  });
}

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
