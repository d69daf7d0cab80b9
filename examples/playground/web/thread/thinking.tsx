/** Shows the model's thinking, collapsed. Without text it only shows that the model is thinking. */
export function Thinking({ text, open }: { text: string; open: boolean }) {
  if (text.trim() === "") return open ? <p className="thinking thinking-open">Thinking…</p> : null;
  return (
    <details className={`thinking ${open ? "thinking-open" : ""}`}>
      <summary>{open ? "Thinking…" : "Thought for a moment"}</summary>
      <p>{text}</p>
    </details>
  );
}
