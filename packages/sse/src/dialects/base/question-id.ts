/**
 * Returns a question's id for clients. It differs from the call's id: a call may ask again, and then an old
 * answer must not count.
 */
export function questionId(question: number): string {
  return `q${question}`;
}

/** Returns the question's `seq`; `undefined` if this is not such an id. */
export function questionOf(name: unknown): number | undefined {
  return typeof name === "string" && /^q\d{1,10}$/.test(name) ? Number(name.slice(1)) : undefined;
}
