import type { Answer } from "@pawl/core";
import type { Asked } from "./made.ts";

/** A page with a real client, whose requests a `LogServer` answers. */
export interface Page {
  /** What the page shows, without what only live pages or only loaded ones have. */
  shown(): unknown;
  /** The calls that the page shows, by id: whether it asks about them, and what became of them. */
  calls(): ReadonlyMap<string, string>;
  /** What is asked and can be answered. */
  send(message: NonNullable<Asked["message"]>): Promise<void>;
  answer(answers: readonly Answer[]): Promise<void>;
  retry(): Promise<void>;
  connect(): Promise<void>;
}
