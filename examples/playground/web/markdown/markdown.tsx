import { lazy, memo, Suspense } from "react";
import { ErrorBoundary, NotLoaded } from "../shell/error-boundary.tsx";
import { Raw } from "./raw.tsx";

/**
 * Loads what reads Markdown, which is about as large as all the rest of the page: nobody waits for it to
 * write a first message.
 */
export const loadMarkdown = (): Promise<typeof import("./markdown-view.tsx")> =>
  import("./markdown-view.tsx").catch((cause: unknown) => {
    throw new NotLoaded("The Markdown renderer could not be loaded.", { cause });
  });

const View = lazy(async () => ({ default: (await loadMarkdown()).MarkdownView }));
const Heard = lazy(async () => ({ default: (await loadMarkdown()).PlainTextView }));

/** The agent's words; as they are written as long as they cannot be shown better. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const raw = <Raw text={text} />;
  return (
    <ErrorBoundary instead={raw}>
      <Suspense fallback={raw}>
        <View text={text} />
      </Suspense>
    </ErrorBoundary>
  );
});

/** What is left of Markdown when it is heard: words, in paragraphs. */
export function PlainText({ markdown }: { markdown: string }) {
  return (
    <ErrorBoundary instead={markdown} of={markdown}>
      <Suspense>
        <Heard markdown={markdown} />
      </Suspense>
    </ErrorBoundary>
  );
}
