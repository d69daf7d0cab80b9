import { clipJson } from "../../base/clip-json.ts";
import { isJsonObject } from "../../base/json.ts";
import { resultText } from "../../context/project.ts";
import type { NewEvent } from "../../log/event.ts";
import type { EventData } from "../../log/event-data.ts";
import type { SourceReference } from "../../log/stored-report.ts";
import type { Keeping } from "../../loop/leg/leg-files.ts";
import type { ContentBlock } from "../../model/content.ts";
import { hiddenEvent } from "../leg/hidden-event.ts";
import { DATA_URL } from "./with-references.ts";

/** The longest list of reported sources, in characters of JSON. */
const MOST_SOURCE_CHARS = 200_000;

/**
 * Returns the event of a result that is not longer than the agent's `storedResultLimit`. The model reads what
 * it would read of the whole result. Pictures and PDFs that it reads stay whole.
 */
export function withShortResult<E extends NewEvent>(event: E, { agent, hide }: Keeping): E {
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
