import { type AgentServer, agentServer } from "./agents.ts";
import { type AsShown, asShown } from "./as-shown.ts";
import { fieldsOf, listOf, numberOf, textOf } from "./read.ts";

/** A person of the company. */
export interface Person {
  name: string;
  email: string;
  initials: string;
  team: string;
  department: string;
  role: string;
}

/**
 * How far the index is. `unknown`: the server was not asked yet. `silent`: it does not say, so nothing waits
 * for the index.
 */
export interface IndexState {
  status: "unknown" | "silent" | "none" | "building" | "ready" | "failed";
  stage: string;
  /** 0 to 1. */
  done: number;
  error: string;
}

/** A document that another one belongs to or refers to. */
export interface RelatedDocument {
  id: string;
  source: string;
  title: string;
  owner: Person;
  at: string;
}

export interface OpenedDocument extends RelatedDocument {
  participants: readonly Person[];
  place: string;
  kind: string;
  text: string;
  /** Where `text` begins in the whole text, and how long the whole is. */
  start: number;
  length: number;
  inThread: readonly RelatedDocument[];
  links: readonly RelatedDocument[];
}

/** The server's routes beside the conversation. Each rejects if the server cannot be reached. */
export interface SearchServer extends AsShown, AgentServer {
  index(signal: AbortSignal): Promise<IndexState>;
  /** Starts the building of the index, or opens it. */
  startIndex(): Promise<void>;
  me(signal: AbortSignal): Promise<{ person: Person; people: readonly Person[] }>;
  become(email: string): Promise<void>;
  /** Opens a document. Resolves to `undefined` if the person may not see it, or it does not exist. */
  open(
    document: { id: string; words: readonly string[]; start?: number },
    signal: AbortSignal,
  ): Promise<OpenedDocument | undefined>;
}

/** Connects with the routes below `url`, e.g. `/api/search`. */
export function searchServer(url: string): SearchServer {
  const json = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init);
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    return fieldsOf(await response.json());
  };
  const asking = asShown();
  return {
    ...asking,
    ...agentServer(url, asking.fetch),
    index: async (signal) => {
      const state = await json("/index", { signal });
      const status = STATUSES.find((one) => one === state.get("status")) ?? "silent";
      const done = Math.min(1, Math.max(0, numberOf(state.get("done"))));
      return { status, stage: textOf(state.get("stage")), done, error: textOf(state.get("error")) };
    },
    startIndex: async () => void (await json("/index", { method: "POST" })),
    me: async (signal) => {
      const me = await json("/me", { signal });
      const person = personOf(me.get("person"));
      if (person.email === "") throw new Error("The server has not said who the visitor is.");
      return { person, people: listOf(me.get("people")).map(personOf) };
    },
    become: async (email) => {
      const headers = { "content-type": "application/json" };
      await json("/me", { method: "PUT", headers, body: JSON.stringify({ email }) });
    },
    open: async ({ id, words, start = 0 }, signal) => {
      const from = start === 0 ? "" : `&start=${start}`;
      const query = `words=${encodeURIComponent(words.join(","))}${from}`;
      const response = await asking.fetch(`${url}/documents/${encodeURIComponent(id)}?${query}`, { signal });
      const found = fieldsOf(await response.json());
      if (found.get("status") === "not_found") return undefined;
      const document = response.ok ? openedOf(found) : undefined;
      if (document === undefined) throw new Error(`The server answered ${response.status}.`);
      return document;
    },
  };
}

const STATUSES = ["none", "building", "ready", "failed"] as const;

export function personOf(value: unknown): Person {
  const person = fieldsOf(value);
  const text = (field: string) => textOf(person.get(field));
  return {
    ...{
      name: text("name") || text("email") || "Somebody",
      email: text("email"),
      initials: text("initials"),
    },
    ...{ team: text("team"), department: text("department"), role: text("role") },
  };
}

function relatedOf(value: unknown): RelatedDocument[] {
  const one = fieldsOf(value);
  const text = (field: string) => textOf(one.get(field));
  if (text("id") === "") return [];
  const owner = personOf(one.get("owner"));
  return [
    { id: text("id"), source: text("source"), title: text("title") || "Untitled", owner, at: text("at") },
  ];
}

function openedOf(found: ReadonlyMap<string, unknown>): OpenedDocument | undefined {
  const [related] = relatedOf(Object.fromEntries(found));
  if (related === undefined) return undefined;
  const text = textOf(found.get("text"));
  return {
    ...related,
    participants: listOf(found.get("participants")).map(personOf),
    place: textOf(found.get("place")),
    kind: textOf(found.get("kind")),
    text,
    start: numberOf(found.get("start")),
    length: numberOf(found.get("length")) || text.length,
    inThread: listOf(found.get("inThread")).flatMap(relatedOf),
    links: listOf(found.get("links")).flatMap(relatedOf),
  };
}
