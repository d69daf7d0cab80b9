import type { ContentBlockParam, SessionEvent, StoredEvent, StoredOf } from "@pawl/core";
import { newView, reduceView, waitsForTime } from "@pawl/core/view";
import { redactedEvent } from "../../../../core/src/log/store/redacted.ts";
import { resultIn } from "../../../src/dialects/base/call-results.ts";
import { everyView } from "../../../src/dialects/base/every-view.ts";
import { newFacts, noteFacts } from "../../../src/dialects/base/facts.ts";
import { type Followed, passedOn } from "../../../src/dialects/base/followed.ts";
import type { EncoderContext } from "../../../src/index.ts";
import { publicEvent } from "../../../src/session/public-event.ts";

/** A log as its user may read it once it has its event `seq`: without what was redacted until then. */
export function logAt(log: readonly StoredEvent[], seq: number): StoredEvent[] {
  const known = log.filter((event) => event.seq <= seq);
  const hidden = new Set(known.flatMap((event) => (event.type === "redaction" ? [event.data.seq] : [])));
  return known.map((event) => publicEvent(hidden.has(event.seq) ? redactedEvent(event) : event));
}

/** The session as people see it after these events, and what the dialects know besides. */
export function sessionOf(events: readonly StoredEvent[]): Pick<EncoderContext, "before" | "facts"> {
  const facts = newFacts();
  let before = newView();
  for (const event of events) {
    before = reduceView(before, event);
    noteFacts(facts, event, before);
  }
  return { before, facts };
}

/** The results that calls got after the event `from`, before the stream that answers a request. */
export function closedIn(events: readonly StoredEvent[], from: number): StoredOf<"tool_result">[] {
  const fold = everyView(newView());
  return events.flatMap((event) => {
    fold.add(event);
    const result = event.seq > from ? resultIn(event, fold) : undefined;
    return result === undefined ? [] : [result];
  });
}

/** The last event of a stream whose reader is there all the time: where its run settles. */
export function endOf(log: readonly StoredEvent[], followed: Followed & { afterSeq: number }): number {
  let { runId } = followed;
  for (const event of log.slice(followed.afterSeq)) {
    const { type, data } = event;
    if (type === "run_suspended" && data.run_id === runId && !waitsForTime(data)) return event.seq;
    if (type !== "run_ended" || data.run_id !== runId) continue;
    const next = passedOn({ ...followed, runId }, event);
    if (next === undefined) return event.seq;
    runId = next;
  }
  return log.length;
}

/** Where the stream of a page begins that connects: at the last run, with those that have passed on to it. */
export function lastRun(events: readonly StoredEvent[]): { runId: string; afterSeq: number } | undefined {
  let start: { runId: string; afterSeq: number } | undefined;
  let next: string | undefined;
  for (const event of events) {
    if (event.type === "run_ended") next = event.data.next?.run_id;
    if (event.type !== "run_started" || event.data.run_id === next) continue;
    start = { runId: event.data.run_id, afterSeq: event.seq - 1 };
  }
  return start;
}

/**
 * The events as a reader gets them who is there all the time: pieces of text first, some twice, some never, some void.
 * Up to `from`, the reader was not there.
 */
export function asTheyCome(
  stored: readonly StoredEvent[],
  cuts: readonly number[],
  from = 0,
): SessionEvent[] {
  return stored.flatMap((event, place): SessionEvent[] => {
    // All readers of an attempt get the same text, early or late.
    let at = event.seq;
    const chance = () => cuts[at++ % cuts.length] ?? 0;
    if (event.type === "tool_started") return event.seq <= from ? [event] : [event, ofAnAgent(event)];
    if (event.type !== "llm_request") return [event];
    const next = stored
      .slice(place + 1)
      .find(({ type }) => ["assistant_message", "llm_request", "run_ended"].includes(type));
    // What readers have of an answer is stored when its run ends, see `judgeLive`.
    if (next?.type === "run_ended") return [event];
    if (next !== undefined && next.seq <= from) return [event];
    const answer =
      next?.type === "assistant_message" ? next.data.content : [{ type: "text" as const, text: "lost text" }];
    const deltas = answer.flatMap((block, index): SessionEvent[] => {
      const kind = block.type === "text" ? "text" : block.type === "thinking" ? "thinking" : undefined;
      if (kind === undefined) return [];
      const whole = String((block as ContentBlockParam)[kind]);
      const said = chance() === 9 ? `${whole.slice(0, 2)}otherwise` : whole;
      return pieces(said, chance).map(({ offset, text }) => ({
        type: `${kind}_delta` as const,
        data: { attempt: event.seq, index, offset, text },
      }));
    });
    return [event, ...deltas];
  });
}

/** What the answers of a log say while they are written, by the keys of the parts that show it. */
export function textsOf(log: readonly StoredEvent[], cuts: readonly number[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const event of asTheyCome(log, cuts)) {
    if (event.type !== "text_delta" && event.type !== "thinking_delta") continue;
    const { attempt, index, offset, text } = event.data;
    const key = `${attempt}:${index}`;
    texts.set(key, (texts.get(key) ?? "").slice(0, offset) + text);
  }
  return texts;
}

/** What an agent below says while it works for a call: nothing of the caller's own, though it counts as if it were. */
function ofAnAgent({ seq, sessionId, data }: StoredOf<"tool_started">): SessionEvent {
  const { call_id, tool_name } = data;
  const at = { tool_name, call_id, agent: "below", session_id: `${sessionId}:${call_id}` };
  return { type: "agent_delta", data: { attempt: seq, index: 0, offset: 0, text: "SECRET", ...at } };
}

function pieces(text: string, chance: () => number): { offset: number; text: string }[] {
  const made: { offset: number; text: string }[] = [];
  let offset = 0;
  while (offset < text.length && chance() !== 8) {
    const length = 1 + (chance() % 4);
    const back = Math.min(offset, chance() % 3);
    made.push({ offset: offset - back, text: text.slice(offset - back, offset + length) });
    offset += length;
  }
  return made;
}
