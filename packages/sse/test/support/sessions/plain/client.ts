import type { Answer, StoredEvent } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import type { Dialect } from "../../../../src/index.ts";

/** What a page of a plain dialect has. */
export interface Shown {
  /** All text of the agent, and of errors. */
  text: string;
  /** What became of each call, as far as the dialect says it. */
  calls: Map<string, string>;
  /** How the last stream has ended; `open` if it has not. */
  last: "open" | "done" | "asks" | "error";
}

/** An event of a plain dialect. */
export type PlainEvent = { readonly type?: string } & Readonly<Record<string, unknown>>;

/** A client of a dialect without a library, written from the dialect's documentation. */
export interface PlainClient {
  dialect: Dialect;
  /** Whether it gets text while it is written, which may turn out to be void. */
  isLive: boolean;
  /** The names of fields in requests. Without `retry`, it cannot retry. */
  names: { session: string; messageId: string; retry?: string };
  /** The field of a request with answers. */
  answers(answers: readonly Answer[]): object;
  /** Adds an event to what the page has. */
  read(event: PlainEvent, shown: Shown): void;
  /** What a page that loads shows of a session. */
  load(view: ViewState, log: readonly StoredEvent[]): Shown;
}
