import { fieldsOf, type ToolPartProps, textIn } from "../base/seam.ts";
import { titleOfType } from "../files/titles.ts";

/**
 * Shows a saved file in one line. Shows nothing while the call runs: the status line (`atWork`) describes all
 * running calls.
 */
export function Saved({ part, live }: ToolPartProps) {
  if (part.phase === "running" && live) return null;
  const { file_type } = fieldsOf(part.arguments);
  const title = titleOfType(textIn(file_type) ?? "");
  const path = textIn(fieldsOf(part.result).path);
  const phase = part.phase === "running" ? "stopped" : part.phase;
  // The life plan was kept, usually because the user declined to replace it.
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
  ["skipped", (title) => `${title}: not saved again`],
  ["stopped", (title) => `${title}: saving was stopped`],
]);
