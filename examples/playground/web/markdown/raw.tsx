/** Shows Markdown as source. */
export function Raw({ text }: { text: string }) {
  return (
    <p className="prose prose-raw" data-testid="raw">
      {text}
    </p>
  );
}
