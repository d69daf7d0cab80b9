/** Markdown as it was written. */
export function Raw({ text }: { text: string }) {
  return (
    <p className="prose prose-raw" data-testid="raw">
      {text}
    </p>
  );
}
