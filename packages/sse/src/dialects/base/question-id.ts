/**
 * Returns the id under which clients answer a question: `q` and its `seq`. (The call's id would not do: a
 * call may ask again, and an answer to its first question must not answer the second.)
 */
export function questionId(question: number): string {
  return `q${question}`;
}

/** Returns the `seq` of the question with this id; `undefined` if `name` is not the id of a question. */
export function questionOf(name: unknown): number | undefined {
  return typeof name === "string" && /^q\d{1,10}$/.test(name) ? Number(name.slice(1)) : undefined;
}
