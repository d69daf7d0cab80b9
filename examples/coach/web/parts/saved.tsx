import { fieldsOf, type ToolPartProps, textIn } from "../base/seam.ts";
import { titleOfType } from "../files/titles.ts";

/**
 * A saved file in one line. While files are being saved, a single line for all of them shows that: `atWork`.
 */
export function Saved({ part, live }: ToolPartProps) {
  if (part.phase === "running" && live) return null;
  const { file_type } = fieldsOf(part.arguments);
  const title = titleOfType(textIn(file_type) ?? "");
  const path = textIn(fieldsOf(part.result).path);
  const phase = part.phase === "running" ? "stopped" : part.phase;
  // Usually the user's choice: they are asked before the life plan is replaced.
  const isKept = phase === "error" && file_type === "life-plan";
  return (
    <p className={`chip chip-${phase}`} data-testid="tool-chip" data-phase={phase} data-tool={part.toolName}>
      <span className="chip-mark" aria-hidden="true" />
      <span className="chip-words">{WORDS.get(isKept ? "kept" : phase)?.(title) ?? title}</span>
      {phase === "done" && path !== undefined && <code className="chip-detail">{path}</code>}
    </p>
  );
}

const WORDS: ReadonlyMap<string, (title: string) => string> = new Map([
  ["done", (title) => `Saved: ${title}`],
  ["error", (title) => `${title}: could not be saved`],
  ["kept", (title) => `${title}: left as it was`],
  ["stopped", (title) => `${title}: saving was stopped`],
]);
