import { counted } from "../base/words.ts";

/** The model's thinking, collapsed, with its length. Without text it shows that the model is thinking. */
export function Thinking({ text, open }: { text: string; open: boolean }) {
  const words = text.split(/\s+/).filter((word) => word !== "").length;
  if (words === 0) return open ? <p className="thinking thinking-open">Thinking…</p> : null;
  return (
    <details className={`thinking ${open ? "thinking-open" : ""}`} data-testid="rl-thinking">
      <summary>
        {open ? "Thinking…" : "Thought"} <span className="rl-length">{counted(words, "word", "words")}</span>
      </summary>
      <p>{text}</p>
    </details>
  );
}
