import { lazy, memo, Suspense } from "react";

/** Loads what reads Markdown, which is about as large as all the rest of the page: nobody waits for it to write a first message. */
export const loadMarkdown = (): Promise<typeof import("./markdown-view.tsx")> =>
  import("./markdown-view.tsx");

const View = lazy(async () => ({ default: (await loadMarkdown()).MarkdownView }));
const Heard = lazy(async () => ({ default: (await loadMarkdown()).PlainTextView }));

/** The agent's words; as they are written as long as they cannot be shown better. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="prose prose-raw">{text}</p>}>
      <View text={text} />
    </Suspense>
  );
});

/** What is left of Markdown when it is heard: words, in paragraphs. */
export function PlainText({ markdown }: { markdown: string }) {
  return (
    <Suspense>
      <Heard markdown={markdown} />
    </Suspense>
  );
}
