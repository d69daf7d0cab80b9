/**
 * The name of a question for clients that know one by a name: a call may ask again, and an old answer must
 * not count then.
 */
export function questionId(question: number): string {
  return `q${question}`;
}

/** The question's `seq`, if this is such a name. */
export function questionOf(name: unknown): number | undefined {
  return typeof name === "string" && /^q\d{1,10}$/.test(name) ? Number(name.slice(1)) : undefined;
}
