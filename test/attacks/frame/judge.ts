import type { Attack } from "./attack.ts";

/** What became of one attempt. */
export interface Verdict {
  /** `fault`: the attempt itself failed, e.g. it threw, did not end in time, or took too much memory. */
  readonly kind: "held" | "broken" | "not tried" | "fault";
  /** What was seen, in a few words; the reason if it was not tried. */
  readonly seen: string;
}

export interface Judged {
  /** The row of the table, in Markdown. */
  readonly row: string;
  /** Whether the attack was tried, and its result says something. */
  readonly isTried: boolean;
  /** Why the test fails, if it does. */
  readonly problem?: string;
}

/** The table's head, in Markdown. */
export const HEAD = ["| Attack | What it is | Result | Seen |", "| --- | --- | --- | --- |"];

/** Compares what an attack says of itself with what became of it. */
export function judge(
  { id, title, state }: Pick<Attack, "id" | "title" | "state">,
  verdict: Verdict,
): Judged {
  const { kind, seen } = verdict;
  const row = (result: string) => `| ${[id, title, result, seen.slice(0, 200)].map(cell).join(" | ")} |`;
  const failed = (result: string, problem: string) => ({
    row: row(result),
    isTried: kind !== "fault",
    problem: `${id} (${title}) ${problem}: ${seen}`,
  });
  if (kind === "fault") return failed("FAULT", "could not be judged");
  if (kind === "not tried") return { row: row(kind), isTried: false };
  if (state === "held" && kind === "broken") return failed("BROKEN", "works again");
  if (state === "open" && kind === "held")
    return failed("HOLDS NOW", "holds now: say held, and name its guard");
  return { row: row(state), isTried: true };
}

const cell = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
