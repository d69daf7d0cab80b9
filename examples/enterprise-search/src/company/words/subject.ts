/** What a fact is about. */
export interface Subject {
  /** The words that the documents use, e.g. `vendor renewal`. */
  name: string;
  /**
   * Sentences that state the fact. `{p}` is the project and `{v}` the value. All have the words of the name.
   */
  says: readonly string[];
  value: "percent" | "dollars" | "count" | "day" | "person";
  /** Questions in other words: of the name's words, none is in them. */
  asks: readonly string[];
}
