import { fieldsOf, listOf, numberOf, textOf } from "../base/read.ts";
import { clipped, countOf } from "../base/words.ts";
import type { Run } from "../runs/run.ts";

/** Which descriptions of tools the model read for this answer, which it did not, and why. */
export function ToolDocs({ run }: { run: Run }) {
  const docs = fieldsOf(run.record.docs);
  const [chosen, left] = [judged(docs.get("chosen")), judged(docs.get("left"))];
  if (chosen.length + left.length === 0) return <p className="es-soft">None were chosen for this answer.</p>;
  return (
    <div className="es-docs" data-testid="es-docs">
      <p className="es-soft">
        {chosen.length} of {chosen.length + left.length} are in the prompt, about{" "}
        {countOf(numberOf(docs.get("tokens")))} tokens.
      </p>
      <Judged title="Chosen" rows={chosen} kind="chosen" />
      <Judged title="Left out" rows={left} kind="left" />
    </div>
  );
}

interface Row {
  tool: string;
  why: string;
  score: number;
  tokens: number;
}

function Judged({ title, rows, kind }: { title: string; rows: readonly Row[]; kind: "chosen" | "left" }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ol className={`es-judged es-judged-${kind}`}>
        {rows.map(({ tool, why, score, tokens }) => (
          <li key={tool} data-testid={`es-doc-${kind}`}>
            <code>{clipped(tool, 64)}</code>
            <span className="es-judged-why">{clipped(why, 200)}</span>
            <span className="es-soft">
              relevance {score.toLocaleString("en", { maximumFractionDigits: 2 })} · ≈ {countOf(tokens)}{" "}
              tokens
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function judged(value: unknown): Row[] {
  return listOf(value).flatMap((one) => {
    const row = fieldsOf(one);
    const tool = textOf(row.get("tool"));
    const numbers = { score: numberOf(row.get("score")), tokens: numberOf(row.get("tokens")) };
    return tool === "" ? [] : [{ tool, why: textOf(row.get("why")), ...numbers }];
  });
}
