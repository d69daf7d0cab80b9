import {
  type JsonObject,
  REDACTED,
  type RunContext,
  type StoredEvent,
  type StoredOf,
  textOf,
} from "@pawl/core";
import { hiddenBy } from "@pawl/core/tools";
import { EVENTS, type StoredPlan, storedPlan } from "./events.ts";

/** A `knowledge` event that the model can still read. */
export interface Loaded {
  source: string;
  params: JsonObject;
  seq: number;
  /** The age of the data, in milliseconds. */
  ageMs: number;
}

/** A message of the conversation. */
export interface Spoken {
  who: "user" | "assistant";
  text: string;
}

/** The facts in the log that an initializer needs. */
export interface LogSoFar {
  /** The messages that the run must answer, because no request contains them yet. */
  messages: string[];
  /** The rest of the conversation, without `messages`; oldest first. */
  conversation: Spoken[];
  loaded: Loaded[];
  /** The choice that was stored for this run before a crash. */
  plan: StoredPlan | undefined;
  /** Whether the choice has failed for this run. */
  hasFailed: boolean;
  /** The chosen sources whose data, or whose error, is stored. */
  settled: ReadonlySet<string>;
}

/** Returns the agent's text in an event; `undefined` if it has none. */
export type SpokenIn = (event: StoredEvent) => string | undefined;

/** The types of the events that `textIn` reads. */
const SAID = ["assistant_message"] as const;

/** Returns the text of a model's answer; `undefined` for other events. */
export function textIn(event: StoredEvent): string | undefined {
  if (event.type !== "assistant_message" || event.data.disposition === "discarded") return undefined;
  return textOf(event.data.content);
}

interface Fold {
  said: (Spoken & { seq: number })[];
  loaded: (Omit<Loaded, "ageMs"> & { at: number })[];
  uptoSeq: number;
  now: number;
  plan: (StoredPlan & { seq: number }) | undefined;
  hasFailed: boolean;
  settled: Set<string>;
}

/** Reads the session's log for the hook with this name. Ages are measured from the newest event. */
export async function readLog(context: RunContext, hook: string, spoken?: SpokenIn): Promise<LogSoFar> {
  const fold: Fold = {
    said: [],
    loaded: [],
    uptoSeq: 0,
    now: 0,
    plan: undefined,
    hasFailed: false,
    settled: new Set(),
  };
  const own = [
    "user_message",
    "knowledge",
    "checkpoint",
    "llm_request",
    EVENTS.selection,
    EVENTS.failed,
  ] as const;
  const events = context.read(spoken === undefined ? { types: [...own, ...SAID] } : {});
  for await (const event of events) {
    fold.now = Math.max(fold.now, Date.parse(event.at) || 0);
    takeContext(fold, event);
    takeOwn(fold, event, `${hook}:${context.runId}`);
    const words = (spoken ?? textIn)(event);
    if (words !== undefined && words.trim() !== "")
      fold.said.push({ who: "assistant", text: words, seq: event.seq });
  }
  const isNew = ({ who, seq }: Fold["said"][number]) => who === "user" && seq > fold.uptoSeq;
  const withoutSeq = ({ who, text }: Spoken) => ({ who, text });
  return {
    messages: fold.said.filter(isNew).map(({ text }) => text),
    conversation: fold.said.filter((one) => !isNew(one)).map(withoutSeq),
    loaded: fold.loaded.map(({ at, ...one }) => ({ ...one, ageMs: fold.now - at })),
    plan: fold.plan,
    hasFailed: fold.hasFailed,
    settled: fold.settled,
  };
}

function takeContext(fold: Fold, event: StoredEvent): void {
  switch (event.type) {
    case "user_message":
      fold.said.push({ who: "user", text: messageOf(event.data), seq: event.seq });
      break;
    case "llm_request":
      fold.uptoSeq = Math.max(fold.uptoSeq, event.data.prompt.upto_seq);
      break;
    case "knowledge": {
      const { source, data, params = {} } = event.data;
      // Redacted data does not count as loaded.
      if (data === REDACTED) break;
      fold.loaded.push({ source, params, seq: event.seq, at: Date.parse(event.at) || 0 });
      if (fold.plan !== undefined) fold.settled.add(source);
      break;
    }
    case "checkpoint":
      for (const hidden of hiddenBy(event.data)) fold.said = fold.said.filter(({ seq }) => seq !== hidden);
      // The model no longer reads earlier data, at most a summary.
      if (event.data.reason !== "drop_old_results")
        fold.loaded = fold.loaded.filter(({ seq }) => seq >= event.data.from_seq);
      break;
  }
}

/** Applies the events that this hook stored for this run. */
function takeOwn(fold: Fold, event: StoredEvent, mine: string): void {
  if (event.type !== EVENTS.selection && event.type !== EVENTS.failed) return;
  const data = event.data as JsonObject;
  if (`${data.hook}:${data.run_id}` !== mine) return;
  if (event.type === EVENTS.selection) {
    fold.plan = { ...storedPlan(data), seq: event.seq };
    fold.settled.clear();
  } else if (typeof data.source === "string") fold.settled.add(data.source);
  else fold.hasFailed = true;
}

/** Returns a message's text, and which files it has: the model that chooses sources does not read them. */
function messageOf({ message, files = [] }: StoredOf<"user_message">["data"]): string {
  const named = files.map(({ name, media_type }) => `[A file: ${name ?? media_type}]`);
  return [...(message === "" ? [] : [message]), ...named].join("\n");
}
