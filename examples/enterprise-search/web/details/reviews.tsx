import { textOf } from "../base/read.ts";
import { clipped } from "../base/words.ts";
import type { Run } from "../runs/run.ts";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["flagged", "The plan asked for it"],
  ["failures", "A tool failed too often"],
  ["batch", "After several calls in one turn"],
  ["every", "After several calls"],
]);

const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ["ask", "It asks you something"],
  ["stop", "It ended the search"],
]);

/** What the reviewer has noticed, and what it did. */
export function Reviews({ run: { record } }: { run: Run }) {
  if (record.reviews.length === 0) return <p className="es-soft">Nothing was reviewed.</p>;
  return (
    <ol className="es-reviews" data-testid="es-reviews">
      {record.reviews.map(({ seq, reason, status, notes, plan, stop }) => {
        const did = [OUTCOMES.get(textOf(status)), plan === undefined ? undefined : "It changed the plan"];
        const outcome = did.filter((one) => one !== undefined).join(". ");
        return (
          <li key={seq}>
            <span className="es-soft">{REASONS.get(textOf(reason)) ?? "Review"}</span>
            <p>{clipped(textOf(notes) || "No notes.", 1_000)}</p>
            {outcome !== "" && <p className="es-review-did">{outcome}.</p>}
            {textOf(stop) !== "" && <p>{clipped(textOf(stop), 500)}</p>}
          </li>
        );
      })}
    </ol>
  );
}
