import { createContext, lazy, memo, Suspense, useContext } from "react";
import { ErrorBoundary, NotLoaded } from "../shell/error-boundary.tsx";
import type { Cited } from "./cited.ts";
import { Raw } from "./raw.tsx";

/**
 * Loads the Markdown renderer. It is about as large as the rest of the page, and a first message can be
 * written without it.
 */
export const loadMarkdown = (): Promise<typeof import("./markdown-view.tsx")> =>
  import("./markdown-view.tsx").catch((cause: unknown) => {
    throw new NotLoaded("The Markdown renderer could not be loaded.", { cause });
  });

const View = lazy(async () => ({ default: (await loadMarkdown()).MarkdownView }));
const Heard = lazy(async () => ({ default: (await loadMarkdown()).PlainTextView }));

/** What is shown by a component in every text below. */
export const CitedContext = createContext<Cited | undefined>(undefined);

/**
 * Shows the agent's text as Markdown, or as source while the renderer is loading. Texts that match
 * `cited.pattern` are shown by `cited.Mark`; pass the same object in each rendering.
 */
export const Markdown = memo(function Markdown({ text, cited: own }: { text: string; cited?: Cited }) {
  const around = useContext(CitedContext);
  const cited = own ?? around;
  const raw = <Raw text={text} />;
  return (
    <ErrorBoundary instead={raw}>
      <Suspense fallback={raw}>
        <View text={text} {...(cited && { cited })} />
      </Suspense>
    </ErrorBoundary>
  );
});

/** Shows Markdown as plain paragraphs, for screen readers. */
export function PlainText({ markdown }: { markdown: string }) {
  return (
    <ErrorBoundary instead={markdown} of={markdown}>
      <Suspense>
        <Heard markdown={markdown} />
      </Suspense>
    </ErrorBoundary>
  );
}
