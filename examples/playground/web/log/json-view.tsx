const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Shows JSON, indented and coloured. */
export function JsonView({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  const parts: (string | { kind: string; text: string; at: number })[] = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(text.slice(from, match.index), { kind: kindOf(match), text: match[0], at: match.index });
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
    <pre className="json" tabIndex={0}>
      {parts.map((part) =>
        typeof part === "string" ? (
          part
        ) : (
          <span key={part.at} className={`json-${part.kind}`}>
            {part.text}
          </span>
        ),
      )}
    </pre>
  );
}

function kindOf([, string, colon, word]: RegExpMatchArray): string {
  if (string === undefined) return word === undefined ? "number" : "word";
  return colon === undefined ? "string" : "key";
}
