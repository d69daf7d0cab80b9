import fc from "fast-check";

/** What hooks decide about a call. */
export const DECISIONS = [
  ...["pass", "tell", "show", "hide", "both", "review"],
  ...["deny", "answer", "skip", "fail"],
  ...["maskInput", "blockInput", "maskResult", "failAfter", "failTurn"],
] as const;

export type Decision = (typeof DECISIONS)[number];

/** What an answer of the model has that a guard masks, refuses, or fails at. */
export type Mark = "" | "MASK" | "BLOCK" | "UNSAID";

/** What the hooks of a session decide. */
export interface Decides {
  /** About each call, by its number. Begins anew if there are more calls. */
  calls: readonly Decision[];
  /** What is in the texts of the model's answers, in their order. */
  marks: readonly Mark[];
  /** How many characters the guardrail holds back. 0: it judges whole blocks. */
  every: number;
  /** The guardrail judges messages while the model writes. */
  beside: boolean;
  /** A hook that guards gets each whole answer. */
  holds: boolean;
}

/** What somebody may not read, or only some may, by its kind. All of it begins alike, so that no part passes. */
export const mark = (kind: string, n: number | string) => `@4711-${kind}-${n}`;

/** The kinds of marks in a text that are not among those that may be there. */
export function leaks(text: string, allowed: readonly string[]): string[] {
  const found = [...text.matchAll(/@4711-([A-Z]*).{0,20}/g)];
  return found.filter(([, kind = ""]) => !allowed.includes(kind)).map(([all]) => all);
}

/** The kinds of marks that pages, the model, and the log may have. Spans and results have what the model has. */
export const PAGES = ["SHOWN", "USER", "ASKED", "REFUSED"];
export const MODEL = ["SHOWN", "USER", "ASKED", "TOLD"];
export const LOG = [...MODEL, "HIDDEN", "REFUSED"];

export const decisionOf = (decides: Decides | undefined, n: number): Decision =>
  decides?.calls[n % decides.calls.length] ?? "pass";

/** What the model writes as a call's input. */
export function writtenInput(decides: Decides | undefined, n: number) {
  const decision = decisionOf(decides, n);
  if (decision === "maskInput") return { n, card: mark("CARD", n) };
  return decision === "blockInput" ? { n, card: mark("STOP", n) } : { n };
}

/** What the model says in its answer `n`. */
export function markedText(decides: Decides | undefined, n: number, text: string): string {
  const kind = decides?.marks[n % decides.marks.length] ?? "";
  if (kind === "" || decides === undefined) return text;
  const some = kind === "UNSAID" && !decides.holds ? "MASK" : kind;
  return `${text} ${FILLER}${mark(some, n)} ${FILLER}`;
}

const FILLER = "Good words, and more of them. ";

/** Arbitrary decisions of a session's hooks. */
export const decisions: fc.Arbitrary<Decides> = fc.record({
  calls: fc.array(fc.constantFrom(...DECISIONS), { minLength: 1, maxLength: 8 }),
  marks: fc.array(fc.constantFrom<Mark>("", "", "MASK", "MASK", "BLOCK", "UNSAID"), {
    minLength: 1,
    maxLength: 5,
  }),
  every: fc.constantFrom(0, 30),
  beside: fc.boolean(),
  holds: fc.integer({ min: 0, max: 3 }).map((one) => one === 3),
});
